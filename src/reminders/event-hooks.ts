import type { EventHookConfig, HookEvent } from "../config/config.ts";
import type { Edit } from "../domain/edit.ts";
import type { ItemKey, Revision } from "../domain/ids.ts";
import { type Item, spokenKind } from "../domain/item.ts";
import { isPrivate } from "../domain/visibility.ts";
import type { Delivery } from "../mail/mail.ts";
import type { WebhookMessage } from "../remote/webhook.ts";
import type { HookKey } from "../store/mails/hook-cursors.ts";
import type { Store } from "../store/store.ts";
import { retold } from "../texts/stored.ts";
import { isOpenTo } from "./recipients.ts";
import { type MailEnding, type MailTopic, newMessageId, sendOnce } from "./send-once.ts";

/** Result of a message to a webhook for events. */
export type HookMessageEvent = { readonly hook: string; readonly messageId: string } & MailEnding;

/** What messages say, in words. */
export interface HookWords {
  /** The fields in which two versions of an item differ. */
  readonly changes: (
    before: Item,
    after: Item,
  ) => readonly { readonly name: string; readonly from: string; readonly to: string }[];
  /** What an edit does. */
  readonly sentence: (edit: Edit) => string;
}

interface EventHooksDeps {
  readonly store: Store;
  /** The present configuration. */
  readonly hooks: () => readonly EventHookConfig[];
  readonly words: HookWords;
  /** Posts a message; never rejects. */
  readonly post: (hook: EventHookConfig, message: WebhookMessage) => Promise<Delivery>;
  /** Public URL of the pages, without a trailing slash; null if there is none. */
  readonly publicUrl: string | null;
  readonly clock: () => Temporal.Instant;
  readonly random: () => number;
  readonly onEvent: (event: HookMessageEvent) => void;
}

/** Something to tell a webhook. */
interface Telling extends MailTopic<HookKey> {
  readonly message: WebhookMessage;
}

/** A message delayed longer than this is dropped. */
const retryFor = Temporal.Duration.from({ hours: 72 });
/** Items that are compared in one step. */
const most = 200;

/**
 * Tells webhooks of changed items, slipped milestones and parked edits, each once and in the order of the changes. While a
 * receiver does not answer, its changes wait, and several of one item become one.
 */
export function createEventHooks(deps: EventHooksDeps) {
  const { store, onEvent } = deps;

  async function tell(hook: EventHookConfig, telling: Telling): Promise<MailEnding | null> {
    const { message } = telling;
    const [result] = await sendOnce<HookKey, Telling, WebhookMessage>(
      {
        things: [telling],
        messageId: `<${message.id}>`,
        address: hook.name,
        compose: () => message,
      },
      { ...deps, queue: store.hookCursors, mailer: { send: (one) => deps.post(hook, one) } },
    );
    if (result) onEvent({ hook: hook.name, messageId: message.id, ...result.ending });
    return result?.ending ?? null;
  }

  /** True if something was sent. */
  async function tellItems(hook: EventHookConfig, signal: AbortSignal): Promise<boolean> {
    const { changes, hookCursors } = store;
    const known = hookCursors.revisionOf(hook.name);
    const latest = changes.latest();
    if (known === null) {
      hookCursors.begin(hook.name, latest);
      return false;
    }
    // What is no longer in the log cannot be sent.
    if (known < changes.completeFrom()) hookCursors.move(hook.name, latest);
    if (known >= latest || known < changes.completeFrom()) return false;
    let isSent = false;
    for (const { item, revision } of changes.changedAfter(known).slice(0, most)) {
      if (signal.aborted) return isSent;
      const telling = changeOf(item, { since: known, revision }, { hook, ...deps });
      const isSettled = telling === null || isOver(store, telling.key);
      const ending = isSettled ? null : await tell(hook, telling);
      if (!isSettled && (ending === null || ending.kind === "deferred")) return isSent;
      isSent ||= ending !== null;
      hookCursors.move(hook.name, revision);
    }
    return isSent;
  }

  async function tellEdits(hook: EventHookConfig, signal: AbortSignal): Promise<boolean> {
    let isSent = false;
    for (const edit of store.hookCursors.parkedFor(hook.name)) {
      const telling = parkingOf(edit, { hook, ...deps });
      if (signal.aborted || !telling) continue;
      isSent = (await tell(hook, telling)) !== null || isSent;
    }
    return isSent;
  }

  return {
    /** Sends what is due; "idle" if nothing was. Not reentrant. */
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      let isSent = false;
      for (const hook of deps.hooks()) {
        isSent = (await tellItems(hook, signal)) || isSent;
        isSent = (await tellEdits(hook, signal)) || isSent;
      }
      return isSent ? "worked" : "idle";
    },
  };
}

