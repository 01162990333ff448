import {
  foldLines,
  nameOfLine,
  type ObjectLines,
  type ObjectPart,
  positionsOf,
} from "@dayferry/ical";

/** Collected changes to the lines of one object. New lines are unfolded. */
export interface ObjectPatch {
  readonly object: ObjectLines;
  /** Replacements by position; no lines = removed. */
  readonly instead: Map<number, readonly string[]>;
  /** New properties, inserted before the component's first subcomponent. */
  readonly properties: string[];
  /** New subcomponents, appended to the component. */
  readonly parts: string[];
}

export const createPatch = (object: ObjectLines): ObjectPatch => ({
  object,
  instead: new Map(),
  properties: [],
  parts: [],
});

/** Replaces the properties of these names, each at the position of an old one. */
export function layLines(
  patch: ObjectPatch,
  { names, lines }: { readonly names: readonly string[]; readonly lines: readonly string[] },
): void {
  const { object, instead } = patch;
  const free = new Set(positionsOf(object, names));
  const homeless = lines.filter((line) => {
    const place = object.own.get(nameOfLine(line))?.find((at) => free.has(at));
    if (place === undefined) return true;
    free.delete(place);
    if (object.lines[place]?.raw !== line) instead.set(place, [line]);
    return false;
  });
  const [first, ...others] = free;
  for (const at of others) instead.set(at, []);
  if (first === undefined) patch.properties.push(...homeless);
  else instead.set(first, homeless);
}

/** Removes a subcomponent. */
export function removePart({ instead }: ObjectPatch, { begin, end }: ObjectPart): void {
  for (let at = begin; at <= end; at++) instead.set(at, []);
}

/**
 * The text of the object with the changes, and with the `zones` that new lines need. A client's own definition is replaced, as
 * it may not cover the new times.
 */
export function writePatched({ object, ...patch }: ObjectPatch, zones: string): string {
  const { lines, text, begin, parts, end } = object;
  const added = [...patch.instead.values(), patch.properties].flat();
  const needed = zonesFor(added, zones);
  for (const [tzid, block] of needed) {
    const own = object.zones.get(tzid);
    for (let at = own?.begin ?? 0; own && at <= own.end; at++) {
      patch.instead.set(at, at === own.begin ? block : []);
    }
  }
  const foreign = [...needed].filter(([tzid]) => !object.zones.has(tzid));
  const before = new Map([
    [begin, foldLines(foreign.flatMap(([, block]) => block))],
    [end, foldLines(patch.parts)],
  ]);
  const place = parts[0]?.begin ?? end;
  before.set(place, `${foldLines(patch.properties)}${before.get(place) ?? ""}`);

  const ended = (written: string): string =>
    object.lineEnd === "\n" ? written.replaceAll("\r\n", "\n") : written;
  return lines
    .map(({ from, to }, at) => {
      const instead = patch.instead.get(at);
      const kept = instead === undefined ? text.slice(from, to) : ended(foldLines(instead));
      return `${ended(before.get(at) ?? "")}${kept}`;
    })
    .join("");
}

/** The lines of the VTIMEZONEs that new lines use, by TZID. */
function zonesFor(added: readonly string[], zones: string): ReadonlyMap<string, readonly string[]> {
  const used = new Set(added.flatMap((line) => /^[^:]*;TZID=([^:;]+)/.exec(line)?.[1] ?? []));
  const blocks = zones.match(/BEGIN:VTIMEZONE\r\n[\s\S]*?END:VTIMEZONE\r\n/g) ?? [];
  const named = blocks.map((block) => {
    const tzid = /^TZID:(.*)\r$/m.exec(block)?.[1] ?? "";
    return [tzid, block.trimEnd().split("\r\n")] as const;
  });
  return new Map(named.filter(([tzid]) => used.has(tzid)));
}
