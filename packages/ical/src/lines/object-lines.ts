import {
  decodeText,
  param,
  propertyName,
  readContentLine,
  type Unfolded,
  unfold,
} from "./content-line.ts";

/** A calendar object as a list of lines, so that some can be changed and the others stay as they are. */
export interface ObjectLines {
  readonly component: "VEVENT" | "VTODO";
  readonly text: string;
  readonly lines: readonly Unfolded[];
  /** Position of the component's BEGIN in `lines`. */
  readonly begin: number;
  /** Positions of the component's own properties, by name. */
  readonly own: ReadonlyMap<string, readonly number[]>;
  /** Its subcomponents, mostly alarms, from BEGIN to END, inclusive. */
  readonly parts: readonly ObjectPart[];
  /** Position of its END. */
  readonly end: number;
  /** Where the object defines a TZID, before or after the component. */
  readonly zones: ReadonlyMap<string, ObjectSpan>;
  /** The line end it uses. */
  readonly lineEnd: "\r\n" | "\n";
}

/** Positions of a BEGIN and its END. */
export interface ObjectSpan {
  readonly begin: number;
  readonly end: number;
}

export interface ObjectPart extends ObjectSpan {
  /** Upper case. */
  readonly name: string;
}

/** Thrown if stored bytes do not contain the component they were stored for. */
export class StrayOctetsError extends Error {
  override readonly name = "StrayOctetsError";
  constructor(component: string) {
    super(`the octets hold no whole ${component}`);
  }
}

/** Finds the first such component of a calendar. Throws `StrayOctetsError` if there is none. */
export function findLines(text: string, component: "VEVENT" | "VTODO"): ObjectLines {
  const lines = [...unfold(text)];
  const open: string[] = [];
  const own = new Map<string, number[]>();
  const parts: ObjectPart[] = [];
  const zones = new Map<string, ObjectSpan>();
  let begin = -1;
  let end = -1;
  let zoneBegin = -1;
  let tzid = "";
  let partBegin = -1;
  for (const [at, { raw }] of lines.entries()) {
    const frame = /^(BEGIN|END)(?:;[^:]*)?:\s*(.*?)\s*$/i.exec(raw);
    const isInside = begin >= 0 && end < 0 && open[1] === component;
    if (!frame) {
      if (isInside && open.length === 2) addTo(own, nameOfLine(raw), at);
      if (open.length === 2 && open[1] === "VTIMEZONE") tzid ||= tzidOf(raw);
      continue;
    }
    const name = frame[2]?.toUpperCase() ?? "";
    if (frame[1]?.toUpperCase() === "BEGIN") {
      if (open.length === 1 && name === component && begin < 0) begin = at;
      if (open.length === 1) [zoneBegin, tzid] = [at, ""];
      if (isInside && open.length === 2) partBegin = at;
      open.push(name);
      continue;
    }
    open.pop();
    if (isInside && open.length === 2) parts.push({ name, begin: partBegin, end: at });
    if (isInside && open.length === 1) end = at;
    const isZone = open.length === 1 && name === "VTIMEZONE" && tzid !== "";
    if (isZone && !zones.has(tzid)) zones.set(tzid, { begin: zoneBegin, end: at });
  }
  if (end < 0) throw new StrayOctetsError(component);
  const lineEnd = text.charAt((lines[0]?.to ?? 0) - 2) === "\r" ? "\r\n" : "\n";
  return { component, text, lines, begin, own, parts, end, zones, lineEnd };
}

/** The name of a property; "" for a RELATED-TO that is not a parent, which we do not handle. */
export function nameOfLine(raw: string): string {
  const name = propertyName(raw);
  if (name !== "RELATED-TO") return name;
  const line = readContentLine(raw, 0);
  const type = line.ok ? param(line.value, "RELTYPE") : undefined;
  return (type ?? "PARENT").toUpperCase() === "PARENT" ? name : "";
}

/** Positions of the own properties with these names, in order. */
export function positionsOf({ own }: ObjectLines, names: readonly string[]): readonly number[] {
  return names.flatMap((name) => own.get(name) ?? []).toSorted((a, b) => a - b);
}

function addTo(own: Map<string, number[]>, name: string, at: number): void {
  const known = own.get(name);
  if (known) known.push(at);
  else own.set(name, [at]);
}

function tzidOf(raw: string): string {
  const value = /^TZID(?:;[^:]*)?:(.*)$/i.exec(raw)?.[1];
  return value === undefined ? "" : decodeText(value).trim();
}

/** The bytes with another UID and without the base mark. Alarms may have their own UIDs, and may precede the item's. */
export function withUid(octets: Buffer, uid: string): Buffer {
  let depth = 0;
  const lines = octets.toString().split(/(?<=\n)(?![ \t])/);
  const written = lines.map((line) => {
    const name = /^[a-z0-9-]*/i.exec(line)?.[0].toUpperCase();
    if (name === "BEGIN") depth++;
    if (name === "END") depth--;
    if (depth !== 2) return line;
    if (name === "X-DAYFERRY-BASE") return "";
    return name === "UID" ? `UID:${uid}${/\r?\n$/.exec(line)?.[0] ?? ""}` : line;
  });
  return Buffer.from(written.join(""));
}
