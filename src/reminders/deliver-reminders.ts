import type { ItemKey, PersonId } from "../domain/ids.ts";
import type { Item, Person } from "../domain/item.ts";
import type { NamedLink } from "../domain/signed-links.ts";
import { isPrivate } from "../domain/visibility.ts";
import { webLink } from "../domain/web-link.ts";
import type { Mail } from "../mail/mail.ts";
import { type MailKey, noItem } from "../store/mails/ledger.ts";
import type { ViewItem } from "../store/view/view.ts";
import { say } from "../texts/say.ts";
import { writeCalendarPart } from "./calendar-part.ts";
import { type MailContent, renderMail, staleWords } from "./mail-content.ts";
import { type DueMail, isInMailWindow, type WindowOf } from "./plan-mails.ts";
import {
  emailAddressOf,
  envelope,
  inLanguageOf,
  isOpenTo,
  type MailDeps,
  mailChoiceOf,
  type Recipient,
  readerBy,
  unsubscribeFor,
} from "./recipients.ts";
import { type Reminder, type ReminderRules, remindersOf } from "./reminder.ts";
import { combinedContent, reminderContent } from "./reminder-words.ts";
import type { SendGate } from "./send-gate.ts";
import { type MailEnding, type MailTopic, newMessageId, sendOnce } from "./send-once.ts";

/** Result of one reminder for one person. */
export type ReminderEvent = About & MailEnding;

interface About {
  readonly sort: MailKey["kind"];
  /** null for a digest. */
  readonly item: ItemKey | null;
  /** "" for a digest. */
  readonly uid: string;
  readonly person: PersonId;
  readonly messageId: string;
}

export interface DeliverMailDeps extends MailDeps {
  readonly rules: ReminderRules;
  readonly windowOf: WindowOf;
  /** Extends windows that `windowOf` has not created. */
  readonly extended: SendGate["extended"];
  /** Link template with `{project}`, `{kind}` and `{id}`; null for no links. */
  readonly webUrl: string | null;
  /** Action links of an item for a person; null if action links are off. */
  readonly actions: ((shown: ViewItem, person: PersonId) => readonly NamedLink[]) | null;
}

/** One mail to send, with one or several reminders. */
export interface PlannedMail {
  readonly person: PersonId;
  readonly messageId: string;
  readonly mails: readonly DueMail[];
}

/** Current content of a reminder. */
interface Current extends MailTopic<MailKey> {
  readonly dueAt: Temporal.Instant;
  readonly shown: ViewItem;
  readonly reminder: Reminder;
  readonly reader: Person;
  readonly zone: string;
  /** The reader's time of day for reminders. */
  readonly at: Temporal.PlainTime;
}

/**
 * Sends one mail and records the result for each reminder in it. Items and the person are read again, so nothing is sent for
 * what was completed, moved, deleted or reassigned in the meantime; returns an empty list then, or if another step has already
 * sent it.
 */
export async function deliverMail(
  mail: PlannedMail,
  deps: DeliverMailDeps,
): Promise<readonly ReminderEvent[]> {
  const { store } = deps;
  const reader = readerBy(mail.person, deps);
  const things = mail.mails.flatMap((due) => rereadTopic(due, reader, deps) ?? []);
  const [first] = things;
  if (!first) return [];
  const { messageId } = mail;
  const endings = await sendOnce(
    {
      things,
      messageId,
      address: emailAddressOf(first.reader, deps),
      compose: (taken) => inLanguageOf(first.reader, deps, () => compose(taken, messageId, deps)),
    },
    { ...deps, queue: store.ledger },
  );
  return endings.map(({ thing: { key, shown }, ending }) => ({
    sort: key.kind,
    item: shown.key,
    uid: shown.uid,
    person: key.person,
    messageId,
    ...ending,
  }));
}

