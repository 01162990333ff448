import type { Edit } from "../domain/edit.ts";
import type { HookEvent, HookScope } from "../domain/hook-event.ts";
import type { ItemKey, PersonId, Revision } from "../domain/ids.ts";
import { type Item, spokenKind } from "../domain/item.ts";
import { isPrivate } from "../domain/visibility.ts";
import type { Delivery } from "../mail/mail.ts";
import type { WebhookMessage } from "../remote/webhook.ts";
import type { HookKey } from "../store/mails/hook-cursors.ts";
import type { Store } from "../store/store.ts";
import { retold } from "../texts/stored.ts";
import { isOpenTo } from "./recipients.ts";
import { type MailEnding, type MailTopic, newMessageId, sendOnce } from "./send-once.ts";

/** A webhook for events. */
export interface EventHook extends HookScope {
  /** Identifies it in the database and in logs. */
  readonly key: string;
}

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
  readonly hooks: () => readonly EventHook[];
  readonly words: HookWords;
  /** Posts a message; never rejects. */
  readonly post: (hook: EventHook, message: WebhookMessage) => Promise<Delivery>;
  /** Public URL of the pages, without a trailing slash; null if there is none. */
  readonly publicUrl: string | null;
  readonly clock: () => Temporal.Instant;
  readonly random: () => number;
  readonly onEvent: (event: HookMessageEvent) => void;
  /** Called when changes were skipped because they are no longer recorded. */
  readonly onSkipped: (hook: EventHook) => void;
}

/** A message about an item or an edit. */
interface Notice extends MailTopic<HookKey> {
  readonly message: WebhookMessage;
}

/** A message delayed longer than this is dropped. */
const retryFor = Temporal.Duration.from({ hours: 72 });
/** Items that are compared in one step. */
const most = 200;

/**
 * Sends changed items, slipped milestones and parked edits to webhooks, each once and in the order of the changes. While a
 * receiver does not answer, its changes wait, and several of one item become one.
 */
export function createEventHooks(deps: EventHooksDeps) {
  const { store, onEvent } = deps;

  async function send(hook: EventHook, notice: Notice): Promise<MailEnding | null> {
    const { message } = notice;
    const [result] = await sendOnce<HookKey, Notice, WebhookMessage>(
      {
        things: [notice],
        messageId: `<${message.id}>`,
        address: hook.key,
        compose: () => message,
      },
      { ...deps, queue: store.hookCursors, mailer: { send: (one) => deps.post(hook, one) } },
    );
    if (result) onEvent({ hook: hook.key, messageId: message.id, ...result.ending });
    return result?.ending ?? null;
  }

  /** True if something was sent. */
  async function sendItems(hook: EventHook, signal: AbortSignal): Promise<boolean> {
    const { changes, hookCursors } = store;
    const known = hookCursors.find(hook.key)?.revision;
    const latest = changes.latest();
    if (known === undefined) {
      hookCursors.begin(hook.key, latest);
      return false;
    }
    if (known < changes.completeFrom()) {
      hookCursors.skip(hook.key, latest);
      deps.onSkipped(hook);
      return false;
    }
    if (known >= latest) return false;
    let isSent = false;
    for (const { item, revision } of changes.changedAfter(known).slice(0, most)) {
      if (signal.aborted) return isSent;
      const notice = changeOf(item, { since: known, revision }, { hook, ...deps });
      const isSettled = notice === null || isOver(store, notice.key);
      const ending = isSettled ? null : await send(hook, notice);
      if (!isSettled && (ending === null || ending.kind === "deferred")) return isSent;
      isSent ||= ending !== null;
      hookCursors.move(hook.key, { item, revision });
    }
    return isSent;
  }

  async function sendEdits(hook: EventHook, signal: AbortSignal): Promise<boolean> {
    let isSent = false;
    for (const edit of store.hookCursors.parkedFor(hook.key)) {
      const notice = parkingOf(edit, { hook, ...deps });
      if (signal.aborted || !notice) continue;
      isSent = (await send(hook, notice)) !== null || isSent;
    }
    return isSent;
  }

  return {
    /** Sends what is due; "idle" if nothing was. Not reentrant. */
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      let isSent = false;
      for (const hook of deps.hooks()) {
        isSent = (await sendItems(hook, signal)) || isSent;
        isSent = (await sendEdits(hook, signal)) || isSent;
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
  readonly hook: EventHook;
}

/** How an item changed since a revision; null if the webhook does not receive it. */
function changeOf(
  item: ItemKey,
  { since, revision }: { readonly since: Revision; readonly revision: Revision },
  context: Context,
): Notice | null {
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
  return noticeOf({ about: "item", subject: item, occasion }, { type, data, shown }, context);
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

/** A parked edit; null if the webhook does not receive it. */
function parkingOf(edit: Edit, context: Context): Notice | null {
  const type = edit.parkReason === "conflict" ? "edit.conflict" : "edit.parked";
  if (!context.hook.events.includes(type) || !concerns(edit.base, context, edit.actor)) return null;
  const { id, state, parkReason: reason } = edit;
  const problem = edit.problem === null ? null : retold(edit.problem);
  const sentence = context.words.sentence(edit);
  const url = context.publicUrl === null ? null : `${context.publicUrl}/edits/${id}`;
  const data = { edit: { id, state, reason, problem, sentence, url } };
  const key = { about: "edit", subject: edit.id, occasion: edit.updatedAt.toString() } as const;
  return noticeOf(key, { type, data, shown: edit.base }, context);
}

/** Private items are sent only to the webhook of a person who sees them. `actor`: whose edit of the item it is about. */
function concerns(item: Item, { hook, store }: Context, actor: PersonId | null = null): boolean {
  const { project, person } = hook;
  if (project !== null && item.projectId !== project) return false;
  if (person !== null) {
    const isOwn = item.assigned.includes(person) || actor === person;
    return isOwn && isOpenTo(person, item, store.directory);
  }
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

function noticeOf(
  about: Omit<HookKey, "hook">,
  { type, data, shown }: { readonly type: HookEvent; readonly data: object; readonly shown: Item },
  { hook, store, clock }: Context,
): Notice {
  const key = { hook: hook.key, ...about };
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
