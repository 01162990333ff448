import { type IncomingItem, type When, wholeDay } from "@dayferry/ical";
import { blankEvent, blankTask } from "../../domain/blank-item.ts";
import type { Edit } from "../../domain/edit.ts";
import type { ItemKind } from "../../domain/fields.ts";
import type { ListId, PersonId, ProjectId, ServiceId } from "../../domain/ids.ts";
import { type Item, spokenKind, type TaskItem, untitled } from "../../domain/item.ts";
import { applyPatch, type Patch } from "../../domain/patch.ts";
import type { IdentityRow } from "../../store/rows/item-rows.ts";
import { say } from "../../texts/say.ts";
import { changesOf, sameWish } from "../field-changes.ts";
import { diffItem, onWholeDays } from "./diff-item.ts";
import { dayOfTodo, serviceTimes } from "./diff-times.ts";
import { type EditDraft, type ItemPlan, refusal, type Situation } from "./item-plan.ts";
import { parentOf, type TaskPlace } from "./parent-of.ts";
import {
  type DiffContext,
  joinParts,
  type Note,
  type PlanPart,
  refuse,
  wish,
} from "./plan-part.ts";

/** An identity whose creation never reached the service, and the edit that still waits for a person, if any. */
interface Recreated {
  readonly identity: IdentityRow;
  readonly waiting: Edit | null;
  /** True if the item was permanently deleted, so that the service no longer knows it. */
  readonly isGone?: boolean;
}

/** What the plan of a creation depends on; `recreated` if the UID was used before. */
interface NewItem {
  readonly situation: Situation;
  readonly recreated?: Recreated;
}

/**
 * The plan for an item that the workspace does not have: the creation of an event, a milestone, a task or a subtask, unless the
 * file gives no place or title, is a cancellation, or an earlier creation with the same UID waits for a person. The plan
 * contains refusals.
 */
export function planNew(incoming: IncomingItem, asked: NewItem): ItemPlan {
  if (incoming.status === "CANCELLED") return refuseCancel(incoming);
  const drafted = draftItem(incoming, asked.situation);
  if ("code" in drafted) return refusal(incoming, { reasons: [drafted] });
  const { item, part } = drafted;
  const { title } = item;
  const notes = [
    ...part.notes,
    ...(drafted.item.kind === "event" ? [] : parentNotes(incoming, asked.situation)),
  ];
  const kind = spokenKind(item);
  const changes = changesOf(null, part);
  const reasons = [...part.refusals, ...kindRefusals(incoming, item.kind, asked)];
  if (reasons.length > 0) {
    return refusal(incoming, { reasons, notes, kind, title, changes });
  }
  const { recreated } = asked;
  const edit: EditDraft = {
    action: "create",
    item: recreated?.identity.item ?? { kind: item.kind, uid: incoming.uid },
    base: item,
    patch: part.patch,
    newLabels: part.newLabels,
    replaces: null,
    ...(drafted.parentUid !== undefined && { parentUid: drafted.parentUid }),
    ...(recreated?.isGone && { recreates: true }),
  };
  const plan: ItemPlan = {
    incoming,
    kind,
    title,
    changes,
    refusals: [],
    notes,
    ending: { kind: "edit", edit },
  };
  if (!recreated?.waiting) return plan;
  const { channel, actor } = asked.situation;
  return planBesideWaiting(plan, {
    edit,
    waiting: recreated.waiting,
    isAsked: channel === "caldav",
    actor,
  });
}

/** The refusal of a cancellation with an unknown UID. */
export function refuseCancel(incoming: IncomingItem): ItemPlan {
  const message = say("intake.nothingToCancel");
  return refusal(incoming, { reasons: [{ line: incoming.line, code: "unknown-uid", message }] });
}

interface PlacedDraft extends Draft {
  /** UID of the parent task, if that has no id yet. */
  readonly parentUid?: string;
}

