/** Replaces secrets in a text. */
export type Hide = (text: string) => string;

/** Replaces a secret. */
export const hiddenMark = "…";

/** Shorter secrets may be ordinary words, and are not hidden. */
const shortest = 6;

/**
 * Hides secrets in every form: as they are, percent-encoded, escaped as in JSON, and in base64, also as part of
 * something longer such as a `Basic` header. Secrets under 6 characters are ignored.
 */
export function createHider(secrets: readonly string[]): Hide {
  const long = new Set(secrets.filter(({ length }) => length >= shortest));
  const forms = new Set([...long].flatMap(formsOf).filter(({ length }) => length >= shortest));
  if (forms.size === 0) return (text) => text;
  // Longer secrets first, as one may begin with another.
  const sorted = [...forms].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(sorted.map(literal).join("|"), "g");
  return (text) => text.replaceAll(pattern, hiddenMark);
}

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function formsOf(secret: string): readonly string[] {
  const packed = [0, 1, 2].map((before) => packedBehind(secret, before));
  return [
    secret,
    encodeURI(secret.toWellFormed()),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams({ "": secret }).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    ...packed,
    ...packed.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/**
 * The base64 characters that depend on the secret alone, if `before` octets of its group of three precede it. Source:
 * RFC 4648 4.
 */
function packedBehind(secret: string, before: number): string {
  const octets = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const text = octets.toString("base64").replace(/=+$/, "");
  const first = Math.ceil((before * 8) / 6);
  return text.slice(first, octets.length % 3 === 0 ? undefined : -1);
}
