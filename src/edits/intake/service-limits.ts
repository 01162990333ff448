import { isLead, longestLead, longestText, wholeMinutes } from "@dayferry/ical";
import type { Item } from "../../domain/item.ts";
import { applyPatch, fieldsOf, type Patch } from "../../domain/patch.ts";
import { unreachable } from "../../domain/result.ts";
import { dayFault, holdFault } from "../../domain/service-times.ts";
import { assigneesToKeepVisible } from "../../domain/visibility.ts";
import { say } from "../../texts/say.ts";
import { changesOf } from "../field-changes.ts";
import { type EditDraft, type ItemPlan, refusal, type Situation } from "./item-plan.ts";
import { type Note, tooLong } from "./plan-part.ts";

/** A value that the service cannot store. */
interface LimitFault {
  readonly kind: "repeated-hour" | "years" | "reminder" | "length";
  readonly message: string;
}

/**
 * Refuses the plan if the service could not store it, and adds a note if it would store a little less: the same for every
 * channel and for a dry run. `zone` is the account's.
 */
export function withinLimits(plan: ItemPlan, zone: string): ItemPlan {
  const { incoming, ending, kind, title, changes } = plan;
  if (ending.kind !== "edit") return plan;
  const faults = limitFaults(ending.edit.patch, zone);
  if (faults.length === 0) return { ...plan, notes: [...plan.notes, ...secondsNotes(plan, zone)] };
  const reasons = faults.map((fault) => noteOf(fault, incoming.line));
  return refusal(incoming, { reasons, notes: plan.notes, kind, title, changes });
}

/** Values that the service cannot store, as its answer would differ or be impossible. */
export function limitFaults(patch: Patch, zone: string): readonly LimitFault[] {
  const { when, reminder } = patch;
  const faults = [when ? holdFault(when, zone) : null, ...valueFaults(patch)].filter(
    (fault) => fault !== null,
  );
  if (!reminder || isLead(reminder)) return faults;
  const lead = { minutes: String(wholeMinutes(reminder)), days: longestLead.days };
  return [...faults, { kind: "reminder", message: say("intake.reminder", lead) }];
}

const valueFaults = (patch: Patch): readonly (LimitFault | null)[] =>
  fieldsOf(patch).map((field) => {
    const value = patch[field];
    if (value instanceof Temporal.PlainDate) return dayFault(value);
    if (typeof value !== "string" || value.length <= longestText) return null;
    return { kind: "length", message: tooLong(field, value.length) };
  });

function noteOf({ kind, message }: LimitFault, line: number): Note {
  switch (kind) {
    case "repeated-hour":
      return { line, code: "repeated-hour", message };
    case "years":
      return { line, code: "years", message };
    case "reminder":
      return { line, code: "reminder", message };
    case "length":
      return { line, code: "too-long", message };
    default:
      return unreachable(kind);
  }
}

function secondsNotes({ incoming, ending }: ItemPlan, zone: string): readonly Note[] {
  const { line, when, alarm } = incoming;
  const patch = ending.kind === "edit" ? ending.edit.patch : {};
  const times =
    patch.when?.kind === "times" && when?.kind === "times" ? [when.start, when.end] : [];
  const clocks = times
    .flatMap((time) => time?.withTimeZone(zone).toPlainDateTime() ?? [])
    .filter(({ second }) => second !== 0)
    .map((clock) => clock.toString({ smallestUnit: "second" }).replace("T", " "));
  const isOdd = patch.reminder && alarm && alarm.total("seconds") % 60 !== 0;
  const lead = isOdd ? [say("intake.beforeStart", { duration: alarm.toString() })] : [];
  const odd = [...clocks, ...lead];
  if (odd.length === 0) return [];
  const message = say("intake.seconds", { times: odd.join(", ") });
  return [{ line, code: "seconds", message }];
}

/**
 * Assigns the editor to an item that would otherwise be hidden from them: a private event, or a task of a private list, is
 * visible to its creator and the assignees only, and without an own key the account is the creator. Somebody who had no access
 * before does not get it, as edits may be submitted in another's name.
 */
export function keepVisible(plan: ItemPlan, situation: Situation): ItemPlan {
  const { ending } = plan;
  if (ending.kind !== "edit" || ending.edit.action === "delete") return plan;
  const assigned = addedTo(ending.edit, situation);
  if (!assigned) return plan;
  const patch = { ...ending.edit.patch, assigned };
  const edit = { ...ending.edit, patch };
  const message = say("intake.assignedToSee");
  const note = { line: plan.incoming.line, code: "assigned-to-see", message };
  const before =
    edit.action === "create" ? null : { assigned: presentOf(edit, situation).assigned };
  const added = changesOf(before, { patch: { assigned }, newLabels: [] });
  const others = plan.changes.filter(({ field }) => field !== "assigned");
  return {
    ...plan,
    changes: [...others, ...added],
    notes: [...plan.notes, note],
    ending: { ...ending, edit },
  };
}

function addedTo(edit: EditDraft, situation: Situation) {
  const { actor, channel, hasOwnKey, store } = situation;
  if (edit.action === "create") {
    const creator = hasOwnKey ? actor : null;
    return assigneesToKeepVisible(edit.base, {
      list: store.directory.listOf(edit.base),
      creator,
      people: [actor],
    });
  }
  // Changing an item with a file does not require seeing it.
  if (channel !== "caldav") return null;
  const before = presentOf(edit, situation);
  const about = {
    list: store.directory.listOf(before),
    creator: before.creatorId,
    people: [actor],
  };
  if (assigneesToKeepVisible(before, about)) return null;
  return assigneesToKeepVisible(applyPatch(before, edit.patch), about);
}

/** As everyone sees it; the editor may have seen an older version. */
const presentOf = (edit: EditDraft, { store }: Situation): Item =>
  (typeof edit.item === "object" ? null : store.view.get(edit.item)?.item) ?? edit.base;
