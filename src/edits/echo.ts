import type { Item } from "../domain/item.ts";
import type { Edit } from "../domain/journal.ts";
import { fieldsOf, type Patch, type PatchField, sameField, valuesOf } from "../domain/merge.ts";
import { sameText } from "../ics/decoration.ts";
import { looksLikeHtml, plainDescription } from "../ics/text.ts";

/**
 * The wished fields that the service's answer does not carry. White space, `<br>` for line breaks, and seconds are its
 * own way of writing; a milestone is its first day.
 */
export function missingFields(patch: Patch, answer: Item): readonly PatchField[] {
  const got = valuesOf(answer);
  return fieldsOf(patch).filter((field) => !carries(field, { patch, got }));
}

/** One sentence on what the service did not take over; null when the answer carries every wish. */
export function describeEcho(
  { patch, newLabels }: Pick<Edit, "patch" | "newLabels">,
  answer: Item,
): string | null {
  // Labels that were created for the edit have got their ids only on the way.
  const missing = missingFields(patch, answer).filter(
    (field) => field !== "labels" || newLabels.length === 0,
  );
  if (missing.length === 0) return null;
  return `the service answered without taking over ${missing.join(", ")}; this is not sent again`;
}

function carries(
  field: PatchField,
  { patch, got }: { readonly patch: Patch; readonly got: Patch },
): boolean {
  if (field === "title") return sameText((patch.title ?? "").trim(), (got.title ?? "").trim());
  if (field === "description") {
    return sameDescription(patch.description ?? null, got.description ?? null);
  }
  return sameField(field, field === "when" ? asAnswered(patch, got) : patch, got);
}

function sameDescription(wished: string | null, answered: string | null): boolean {
  const [a, b] = [plainDescription(wished).trim(), plainDescription(answered).trim()];
  if (sameText(a, b)) return true;
  const isRewritten = looksLikeHtml(answered ?? "");
  return isRewritten && flat(a) === flat(b);
}

const flat = (text: string): string => text.replace(/\s+/g, " ");

function asAnswered(patch: Patch, got: Patch): Patch {
  const { when } = patch;
  if (!when || !got.milestone || when.kind !== "dates") return patch;
  return { when: { ...when, end: when.start.add({ days: 1 }) } };
}
