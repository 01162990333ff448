import { type IncomingItem, oneLine, underUid, wholeDay } from "@dayferry/ical";
import { customDatesOf, customDateTitle, readCustomDateUid } from "../../domain/custom-date.ts";
import { type Edit, visibleStates } from "../../domain/edit.ts";
import { isOwnUid } from "../../domain/identity.ts";
import { revision } from "../../domain/ids.ts";
import { type Item, privateTitle } from "../../domain/item.ts";
import { sameText, sameWhen } from "../../domain/same-values.ts";
import type { Reader } from "../../domain/sight.ts";
import { readSummary } from "../../ics/text/decoration.ts";
import type { IdentityRow } from "../../store/rows/item-rows.ts";
import type { View } from "../../store/view/view.ts";
import { changesOf } from "../field-changes.ts";
import { diffItem } from "./diff-item.ts";
import { type ItemPlan, refusal, type Situation } from "./item-plan.ts";
import { planKnown, shownBase } from "./plan-known.ts";
import { planNew, refuseCancel } from "./plan-new.ts";

/** What is to become of one item of a file; reads the store and writes nothing. */
export function planItem(given: IncomingItem, situation: Situation): ItemPlan {
  if (given.problems.length > 0) return refusal(given, { reasons: given.problems });
  const { store, calendar } = situation;
  const isHidden = situation.hides(given.uid);
  const custom = isHidden ? null : planCustomDate(given, situation);
  if (custom) return custom;
  const identity = isHidden ? null : store.mirror.findUid(given.uid);
  const isRenamed = identity !== null && identity.uid !== given.uid;
  const incoming = isRenamed ? underUid(given, identity.uid) : given;
  const viewed = identity && store.view.get(identity.item);
  // CalDAV has DELETE for that; there a cancelled item is one that is shown as cancelled.
  const isStruck = incoming.status === "CANCELLED" && situation.channel !== "caldav";
  const cancelled = calendar.method === "CANCEL" || isStruck;
  if (viewed) return planKnown(incoming, { viewed, cancelled, situation });
  if (identity && !cancelled && isUnread(identity, situation)) return refuseUnread(incoming);
  if (identity) return planAbsent(incoming, { identity, cancelled, situation });
  if (cancelled) return refuseCancel(incoming);
  const isOwn = isOwnUid(incoming.uid, store.meta.installation);
  // A UID of some program's own can be taken once: one that is hidden is refused where it would be taken, and not before.
  const isTaken = isHidden && !situation.dryRun;
  return isOwn || isTaken
    ? refuseGone(incoming, { identity, situation })
    : planNew(incoming, { situation });
}

/**
 * Whether the database that a restore has replaced had the item, which this one has not read yet: it is probably still in the
 * workspace, and creating it would make a duplicate. Settled when every list has been read once.
 */
function isUnread({ item, serviceId }: IdentityRow, { store }: Situation): boolean {
  if (serviceId === null || !store.rounds.isReconciling()) return false;
  return store.view.versionsFrom(item, revision(0)).at(-1)?.item != null;
}

function refuseUnread(incoming: IncomingItem): ItemPlan {
  const message =
    "a backup was just restored, and this item has not been read again: send it once more in a minute";
  return refusal(incoming, { reasons: [{ line: incoming.line, code: "not-read", message }] });
}

interface Absent {
  readonly identity: IdentityRow;
  readonly cancelled: boolean;
  readonly situation: Situation;
}

/** An item whose UID is known and that nobody is shown: deleted, being deleted, or not created yet. */
function planAbsent(incoming: IncomingItem, { identity, cancelled, situation }: Absent): ItemPlan {
  const { store } = situation;
  const edits = store.pastEdits.ofItem(identity.item);
  const lived = edits.some(({ state }) => !["held", "parked", "discarded"].includes(state));
  const isOwn = isOwnUid(incoming.uid, store.meta.installation);
  if (identity.serviceId !== null || lived || isOwn) {
    if (!cancelled && situation.recreate)
      return planRecreation(incoming, { identity, edits, situation });
    if (!cancelled) return refuseGone(incoming, { identity, situation });
    return { ...refusal(incoming, { reasons: [] }), ending: { kind: "unchanged" } };
  }
  const waiting =
    edits.find(({ action, state }) => {
      return action === "create" && (state === "held" || state === "parked");
    }) ?? null;
  if (!cancelled) return planNew(incoming, { situation, recreated: { identity, waiting } });
  if (!waiting) return refuseCancel(incoming);
  const message = `its creation waits for a person as edit ${waiting.id}; discard that instead`;
  return refusal(incoming, { reasons: [{ line: incoming.line, code: "waiting", message }] });
}

