import type { Edit, FieldConflict } from "../../domain/journal.ts";
import type { Names } from "../../ics/text/field-words.ts";
import { nameOf, valueInWords } from "../in-words.ts";
import { quote } from "../intake/part.ts";

/**
 * What both sides have changed and what became of it, in one sentence, by names and on the account's clocks; null when nothing
 * crossed.
 */
export function describeConflict(
  { action, conflicts }: Pick<Edit, "action" | "conflicts">,
  names: Names,
): string | null {
  const [first] = conflicts;
  if (!first) return null;
  return action === "delete"
    ? aboutDeletion(conflicts, { taken: first.taken, names })
    : conflicts.map((conflict) => aboutField(conflict, names)).join("; ");
}

function aboutField(conflict: FieldConflict, names: Names): string {
  const { field, base, ours, theirs, taken, by } = conflict;
  const name = nameOf(field);
  const [was, is, wished] = [base, ours, theirs].map((value) => shown({ field, value }, names));
  if (taken === "ours" && by !== undefined) {
    return `${name}: the wish ${wished} was replaced by edit ${by}, which the same person made later and which set ${is}`;
  }
  if (taken === "theirs") {
    return `${name}: ${is}, which somebody else had set meanwhile, was replaced by ${wished} (before: ${was})`;
  }
  if (taken === "ours") {
    return `${name}: the wish ${wished} was dropped, as somebody else had set ${is} meanwhile (before: ${was})`;
  }
  return `${name} was changed by somebody else as well: ${is} there, ${wished} wished (before: ${was}); sending the wish would overwrite that, discard keeps what is there`;
}

function aboutDeletion(
  conflicts: readonly FieldConflict[],
  { taken, names }: { readonly taken: FieldConflict["taken"]; readonly names: Names },
): string {
  const news = conflicts
    .map(({ field, base, ours }) => {
      const [was, is] = [base, ours].map((value) => shown({ field, value }, names));
      return `${nameOf(field)} is ${is} (before: ${was})`;
    })
    .join(", ");
  if (taken === "theirs") return `deleted although it was changed meanwhile: ${news}`;
  if (taken === "ours") return `not deleted, as it was changed meanwhile: ${news}`;
  return `it was changed since you saw it: ${news}; deleting it would take that away, discard keeps it`;
}

function shown(value: Parameters<typeof valueInWords>[0], names: Names): string {
  const words = valueInWords(value, names);
  const isText = typeof value.value === "string" && /^(?:title|description)$/.test(value.field);
  return isText ? quote(words) : words;
}
