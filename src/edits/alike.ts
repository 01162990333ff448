import { type Patch, type PatchField, sameField } from "../domain/patch.ts";
import { looksLikeHtml, plainDescription } from "../domain/text.ts";
import { sameText } from "../ics/text/decoration.ts";

/**
 * Whether two values of one field say the same to people. Texts are compared as calendars show them: white space at the
 * ends, line ends and a rendering of the same HTML make no difference, nor do seconds.
 */
export function alike(field: PatchField, a: Patch, b: Patch): boolean {
  if (a[field] === undefined || b[field] === undefined) return a[field] === b[field];
  if (field === "title") return sameText((a.title ?? "").trim(), (b.title ?? "").trim());
  if (field !== "description") return sameField(field, a, b);
  return sameDescription(a.description ?? null, b.description ?? null);
}

function sameDescription(a: string | null, b: string | null): boolean {
  const [left, right] = [plainDescription(a).trim(), plainDescription(b).trim()];
  if (sameText(left, right)) return true;
  const isRewritten = looksLikeHtml(a ?? "") || looksLikeHtml(b ?? "");
  return isRewritten && flat(left) === flat(right);
}

const flat = (text: string): string => text.replace(/\s+/g, " ");
