import fc from "fast-check";

/** One kind of damage to a file; `at` and `to` are fractions of its length. */
type Damage =
  | { readonly kind: "cut" | "splice" | "flip"; readonly at: number; readonly to: number }
  | { readonly kind: "ends" | "case" | "latin1" | "utf16" | "bom" }
  | LineDamage;

/** Damage to whole lines; `at` and `to` are fractions of their number. */
type LineDamage =
  | { readonly kind: "repeat" | "drop" | "swap"; readonly at: number; readonly to: number }
  | {
      readonly kind: "insert" | "value" | "name" | "params";
      readonly at: number;
      readonly text: string;
    };

const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

const insertions = [
  "BEGIN:VEVENT",
  "END:VEVENT",
  "BEGIN:VTODO",
  "END:VTODO",
  "BEGIN:VALARM",
  "END:VALARM",
  "BEGIN:VCALENDAR",
  "END:VCALENDAR",
  "BEGIN;X=1:VEVENT",
  "UID:fresh@example.com",
  "UID:",
  "SUMMARY:Another",
  "STATUS:CANCELLED",
  "STATUS:COMPLETED",
  "DTSTART;VALUE=DATE:20270101",
  "DTEND:20270101T100000Z",
  "DURATION:PT15M",
  "RRULE:FREQ=DAILY",
  "RECURRENCE-ID:20270101T100000Z",
  "METHOD:CANCEL",
  " folded",
  "\ttabbed",
  "",
];
const values = [
  "",
  "20261301",
  "20270101T250000",
  "20270101",
  "20270101T100000Z",
  "P1D",
  "-P1D",
  "99999999999",
  "\\",
  "a\\,b\\;c\\nd",
  '"',
  "\u2028",
  "\ud83d",
  "\u0000",
  "mailto:%",
  "VEVENT",
];
const params = [
  ";TZID=Mars/Base",
  ";VALUE=DATE",
  ';X="',
  ";X",
  ";TZID=",
  ";=",
  ";VALUE=BINARY",
  ';A="b:c"',
];

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("cut", "splice", "flip", "repeat", "drop", "drop", "swap"),
    at: share,
    to: share,
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("insert" as const),
      at: share,
      text: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...insertions) },
        fc.string({ unit: "binary", maxLength: 20 }),
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("value" as const),
      at: share,
      text: fc.constantFrom(...values),
    }),
  },
  fc.record({ kind: fc.constant("params" as const), at: share, text: fc.constantFrom(...params) }),
  fc.record({
    kind: fc.constant("name" as const),
    at: share,
    text: fc.constantFrom("UID", "X-UID", "DTSTART", "DUE", "RRULE", "BEGIN", "END", "dtend", ""),
  }),
  fc.record({ kind: fc.constantFrom("ends", "case", "latin1", "utf16", "bom") }),
);

/** A valid file with some damage. */
export const damagedFile = (good: readonly string[]): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.constantFrom(...good), fc.array(damage, { minLength: 1, maxLength: 3 }))
    .map(([file, damages]) => damages.reduce(harm, Buffer.from(file)));

function harm(bytes: Buffer, damage: Damage): Buffer {
  switch (damage.kind) {
    case "cut":
      return bytes.subarray(0, spot(bytes, damage.at));
    case "splice": {
      const [from, to] = [spot(bytes, damage.at), spot(bytes, damage.to)].toSorted((a, b) => a - b);
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    }
    case "flip": {
      const flipped = Buffer.from(bytes);
      flipped[spot(bytes, damage.at)] = Math.floor(damage.to * 256);
      return flipped;
    }
    case "latin1":
      return Buffer.from(bytes.toString("utf8"), "latin1");
    case "utf16":
      return Buffer.from(bytes.toString("utf8"), "utf16le");
    case "bom":
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case "ends":
      return Buffer.from(bytes.toString("utf8").replaceAll("\r\n", "\n"));
    case "case":
      return Buffer.from(bytes.toString("utf8").toLowerCase());
    case "repeat":
    case "drop":
    case "swap":
    case "insert":
    case "value":
    case "name":
    case "params":
      return harmLines(bytes, damage);
  }
}

function harmLines(bytes: Buffer, damage: LineDamage): Buffer {
  const lines = bytes.toString("utf8").split("\r\n");
  const at = Math.floor(damage.at * lines.length);
  const line = lines[at] ?? "";
  switch (damage.kind) {
    case "insert":
      lines.splice(at, 0, damage.text);
      break;
    case "value":
      lines[at] = `${line.slice(0, line.indexOf(":") + 1)}${damage.text}`;
      break;
    case "name":
      lines[at] = `${damage.text}${line.slice(Math.max(0, line.search(/[:;]/)))}`;
      break;
    case "params":
      lines[at] = line.replace(":", `${damage.text}:`);
      break;
    case "repeat":
      lines.splice(at, 0, ...lines.slice(at, at + 1 + Math.floor(damage.to * 8)));
      break;
    case "drop":
      lines.splice(at, 1 + Math.floor(damage.to * 4));
      break;
    case "swap": {
      const other = Math.floor(damage.to * lines.length);
      lines[at] = lines[other] ?? "";
      lines[other] = line;
      break;
    }
  }
  return Buffer.from(lines.join("\r\n"));
}

const spot = (bytes: Buffer, at: number): number => Math.floor(at * bytes.length);

/** The content of a file, found in the simplest way: the first UID of each VEVENT and VTODO, null without one. */
export function simpleCount(bytes: Uint8Array): readonly (string | null)[] {
  const text = Buffer.from(bytes)
    .toString("utf8")
    .replaceAll("\uFEFF", "")
    .replace(/\r(?!\n)/g, "\n")
    .replace(/[[\p{Cc}&&\p{ASCII}]--[\t\n\r]]/gv, "");
  const open: string[] = [];
  const found: (string | null)[] = [];
  for (const line of text.replace(/\r?\n[ \t]/g, "").split(/\r?\n/)) {
    const [, name = "", value = ""] =
      /^(BEGIN|END|UID)(?:;(?:"[^"]*"|[^":])*)?:(.*)$/is.exec(line) ?? [];
    if (name.toUpperCase() === "END") open.pop();
    if (name.toUpperCase() === "BEGIN") {
      if (open.length === 1 && /^\s*(VEVENT|VTODO)\s*$/i.test(value)) found.push(null);
      open.push(value.trim().toUpperCase());
    }
    const isItem = open.length === 2 && /^(VEVENT|VTODO)$/.test(open[1] ?? "");
    if (name.toUpperCase() === "UID" && isItem) found[found.length - 1] ??= value.trim();
  }
  return found;
}
