import { type IncomingItem, oneLine, underUid, wholeDay } from "@dayferry/ical";
import { customDatesOf, customDateTitle, readCustomDateUid } from "../../domain/custom-date.ts";
import { type Edit, visibleStates } from "../../domain/edit.ts";
import { isOwnUid } from "../../domain/identity.ts";
import { revision } from "../../domain/ids.ts";
import { type Item, privateTitle } from "../../domain/item.ts";
import { sameText, sameWhen } from "../../domain/same-values.ts";
import type { Reader } from "../../domain/visibility.ts";
import { readSummary } from "../../ics/text/decoration.ts";
import { problemInWords } from "../../ics/text/problem-in-words.ts";
import type { IdentityRow } from "../../store/rows/item-rows.ts";
import type { View } from "../../store/view/view.ts";
import { say } from "../../texts/say.ts";
import { changesOf } from "../field-changes.ts";
import { diffItem } from "./diff-item.ts";
import { type ItemPlan, refusal, type Situation } from "./item-plan.ts";
import { planKnown, shownBase } from "./plan-known.ts";
import { planNew, refuseCancel } from "./plan-new.ts";
import { quote } from "./plan-part.ts";

/** Plans one item of a file; reads the store and writes nothing. */
export function planItem(given: IncomingItem, situation: Situation): ItemPlan {
  if (given.problems.length > 0)
    return refusal(given, { reasons: given.problems.map(problemInWords) });
  const { store, calendar } = situation;
  const isHidden = situation.hides(given.uid);
  const custom = isHidden ? null : planCustomDate(given, situation);
  if (custom) return custom;
  const identity = isHidden ? null : store.mirror.findUid(given.uid);
  const isRenamed = identity !== null && identity.uid !== given.uid;
  const incoming = isRenamed ? underUid(given, identity.uid) : given;
  const viewed = identity && store.view.get(identity.item);
  // CalDAV has DELETE for that. There, a cancelled item is just displayed as cancelled.
  const isStruck = incoming.status === "CANCELLED" && situation.channel !== "caldav";
  const cancelled = calendar.method === "CANCEL" || isStruck;
  if (viewed) return planKnown(incoming, { viewed, cancelled, situation });
  if (identity && !cancelled && isUnread(identity, situation)) return refuseUnread(incoming);
  if (identity) return planAbsent(incoming, { identity, cancelled, situation });
  if (cancelled) return refuseCancel(incoming);
  const isOwn = isOwnUid(incoming.uid, store.meta.installation);
  // A UID chosen by a program is unique. A hidden one is refused only when it would be used.
  const isTaken = isHidden && !situation.dryRun;
  return isOwn || isTaken
    ? refuseGone(incoming, { identity, situation })
    : planNew(incoming, { situation });
}

/**
 * True if the database replaced by a restore had the item and this one has not read it yet: it probably still exists, and
 * creating it would make a duplicate. Ends when every list has been read once.
 */
function isUnread({ item, serviceId }: IdentityRow, { store }: Situation): boolean {
  if (serviceId === null || !store.rounds.isReconciling()) return false;
  return store.view.versionsFrom(item, revision(0)).at(-1)?.item != null;
}

function refuseUnread(incoming: IncomingItem): ItemPlan {
  const message = say("intake.notRead");
  return refusal(incoming, { reasons: [{ line: incoming.line, code: "not-read", message }] });
}

interface Absent {
  readonly identity: IdentityRow;
  readonly cancelled: boolean;
  readonly situation: Situation;
}

/** An item with a known UID that is not visible: deleted, being deleted, or not created yet. */
function planAbsent(incoming: IncomingItem, { identity, cancelled, situation }: Absent): ItemPlan {
  const { store } = situation;
  const edits = store.pastEdits.ofItem(identity.item);
  const lived = edits.some(({ state }) => !["held", "parked", "discarded"].includes(state));
  const isOwn = isOwnUid(incoming.uid, store.meta.installation);
  if (identity.serviceId !== null || lived || isOwn) {
    if (!cancelled && situation.recreate)
      return planRecreation(incoming, { identity, situation }, edits);
    if (!cancelled) return refuseGone(incoming, { identity, situation });
    return { ...refusal(incoming, { reasons: [] }), ending: { kind: "unchanged" } };
  }
  const waiting =
    edits.find(({ action, state }) => {
      return action === "create" && (state === "held" || state === "parked");
    }) ?? null;
  if (!cancelled) return planNew(incoming, { situation, recreated: { identity, waiting } });
  if (!waiting) return refuseCancel(incoming);
  const message = say("intake.creationHeld", { edit: String(waiting.id) });
  return refusal(incoming, { reasons: [{ line: incoming.line, code: "waiting", message }] });
}