/** The item to be created, or why it has no place. */
function draftItem(incoming: IncomingItem, situation: Situation): PlacedDraft | Note {
  const { context, projectId, actor, at, newAs } = situation;
  if (incoming.component === "VEVENT" || newAs === "milestone") {
    if (projectId === null) return noProjectNote(incoming);
    return draftEvent(incoming, { origin: { projectId, actor, at }, context });
  }
  const place = placeOfTask(incoming, situation);
  if ("code" in place) return place;
  const { parentUid } = place;
  const origin: Origin = { projectId: place.projectId, actor, at };
  const drafted = draftTask(incoming, { ...place, origin, context });
  return parentUid === undefined ? drafted : { ...drafted, parentUid };
}

function noProjectNote({ line }: IncomingItem): Note {
  return { line, code: "no-project", message: say("intake.noProject") };
}

/** The project, list and parent of a new task, or why it has no place. */
function placeOfTask(incoming: IncomingItem, situation: Situation): TaskPlace | Note {
  const fault = (code: string, message: string): Note => ({ line: incoming.line, code, message });
  const parent = parentOf(incoming, situation);
  if (parent.kind === "known") return parent.place;
  const { store, projectId, listId } = situation;
  if (projectId === null) return noProjectNote(incoming);
  if (listId === null) {
    return fault("no-list", say("intake.noList"));
  }
  const list = store.directory.todolist(listId);
  if (list?.projectId !== projectId) {
    const names = { project: String(projectId), list: String(listId) };
    return fault("wrong-list", say("intake.wrongList", names));
  }
  const place = { projectId, listId, parentId: null, kind: "task" } as const;
  return parent.kind === "awaited" ? { ...place, parentUid: parent.uid } : place;
}

/** Where and by whom an item is created. */
interface Origin {
  readonly projectId: ProjectId;
  readonly actor: PersonId | null;
  readonly at: Temporal.Instant;
}

/** An item to be created, and the fields to send. */
interface Draft {
  readonly item: Item;
  readonly part: PlanPart;
}

/**
 * A new event or milestone; from a to-do always a milestone on its due day. Refused without a start or a title, which the
 * service requires.
 */
function draftEvent(
  incoming: IncomingItem,
  { origin, context }: { readonly origin: Origin; readonly context: DiffContext },
): Draft {
  const today = origin.at.toZonedDateTimeISO(context.zone).toPlainDate();
  const isTodo = incoming.component === "VTODO";
  const { zone, decorated } = context;
  const whole = onWholeDays(incoming, { zone, timed: !decorated });
  const spoken = isTodo ? dayOfTodo(whole) : incoming.when;
  const when: When = spoken ? serviceTimes(spoken, context.zone) : wholeDay(today);
  const blank = { ...blankEvent({ ...originOf(origin), when }), milestone: isTodo };
  const part = diffItem(incoming, blank, context);
  const message = say(isTodo ? "intake.milestoneNeedsDay" : "intake.eventNeedsStart");
  const missing = refuse({ line: incoming.line, code: "no-start", message });
  const marks = isTodo ? { milestone: true } : {};
  const patch = { ...part.patch, ...marks, when: part.patch.when ?? when };
  const full = { ...part, patch };
  const draft = { blank, part: spoken ? full : joinParts([full, missing]), context };
  return withTitle(incoming, draft);
}

/** A new task or subtask; `parentId` is null if its task has no id yet. Refused without a title. */
function draftTask(
  incoming: IncomingItem,
  about: {
    readonly origin: Origin;
    readonly context: DiffContext;
    readonly listId: ListId;
    readonly parentId: ServiceId | null;
    readonly kind: TaskItem["kind"];
  },
): Draft {
  const { origin, context, listId, parentId, kind } = about;
  const blank = blankTask({ ...originOf(origin), kind, listId, parentId });
  return withTitle(incoming, { blank, part: diffItem(incoming, blank, context), context });
}

