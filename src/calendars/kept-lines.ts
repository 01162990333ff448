import { foldLines } from "../ics/lines/component-text.ts";
import { readTree } from "../ics/lines/tree.ts";
import { findUnstorable } from "../ics/read/unstorable.ts";
import type { ObjectComponent } from "./calendar.ts";

/**
 * Our component with what another channel said of the item and the service cannot hold: further properties, parts and
 * alarms. `raw`: that channel's component as unfolded lines joined by LF, which need not be of the same name.
 */
export function withKeptLines(text: string, raw: string, component: ObjectComponent): string {
  const { properties, parts } = keptLines(raw, component);
  if (properties.length + parts.length === 0) return text;
  const end = text.lastIndexOf(`END:${component}`);
  const firstPart = text.indexOf("\r\nBEGIN:", 1) + 2;
  const inner = firstPart < 2 ? end : firstPart;
  return (
    text.slice(0, inner) +
    foldLines(properties) +
    text.slice(inner, end) +
    foldLines(parts) +
    text.slice(end)
  );
}

/** Stay here as well, although they are read: the service takes them for some items only. */
const keptNames: ReadonlySet<string> = new Set(["ATTACH", "COMMENT"]);

function keptLines(raw: string, component: ObjectComponent) {
  const lines = raw.split("\n");
  const [own] = readTree(`BEGIN:VCALENDAR\n${raw}\nEND:VCALENDAR\n`).components;
  if (!own) return { properties: [], parts: [] };
  // The lines of the calendar around it start one earlier.
  const text = (line: number): string => lines[line - 2] ?? "";
  const unstorable = new Set(findUnstorable(own).map(({ line }) => line));
  const alarms = own.components.filter(({ name }) => name === "VALARM");
  // The first alarm of an event is its reminder, which the service has.
  const ownAlarms = component === "VEVENT" ? alarms.slice(1) : alarms;
  return {
    properties: own.lines
      .filter(({ line, name }) => unstorable.has(line) || isKept(name, text(line)))
      .map(({ line }) => text(line)),
    parts: own.components
      .filter((part) => unstorable.has(part.line) || ownAlarms.includes(part))
      .flatMap(({ line, name }) => {
        const end = lines.findIndex(
          (one, at) => at >= line - 2 && one.toUpperCase() === `END:${name}`,
        );
        return lines.slice(line - 2, end + 1);
      }),
  };
}

const isKept = (name: string, text: string): boolean =>
  keptNames.has(name) && !/;ENCODING=BASE64/i.test(text);