const isOver = ({ hookCursors }: Store, key: HookKey): boolean => {
  const row = hookCursors.get(key);
  return row?.state === "sent" || row?.state === "rejected";
};

interface Context extends Pick<EventHooksDeps, "store" | "words" | "publicUrl" | "clock"> {
  readonly hook: EventHookConfig;
}

/** What has become of an item since a revision; null if the webhook does not want to know. */
function changeOf(
  item: ItemKey,
  { since, revision }: { readonly since: Revision; readonly revision: Revision },
  context: Context,
): Telling | null {
  const { store, words } = context;
  const [first, ...later] = store.view.versionsFrom(item, since);
  const before = first && first.revision <= since ? first.item : null;
  const after = store.view.get(item)?.item ?? null;
  if (!first && later.length === 0 && !after) return null;
  const shown = after ?? before;
  if (!shown || !concerns(shown, context)) return null;
  const changes = before && after ? words.changes(before, after) : [];
  if (before && after && changes.length === 0) return null;
  const event = eventOf(before, after);
  const wanted = context.hook.events;
  const type = wanted.includes(event) ? event : "item.changed";
  if (!wanted.includes(type)) return null;
  const change = before === null ? "created" : after === null ? "deleted" : "changed";
  const { uid } = store.mirror.identity(item);
  const data = {
    change,
    item: describeItem(shown, { uid, key: item }, context),
    changes,
  };
  const occasion = String(revision);
  return tellingOf({ about: "item", subject: item, occasion }, { type, data, shown }, context);
}

/** A milestone that moves to a later day has slipped. */
function eventOf(before: Item | null, after: Item | null): HookEvent {
  const [from, to] = [before, after].map((item) =>
    item?.kind === "event" && item.milestone && item.when.kind === "dates" ? item.when.start : null,
  );
  return from && to && Temporal.PlainDate.compare(from, to) < 0
    ? "milestone.slipped"
    : "item.changed";
}

/** A parked edit; null if the webhook does not want to know. */
function parkingOf(edit: Edit, context: Context): Telling | null {
  const type = edit.parkReason === "conflict" ? "edit.conflict" : "edit.parked";
  if (!context.hook.events.includes(type) || !concerns(edit.base, context)) return null;
  const { id, state, parkReason: reason } = edit;
  const problem = edit.problem === null ? null : retold(edit.problem);
  const sentence = context.words.sentence(edit);
  const url = context.publicUrl === null ? null : `${context.publicUrl}/edits/${id}`;
  const data = { edit: { id, state, reason, problem, sentence, url } };
  const key = { about: "edit", subject: edit.id, occasion: edit.updatedAt.toString() } as const;
  return tellingOf(key, { type, data, shown: edit.base }, context);
}

/** Private items are sent only to the webhook of a person who sees them. */
function concerns(item: Item, { hook, store }: Context): boolean {
  const { project, person } = hook;
  if (project !== null && item.projectId !== project) return false;
  if (person !== null)
    return item.assigned.includes(person) && isOpenTo(person, item, store.directory);
  const list = store.directory.listOf(item);
  return !isPrivate(item, list);
}

function describeItem(
  item: Item,
  { uid, key }: { readonly uid: string; readonly key: ItemKey },
  { store, publicUrl }: Context,
) {
  const { projectId, title } = item;
  return {
    ...{ uid, kind: spokenKind(item), title },
    project: { id: projectId, title: store.directory.project(projectId)?.title ?? "" },
    url: publicUrl === null ? null : `${publicUrl}/calendar/items/${key}`,
  };
}

function tellingOf(
  about: Omit<HookKey, "hook">,
  { type, data, shown }: { readonly type: HookEvent; readonly data: object; readonly shown: Item },
  { hook, store, clock }: Context,
): Telling {
  const key = { hook: hook.name, ...about };
  const parts = ["hook", key.hook, key.about, key.subject, key.occasion];
  const id = newMessageId(parts, store.meta.installation).slice(1, -1);
  const at = clock();
  return {
    key,
    lapsesAt: at.add(retryFor),
    message: {
      ...{ id, title: shown.title, text: `${type}: ${shown.title}` },
      ...{ priority: 3, tags: [], click: null },
      data: { type, id, at: at.toString({ smallestUnit: "second" }), ...data },
    },
  };
}