/**
 * A deletion that was not sent yet is withdrawn by its own editor, if the item can go to the named place; otherwise the item is
 * recreated.
 */
function planRecreation(
  incoming: IncomingItem,
  { identity, situation }: Pick<Absent, "identity" | "situation">,
  edits: readonly Edit[],
): ItemPlan {
  const open = edits.find(
    ({ action, state }) => action === "delete" && visibleStates.includes(state),
  );
  if (!open) {
    return planNew(incoming, { situation, recreated: { identity, waiting: null, isGone: true } });
  }
  const last = situation.store.view.history(identity.item, situation.actor).at(-1);
  // Before each request, a deletion records what it finds, and stops if it was withdrawn.
  const isUnsent = open.before === null;
  if (!isUnsent || open.actor !== situation.actor || !last || !canGo(last, situation)) {
    return planNew(incoming, { situation, recreated: { identity, waiting: null } });
  }
  const viewed = { key: identity.item, item: last };
  return planKnown(incoming, { viewed, cancelled: false, situation, withdraws: open.id });
}

/** True if the former item may go, or stay, where a new one would be put. Subtasks are where their task is. */
function canGo(item: Item, { store, projectId, listId, newAs }: Situation): boolean {
  if (item.kind === "event")
    return listId === null && (newAs === null || item.projectId === projectId);
  if (item.kind === "task") return listId !== null;
  const above = item.parentId === null ? null : store.mirror.find("task", item.parentId);
  const task = (above === null ? null : store.view.get(above)?.item) ?? item;
  return task.kind !== "event" && task.listId === listId;
}

/** A deleted item is never silently recreated. The refusal shows what the file wanted. */
function refuseGone(
  incoming: IncomingItem,
  about: { readonly identity: IdentityRow | null; readonly situation: Situation },
): ItemPlan {
  const { store, context, actor } = about.situation;
  const { identity } = about;
  const base = identity && lastShown(incoming, { identity, view: store.view, editor: actor });
  const changes = base ? changesOf(base, diffItem(incoming, base, context)) : [];
  const message = say("intake.gone");
  return refusal(incoming, {
    reasons: [{ line: incoming.line, code: "gone", message }],
    title: incoming.summary ?? base?.title ?? "",
    changes,
  });
}

/** What the editor saw, or the last version that anybody saw before the deletion raised SEQUENCE. */
function lastShown(
  incoming: IncomingItem,
  about: { readonly identity: IdentityRow; readonly view: View; readonly editor: Reader },
): Item | null {
  const { view, editor } = about;
  const { item: key, sequence } = about.identity;
  const seen = shownBase(incoming, { key, view, editor });
  return seen ?? view.shownAs(key, { sequence: sequence - 1, modifiedAt: null }, editor);
}

/**
 * The plan for a date in a task's custom field, which feeds show read-only; null for every other item. An unchanged one is no
 * edit, as a whole feed may be sent back.
 */
function planCustomDate(incoming: IncomingItem, { store, calendar }: Situation): ItemPlan | null {
  const named = readCustomDateUid(incoming.uid);
  const task = named && store.view.findUid(named.taskUid);
  if (!named || !task || task.item.kind === "event") return null;
  const { item } = task;
  const date = customDatesOf(item).find(({ id }) => id === named.field);
  const isCancelled = calendar.method === "CANCEL" || incoming.status === "CANCELLED";
  const title = customDateTitle(item.title, date?.title ?? `field ${named.field}`);
  if (date && !isCancelled && isShown(incoming, title, date.on)) {
    return { ...refusal(incoming, { reasons: [], title }), ending: { kind: "unchanged" } };
  }
  const message = say("intake.customField", { task: quote(item.title) });
  return refusal(incoming, {
    reasons: [{ line: incoming.line, code: "custom-field", message }],
    title: incoming.summary ?? title,
  });
}

/** A private item has another title if so configured. */
function isShown({ summary, when }: IncomingItem, title: string, on: Temporal.PlainDate): boolean {
  const said = summary === undefined ? title : readSummary(summary).title;
  const isTitle = sameText(said, oneLine(title)) || said === privateTitle;
  return isTitle && (when === undefined || sameWhen(when, wholeDay(on)));
}