const originOf = ({ projectId, actor, at }: Origin) => ({
  projectId,
  creatorId: actor,
  createdAt: at.round({ smallestUnit: "second", roundingMode: "floor" }),
});

function withTitle(
  incoming: IncomingItem,
  {
    blank,
    part,
    context,
  }: { readonly blank: Item; readonly part: PlanPart; readonly context: DiffContext },
): Draft {
  const patch: Patch = part.patch;
  const item = applyPatch(blank, patch);
  if (patch.title !== undefined || part.refusals.some(({ code }) => code === "no-title")) {
    return { item, part };
  }
  // A calendar program may show an item without a title, which is created as untitled. A file must have one.
  if (!context.decorated) {
    const title = { title: untitled };
    return { item: applyPatch(item, title), part: joinParts([part, wish(title)]) };
  }
  const message = say("intake.newNeedsTitle");
  const untitledRefusal = refuse({ line: incoming.line, code: "no-title", message });
  return { item, part: joinParts([part, untitledRefusal]) };
}

function parentNotes(incoming: IncomingItem, situation: Situation): readonly Note[] {
  const remark = parentOf(incoming, situation).remark;
  if (incoming.component !== "VTODO" || remark === null) return [];
  return [{ line: incoming.line, code: "not-stored", message: remark }];
}

function kindRefusals(incoming: IncomingItem, kind: ItemKind, asked: NewItem): readonly Note[] {
  const { identity, isGone = false } = asked.recreated ?? {};
  const before = identity?.kind;
  if (before === undefined || before === kind) return [];
  // An item that the service does not know may still become a task or a subtask.
  const mayChangeKind = identity?.serviceId === null || isGone;
  if (mayChangeKind && before !== "event" && kind !== "event") return [];
  const kinds = { before: say(`kind.${before}`), kind: say(`kind.${kind}`) };
  const message = say("intake.uidOfOtherKind", kinds);
  return [{ line: incoming.line, code: "kind", message }];
}

/**
 * The plan if an earlier creation with the same UID waits for a person: the same edit is not stored twice. `isAsked`: the
 * editor is answered that the item exists, so a failed creation is retried and not left parked.
 */
function planBesideWaiting(
  plan: ItemPlan,
  about: {
    readonly edit: EditDraft;
    readonly waiting: Edit;
    readonly isAsked: boolean;
    readonly actor: PersonId | null;
  },
): ItemPlan {
  const { edit, waiting, isAsked } = about;
  const { id, state, parkReason, problem, sentAt } = waiting;
  const { incoming, kind, title, changes } = plan;
  const note = (code: string, message: string): Note => ({
    line: plan.incoming.line,
    code,
    message,
  });
  const named = { edit: String(id), problem: problem ?? "" };
  const isOther = isAsked && waiting.actor !== about.actor;
  if (sameWish(waiting, edit) && (state === "held" || !isAsked) && !isOther) {
    const waits = note(
      "waiting",
      say(problem === null ? "intake.creationWaits" : "intake.creationWaitsWhy", named),
    );
    return {
      ...plan,
      notes: [...plan.notes, waits],
      ending: { kind: "waits", action: "create", editId: id },
    };
  }
  if (isOther && state === "held") {
    const message = say("intake.otherWaits");
    return refusal(incoming, { reasons: [note("waiting", message)], kind, title, changes });
  }
  const isUnsent = parkReason === "failed" && sentAt === null;
  if (state === "held" || parkReason === "refused" || isUnsent) {
    const message = say(problem === null ? "intake.replaces" : "intake.replacesWhy", named);
    const replaced = note("replaces", message);
    const ending = { kind: "edit", edit: { ...edit, replaces: id } } as const;
    return { ...plan, notes: [...plan.notes, replaced], ending };
  }
  const message = say("intake.creationUnknown", { edit: String(id) });
  return refusal(incoming, { reasons: [note("waiting", message)], kind, title, changes });
}