/**
 * A deletion of which no request has left yet is taken back by whoever asked for it, where the item can go to the place
 * that is named; after any other one the item is made again.
 */
function planRecreation(
  incoming: IncomingItem,
  about: {
    readonly identity: IdentityRow;
    readonly edits: readonly Edit[];
    readonly situation: Situation;
  },
): ItemPlan {
  const { identity, edits, situation } = about;
  const open = edits.find(
    ({ action, state }) => action === "delete" && visibleStates.includes(state),
  );
  if (!open) {
    return planNew(incoming, { situation, recreated: { identity, waiting: null, isGone: true } });
  }
  const last = situation.store.view.history(identity.item, situation.actor).at(-1);
  // Before each request a deletion notes what it meets, and goes no further once it was taken back.
  const isUnsent = open.before === null;
  if (!isUnsent || open.actor !== situation.actor || !last || !canGo(last, situation)) {
    return planNew(incoming, { situation, recreated: { identity, waiting: null } });
  }
  const viewed = { key: identity.item, item: last };
  return planKnown(incoming, { viewed, cancelled: false, situation, withdraws: open.id });
}

/** Whether the item that was there may go, or stay, where a new one would be put; subtasks are where their task is. */
function canGo(item: Item, { store, projectId, listId, newAs }: Situation): boolean {
  if (item.kind === "event")
    return listId === null && (newAs === null || item.projectId === projectId);
  if (item.kind === "task") return listId !== null;
  const above = item.parentId === null ? null : store.mirror.find("task", item.parentId);
  const task = (above === null ? null : store.view.get(above)?.item) ?? item;
  return task.kind !== "event" && task.listId === listId;
}

/** A deleted item is never made anew silently; what the file wished for it is shown. */
function refuseGone(
  incoming: IncomingItem,
  about: { readonly identity: IdentityRow | null; readonly situation: Situation },
): ItemPlan {
  const { store, context, actor } = about.situation;
  const { identity } = about;
  const base = identity && lastShown(incoming, { identity, view: store.view, editor: actor });
  const changes = base ? changesOf(base, diffItem(incoming, base, context)) : [];
  const message = "the item is no longer in the workspace: it was deleted there meanwhile";
  return refusal(incoming, {
    reasons: [{ line: incoming.line, code: "gone", message }],
    title: incoming.summary ?? base?.title ?? "",
    changes,
  });
}

/** What the editor saw, or else the last that anybody was shown before the burial raised SEQUENCE. */
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
 * The plan for a date of a task's custom field, which feeds show and nobody can change there; null for every other item.
 * What says nothing new is no edit, as a whole feed may come back.
 */
function planCustomDate(incoming: IncomingItem, { store, calendar }: Situation): ItemPlan | null {
  const named = readCustomDateUid(incoming.uid);
  const task = named && store.view.findUid(named.taskUid);
  if (!named || !task || task.item.kind === "event") return null;
  const { item } = task;
  const date = customDatesOf(item).find(({ id }) => id === named.field);
  const isCancelled = calendar.method === "CANCEL" || incoming.status === "CANCELLED";
  const title = customDateTitle(item.title, date?.title ?? `field ${named.field}`);
  if (date && !isCancelled && isShown(incoming, { title, on: date.on })) {
    return { ...refusal(incoming, { reasons: [], title }), ending: { kind: "unchanged" } };
  }
  const message = `it shows a custom field of the task "${item.title}"; change the field in the workspace`;
  return refusal(incoming, {
    reasons: [{ line: incoming.line, code: "custom-field", message }],
    title: incoming.summary ?? title,
  });
}

/** A private item is shown by another title where the options say so. */
function isShown(
  { summary, when }: IncomingItem,
  { title, on }: { readonly title: string; readonly on: Temporal.PlainDate },
): boolean {
  const said = summary === undefined ? title : readSummary(summary).title;
  const isTitle = sameText(said, oneLine(title)) || said === privateTitle;
  return isTitle && (when === undefined || sameWhen(when, wholeDay(on)));
}