/** null if the reminder is no longer wanted. `reader` is the recipient; null if nobody can be reached. */
export function rereadTopic(
  { key }: DueMail,
  reader: Recipient | null,
  deps: DeliverMailDeps,
): Current | null {
  const { store, rules, windowOf, clock } = deps;
  const { directory, view } = store;
  const shown = key.item === noItem ? null : view.get(key.item);
  if (!shown || !reader || !isOpenTo(key.person, shown.item, directory)) return null;
  const reminder = remindersOf(shown, rules).find(
    ({ sort, occurrence, lead }) =>
      sort === key.kind && occurrence === key.occurrence && lead === key.lead,
  );
  if (!reminder?.people.includes(key.person) || !reader.wants(reminder.kind)) return null;
  const window = windowOf(reminder, reader);
  if (!window || !isInMailWindow(window, clock())) return null;
  const { person, zone, at } = reader;
  return { key, ...window, shown, reminder, reader: person, zone, at: at ?? rules.at };
}

function compose(things: readonly Current[], messageId: string, deps: DeliverMailDeps): Mail {
  const [first] = things;
  if (!first) throw new Error(`mail ${messageId} has no content`);
  const { installation } = deps.store.meta;
  const isAlone =
    things.length === 1 &&
    messageId === messageIdOf(first.key, { uid: first.shown.uid, installation });
  const choice = mailChoiceOf(things.map(({ reminder }) => reminder.kind));
  const address = { person: first.reader, choice, messageId };
  const unsubscribe = unsubscribeFor(address, deps);
  const content: MailContent = isAlone
    ? reminderContent(contextOf(first, deps, unsubscribe))
    : combinedContent(
        things.map((thing) => ({
          ...thing,
          project: projectOf(thing.shown.item, deps),
          link: webLink(deps.webUrl, thing.shown.item),
        })),
        {
          now: deps.clock(),
          unsubscribe,
          stale: staleWords({ ...deps, now: deps.clock(), zone: first.zone }),
        },
      );
  return {
    ...envelope(address, deps),
    ...renderMail(content),
    calendar: isAlone ? calendarOf(first, deps) : null,
  };
}

function contextOf(
  { shown, reminder, reader, dueAt, zone, at }: Current,
  deps: DeliverMailDeps,
  unsubscribe: MailContent["unsubscribe"],
) {
  const { store, rules, webUrl, actions, clock } = deps;
  const { item } = shown;
  const names = store.directory.personNames();
  const list = store.directory.listOf(item);
  const url = webLink(webUrl, item);
  return {
    reminder,
    item,
    reader,
    others: reminder.people.flatMap((id) => (id === reader.id ? [] : (names.get(id) ?? []))),
    project: projectOf(item, deps),
    list: list?.title ?? null,
    parent: parentOf(item, deps),
    isPrivate: isPrivate(item, list),
    links: [
      ...(url === null ? [] : [{ label: say("action.open"), url }]),
      ...(actions?.(shown, reader.id) ?? []),
    ],
    dueAt,
    now: clock(),
    zone: rules.zone,
    at,
    stale: staleWords({ store, now: clock(), zone }),
    unsubscribe,
  };
}

const projectOf = (item: Item, { store }: DeliverMailDeps): string | null =>
  store.directory.project(item.projectId)?.title ?? null;

function parentOf(item: Item, { store }: DeliverMailDeps): string | null {
  if (item.kind !== "subtask" || item.parentId === null) return null;
  const key = store.mirror.find("task", item.parentId);
  return key === null ? null : (store.view.get(key)?.item.title ?? null);
}

function calendarOf(
  { shown, reminder }: Current,
  { rules, webUrl, from }: DeliverMailDeps,
): Mail["calendar"] {
  const { item } = shown;
  if (item.kind !== "event" || reminder.sort === "overdue") return null;
  const content = writeCalendarPart(shown, item, {
    method: "PUBLISH",
    hasAlarm: false,
    to: null,
    zone: rules.zone,
    link: webLink(webUrl, item),
    from,
  });
  return { content, method: "PUBLISH" };
}

/**
 * Message-ID of a mail with one reminder: the same for the same reminder, also after a restart, and not guessable from outside.
 * `uid` is the item's, or "".
 */
export function messageIdOf(
  { kind, occurrence, lead, person }: MailKey,
  { uid, installation }: { readonly uid: string; readonly installation: string },
): string {
  // Events' own reminders existed before other kinds did, so their ids do not contain the kind.
  const sort = kind === "reminder" ? [] : [kind];
  const parts = [...sort, uid, occurrence, lead, person];
  return newMessageId(parts, installation);
}
