import { endsAt, startsAt } from "@dayferry/ical";
import { fingerprint } from "../domain/fingerprint.ts";
import type { ItemKey, PersonId } from "../domain/ids.ts";
import type { EventItem, Person } from "../domain/item.ts";
import { plainDescription } from "../domain/text.ts";
import { webLink } from "../domain/web-link.ts";
import { excerpt, spanInWords } from "../domain/wording.ts";
import type { Mail } from "../mail/mail.ts";
import type { Invitation, InvitationKey } from "../store/mails/invitation-table.ts";
import { say } from "../texts/say.ts";
import { writeCalendarPart } from "./calendar-part.ts";
import { renderMail } from "./mail-content.ts";
import {
  emailAddressOf,
  envelope,
  inLanguageOf,
  isOpenTo,
  type MailDeps,
  mayBegin,
  type Recipient,
  readersOf,
  unsubscribeFor,
} from "./recipients.ts";
import { shownTitle } from "./reminder-words.ts";
import { type MailEnding, type MailTopic, newMessageId, sendOnce } from "./send-once.ts";

/** Result of sending an invitation, an update or a cancellation. */
export type InvitationEvent = {
  readonly person: PersonId;
  readonly item: ItemKey;
  readonly messageId: string;
} & MailEnding;

interface InvitationsDeps extends MailDeps {
  /** URL template of the service's own pages; null if unknown. */
  readonly webUrl: string | null;
  /** True if the workspace was read completely, so that a missing event is gone. */
  readonly swept: () => boolean;
  readonly onEvent: (event: InvitationEvent) => void;
}

/** Changes within this time become one message. */
const mergedFor = Temporal.Duration.from({ minutes: 1 });
/** Invitations to later events are sent when they are this near. */
const horizon = Temporal.Duration.from({ hours: 60 * 24 });
/** A message delayed longer than this is dropped. */
const retryFor = Temporal.Duration.from({ hours: 72 });

/** A message to send: what a person's calendar should show of an event, or that it is canceled. */
interface Wish extends MailTopic<InvitationKey> {
  readonly method: "REQUEST" | "CANCEL";
  readonly person: Person;
  readonly zone: string;
  readonly isFirst: boolean;
  readonly invitation: Invitation & { readonly content: EventItem };
  /** True if the calendar reminds as well. */
  readonly hasAlarm: boolean;
}

/**
 * Mails invitations to events to people who have chosen that and are assigned: one when the event comes within sixty days, one
 * for each change, and a cancellation when it is deleted, or the person no longer assigned. Source: RFC 5546, RFC 6047.
 */
