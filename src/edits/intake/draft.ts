import type { ListId, PersonId, ProjectId, ServiceId } from "../../domain/ids.ts";
import { type EventItem, type Item, type TaskItem, untitled } from "../../domain/item.ts";
import { applyPatch, type Patch } from "../../domain/merge.ts";
import type { When } from "../../domain/when.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import { type DiffContext, diffItem } from "./diff.ts";
import { dayOfTodo, serviceTimes } from "./event-times.ts";
import { joinParts, type Part, refuse, wish } from "./part.ts";
import { onWholeDays } from "./whole-days.ts";

/** Where and by whom an item is to be created. */
export interface Birth {
  readonly projectId: ProjectId;
  readonly actor: PersonId | null;
  readonly at: Temporal.Instant;
}

/** An item that is to be created: as it will be, and what must be sent for it. */
export interface Draft {
  readonly item: Item;
  readonly part: Part;
}

/**
 * A new event or milestone; of a to-do always a milestone, on the day when it is due. Refused without a start or a title,
 * which the service needs.
 */
export function draftEvent(
  incoming: IncomingItem,
  { birth, context }: { readonly birth: Birth; readonly context: DiffContext },
): Draft {
  const today = birth.at.toZonedDateTimeISO(context.zone).toPlainDate();
  const isTodo = incoming.component === "VTODO";
  const { zone, decorated } = context;
  const whole = onWholeDays(incoming, { zone, timed: !decorated });
  const spoken = isTodo ? dayOfTodo(whole) : incoming.when;
  const when: When = spoken
    ? serviceTimes(spoken, context.zone)
    : { kind: "dates", start: today, end: today.add({ days: 1 }) };
  const blank: EventItem = {
    ...blankOf(birth),
    kind: "event",
    when,
    reminder: null,
    milestone: isTodo,
    private: false,
  };
  const part = diffItem(incoming, blank, context);
  const message = isTodo ? "a new milestone needs a day: a DUE" : "a new event needs a DTSTART";
  const missing = refuse({ line: incoming.line, code: "no-start", message });
  const marks = isTodo ? { milestone: true } : {};
  const patch = { ...part.patch, ...marks, when: part.patch.when ?? when };
  const full = { ...part, patch };
  const draft = { blank, part: spoken ? full : joinParts([full, missing]), context };
  return finish(incoming, draft);
}

/** A new task of a list, or a subtask; `parentId` is null where its task has no id yet. Refused without a title. */
export function draftTask(
  incoming: IncomingItem,
  about: {
    readonly birth: Birth;
    readonly context: DiffContext;
    readonly listId: ListId;
    readonly parentId: ServiceId | null;
    readonly kind: TaskItem["kind"];
  },
): Draft {
  const { birth, context, listId, parentId, kind } = about;
  const blank: TaskItem = {
    ...blankOf(birth),
    kind,
    listId,
    parentId,
    startOn: null,
    dueOn: null,
    estimated: null,
    logged: null,
    percent: 0,
    labels: [],
    completedAt: null,
    completedBy: null,
    subtaskCount: 0,
    commentCount: 0,
    rrule: null,
    ticket: null,
    stage: null,
    customFields: [],
  };
  return finish(incoming, { blank, part: diffItem(incoming, blank, context), context });
}

function blankOf({ projectId, actor, at }: Birth) {
  return {
    id: null,
    projectId,
    title: "",
    description: null,
    completed: false,
    assigned: [],
    creatorId: actor,
    byMe: true,
    createdAt: at.round({ smallestUnit: "second", roundingMode: "floor" }),
    updatedAt: null,
  } as const;
}

function finish(
  incoming: IncomingItem,
  {
    blank,
    part,
    context,
  }: { readonly blank: Item; readonly part: Part; readonly context: DiffContext },
): Draft {
  const patch: Patch = part.patch;
  const item = applyPatch(blank, patch);
  if (patch.title !== undefined || part.refusals.some(({ code }) => code === "no-title")) {
    return { item, part };
  }
  // What a calendar program shows without a title is kept without one; a file is asked for it.
  if (!context.decorated) {
    const title = { title: untitled };
    return { item: applyPatch(item, title), part: joinParts([part, wish(title)]) };
  }
  const message = "a new item needs a SUMMARY; the service needs a title";
  const nameless = refuse({ line: incoming.line, code: "no-title", message });
  return { item, part: joinParts([part, nameless]) };
}
