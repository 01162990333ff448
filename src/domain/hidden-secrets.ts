/** Takes secrets out of a text. */
export type Hide = (text: string) => string;

/** What stands in the place of a secret. */
export const hiddenMark = "…";

/** What is shorter may be a word, and is not hidden. */
const shortest = 6;

/**
 * Hides secrets in every form in which they turn up: as they are, percent-encoded as in addresses and forms, escaped as in JSON,
 * and packed by base64, also as a part of something longer such as a `Basic` header. Those under 6 characters are passed over.
 */
export function createHider(secrets: readonly string[]): Hide {
  const long = new Set(secrets.filter(({ length }) => length >= shortest));
  const forms = new Set([...long].flatMap(formsOf).filter(({ length }) => length >= shortest));
  if (forms.size === 0) return (text) => text;
  // Of two that begin alike the longer one.
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
 * The characters of base64 that only the secret decides, where so many octets of its group of three stand before it, and any
 * behind it. Source: RFC 4648 4.
 */
function packedBehind(secret: string, before: number): string {
  const octets = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const text = octets.toString("base64").replace(/=+$/, "");
  const first = Math.ceil((before * 8) / 6);
  return text.slice(first, octets.length % 3 === 0 ? undefined : -1);
}
