import type { Edit, FieldConflict } from "../../domain/journal.ts";
import type { PlainPatch } from "../../domain/plain-item.ts";
import { quote } from "../intake/part.ts";

/** What both sides have changed and what became of it, in one sentence; null when nothing crossed. */
export function describeConflict({
  action,
  conflicts,
}: Pick<Edit, "action" | "conflicts">): string | null {
  const [first] = conflicts;
  if (!first) return null;
  return action === "delete"
    ? aboutDeletion(conflicts, first.taken)
    : conflicts.map(aboutField).join("; ");
}

function aboutField({ field, base, ours, theirs, taken, by }: FieldConflict): string {
  const [was, is, wished] = [base, ours, theirs].map(shown);
  if (taken === "ours" && by !== undefined) {
    return `${field}: the wish ${wished} was replaced by edit ${by}, which the same person made later and which set ${is}`;
  }
  if (taken === "theirs") {
    return `${field}: ${is}, which somebody else had set meanwhile, was replaced by ${wished} (before: ${was})`;
  }
  if (taken === "ours") {
    return `${field}: the wish ${wished} was dropped, as somebody else had set ${is} meanwhile (before: ${was})`;
  }
  return `${field} was changed by somebody else as well: ${is} there, ${wished} wished (before: ${was}); retry sends the wish, discard keeps what is there`;
}

function aboutDeletion(conflicts: readonly FieldConflict[], taken: FieldConflict["taken"]): string {
  const news = conflicts
    .map(({ field, base, ours }) => `${field} is ${shown(ours)} (before: ${shown(base)})`)
    .join(", ");
  if (taken === "theirs") return `deleted although it was changed meanwhile: ${news}`;
  if (taken === "ours") return `not deleted, as it was changed meanwhile: ${news}`;
  return `it was changed since you saw it: ${news}; retry deletes it all the same, discard keeps it`;
}

function shown(value: unknown): string {
  if (value === null) return "nothing";
  if (typeof value === "string") return quote(value);
  return isPlace(value) ? placeText(value) : JSON.stringify(value);
}

type PlainPlace = NonNullable<PlainPatch["place"]>;

const isPlace = (value: unknown): value is PlainPlace =>
  typeof value === "object" && value !== null && "projectId" in value && "listId" in value;

const placeText = ({ projectId, listId }: PlainPlace): string =>
  listId === null ? `project ${projectId}` : `todolist ${listId} of project ${projectId}`;
