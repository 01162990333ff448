import type { Request } from "express";
import type { AgendaFilter } from "../calendars/agenda.ts";
import { isId, type PersonId, personId, projectId } from "../domain/ids.ts";
import type { SpokenKind } from "../domain/item.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Viewer } from "../domain/visibility.ts";
import type { DaySpan } from "../store/view/view.ts";
import { say } from "../texts/say.ts";

/** Kinds of items with their common names. */
export const kindChoices: readonly { readonly kind: SpokenKind; readonly label: string }[] = [
  { kind: "event", label: "Events" },
  { kind: "milestone", label: "Milestones" },
  { kind: "task", label: "Tasks" },
  { kind: "subtask", label: "Subtasks" },
];

/** The reader of an agenda: a person, or the operator (null), who sees everything. */
export const onlookerOf = (viewer: Viewer): PersonId | null =>
  viewer.kind === "person" ? viewer.person : null;

/** The filter in the calendar's URL. Unknown parts are ignored, because URLs are often truncated or retyped. */
export function readAgendaFilter(query: Request["query"], viewer: Viewer): AgendaFilter {
  const projects = valuesOf(query["project"]).map(Number).filter(isId).map(projectId);
  const kinds = kindChoices
    .map(({ kind }) => kind)
    .filter((kind) => valuesOf(query["kind"]).includes(kind));
  const [person = null] = valuesOf(query["person"]).map(Number).filter(isId).map(personId);
  const isOwn = query["mine"] === "yes" && viewer.kind === "person";
  return {
    projects: new Set(projects),
    kinds: new Set(kinds),
    assigned: isOwn ? viewer.person : person,
    completed: query["done"] !== "no",
  };
}

/** No view shows more than a year, so a longer span is a mistake. */
const longest = Temporal.Duration.from({ days: 400 });

/** The days requested by a browser, as `from` and `to` (exclusive). Fails with a sentence if they are invalid. */
export function readDays(query: Request["query"], zone: string): Result<DaySpan, string> {
  const [from, to] = [readDay(query["from"]), readDay(query["to"])];
  if (!from) return fail(say("rangeFault.from"));
  if (!to) return fail(say("rangeFault.to"));
  if (Temporal.PlainDate.compare(from, to) >= 0) return fail(say("rangeFault.after"));
  if (Temporal.PlainDate.compare(from.add(longest), to) < 0) {
    return fail(say("rangeFault.most", { days: String(longest.days) }));
  }
  return ok({ from, to, zone });
}

/** Reads a day from a URL; null for anything else. */
export function readDay(value: unknown): Temporal.PlainDate | null {
  // A browser's calendar appends midnight to the day.
  const text = typeof value === "string" ? value.slice(0, 10) : "";
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    return null;
  }
}

function valuesOf(value: unknown): readonly string[] {
  if (typeof value === "string") return value.split(",").filter((part) => part !== "");
  return Array.isArray(value) ? value.map(String) : [];
}