export function createInvitations(deps: InvitationsDeps) {
  const { store, clock, onEvent } = deps;
  /** When a difference was noticed first. */
  const noticed = new Map<string, Temporal.Instant>();
  let seen = "";

  function wishesOf(reader: Recipient): readonly Wish[] {
    const { person } = reader;
    const now = clock();
    const sent = new Map(store.invitations.of(person.id).map((one) => [one.item, one]));
    if (!reader.wants("invitations")) {
      for (const item of sent.keys()) store.invitations.forget(person.id, item);
      return [];
    }
    const hasAlarm = reader.wants("alarms");
    const wishes: Wish[] = [];
    const wish = (about: Pick<Wish, "method" | "isFirst" | "invitation">) => {
      const { item, sequence } = about.invitation;
      const key = { person: person.id, item, sequence };
      wishes.push({
        ...about,
        hasAlarm,
        person,
        zone: reader.zone,
        key,
        lapsesAt: now.add(retryFor),
      });
    };
    for (const { key, uid, item, sequence } of store.view.assignedTo(person.id)) {
      const known = sent.get(key);
      if (item.kind !== "event" || !isOpenTo(person.id, item, store.directory)) continue;
      const isOver = Temporal.Instant.compare(endsAt(item.when, deps.zone), now) <= 0;
      const isNear =
        Temporal.Instant.compare(startsAt(item.when, deps.zone), now.add(horizon)) <= 0;
      sent.delete(key);
      const digest = digestOf(item, hasAlarm);
      if (isOver || (!isNear && !known) || known?.digest === digest) continue;
      const next = Math.max(sequence, (known?.sequence ?? -1) + 1);
      const about = { person: person.id, item: key, uid, sequence: next, digest, content: item };
      wish({ method: "REQUEST", isFirst: !known, invitation: about });
    }
    for (const gone of deps.swept() ? sent.values() : []) {
      const { content } = gone;
      const isOver =
        content.kind !== "event" ||
        Temporal.Instant.compare(endsAt(content.when, deps.zone), now) <= 0;
      if (isOver) store.invitations.forget(person.id, gone.item);
      else {
        const invitation = { ...gone, content, sequence: gone.sequence + 1 };
        wish({ method: "CANCEL", isFirst: false, invitation });
      }
    }
    return wishes;
  }

  /** Messages whose cause was noticed long enough ago. Those that are no longer needed are dropped. */
  function dueOf(wishes: readonly Wish[]): readonly Wish[] {
    const now = clock();
    const open = new Set(wishes.map(nameOf));
    for (const name of noticed.keys()) if (!open.has(name)) noticed.delete(name);
    return wishes.filter((wish) => {
      const since = noticed.get(nameOf(wish)) ?? now;
      noticed.set(nameOf(wish), since);
      return Temporal.Instant.compare(since.add(mergedFor), now) <= 0;
    });
  }

  async function send(wish: Wish): Promise<MailEnding | null> {
    const { key, person, invitation, method } = wish;
    const messageId = newMessageId(
      ["invitation", key.person, invitation.uid, key.sequence],
      store.meta.installation,
    );
    const [result] = await sendOnce(
      {
        things: [wish],
        messageId,
        address: emailAddressOf(person, deps),
        compose: () => inLanguageOf(person, deps, () => compose(wish, messageId, deps)),
      },
      { ...deps, queue: store.invitations },
    );
    if (!result) return null;
    const { ending } = result;
    // A rejected message is not sent again before the next change.
    if (ending.kind !== "deferred") {
      if (method === "REQUEST") store.invitations.keep(invitation);
      else store.invitations.forget(key.person, key.item);
      noticed.delete(nameOf(wish));
    }
    onEvent({ person: key.person, item: key.item, messageId, ...ending });
    return ending;
  }

  return {
    /** Sends what is due; "idle" if nothing was. Starts no further mail after an abort. Not reentrant. */
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      if (!store.mailChoices.hasOptIns() && store.invitations.people().length === 0) return "idle";
      const hour = clock().round({ smallestUnit: "hour", roundingMode: "floor" });
      const { changes, mailChoices } = store;
      const now = [changes.latest(), changes.revisionOfDirectory(), mailChoices.version(), hour];
      if (noticed.size === 0 && now.join(" ") === seen) return "idle";
      const wishes = [...readersOf(deps).values()].flatMap(wishesOf);
      seen = now.join(" ");
      let outcome: "idle" | "worked" = "idle";
      for (const wish of dueOf(wishes)) {
        if (signal.aborted || !mayBegin(deps)) break;
        if (await send(wish)) outcome = "worked";
      }
      return outcome;
    },
  };
}

const nameOf = ({ key }: Wish): string => `${key.person} ${key.item}`;

/** Hash of the text of an invitation. */
const digestOf = ({ title, description, when, ...item }: EventItem, hasAlarm: boolean): string =>
  fingerprint(
    JSON.stringify([
      ...[title, plainDescription(description), when, item.private],
      ...(hasAlarm ? [item.reminder] : []),
    ]),
  );

function compose(wish: Wish, messageId: string, deps: InvitationsDeps): Mail {
  const { method, person, zone, invitation, isFirst, hasAlarm } = wish;
  const { content: item, uid, sequence } = invitation;
  const address = { person, choice: "invitations", messageId } as const;
  const head = envelope(address, deps);
  const title = shownTitle(item);
  const when = spanInWords(item.when, zone);
  const project = deps.store.directory.project(item.projectId)?.title ?? "";
  const link = webLink(deps.webUrl, item);
  const what = method === "CANCEL" ? "canceled" : isFirst ? "first" : "changed";
  const description = plainDescription(item.description);
  return {
    ...head,
    ...renderMail({
      subject: say(`invite.subject.${what}`, { title: excerpt(title, 100), when }),
      preview: `${title}, ${when}`,
      heading: title,
      fact: when,
      parts: [
        {
          kind: "facts",
          facts: [
            { name: say("field.when"), value: when },
            { name: say("word.project"), value: project },
          ],
        },
        ...(description === "" ? [] : [{ kind: "prose", text: description } as const]),
        { kind: "prose", text: say("invite.replies") },
        ...(link === null || method === "CANCEL"
          ? []
          : [
              {
                kind: "links",
                links: [{ label: say("item.openInWorkspace"), url: link }],
              } as const,
            ]),
      ],
      reason: say("invite.why"),
      unsubscribe: unsubscribeFor(address, deps),
    }),
    calendar: {
      method,
      content: writeCalendarPart({ uid, sequence, modifiedAt: deps.clock() }, item, {
        method,
        zone: deps.zone,
        link,
        from: deps.from,
        to: head.to,
        hasAlarm,
      }),
    },
  };
}
