import ICAL from "ical.js";
import type { PatchField } from "../../../src/domain/patch.ts";

/** What a person does to one entry in a program. */
export type TextTouch =
  | { readonly kind: "rename" | "describe"; readonly word: string }
  | { readonly kind: "move"; readonly days: number }
  | { readonly kind: "label"; readonly names: readonly string[] }
  | { readonly kind: "tick" }
  /** Gives a copy a mark of its own. */
  | { readonly kind: "mark"; readonly token: string }
  /** Begins with it, or goes on after it was done. */
  | { readonly kind: "percent" }
  /** Takes a property away, which says so only in a text of the program's own. */
  | { readonly kind: "clear"; readonly name: ClearedName };

export const clearedNames = ["description", "due", "categories"] as const;
type ClearedName = (typeof clearedNames)[number];

/** An entry as a program shows it. */
export interface Shown {
  readonly uid: string;
  readonly component: "VEVENT" | "VTODO";
  readonly title: string;
  readonly description: string;
  /** Start, end or due as `YYYY-MM-DD` or `YYYY-MM-DDTHH:MMZ`; "" for none. */
  readonly dates: readonly [string, string];
  readonly isDone: boolean;
  readonly labels: readonly string[];
}

/** The fields that a touch may change. */
export const touchedFields: Readonly<Record<TextTouch["kind"], readonly PatchField[]>> = {
  rename: ["title"],
  describe: ["description"],
  move: ["when", "startOn", "dueOn"],
  label: ["labels"],
  tick: ["completed"],
  percent: ["completed"],
  mark: ["title"],
  clear: ["description", "dueOn", "labels"],
};

export function readText(octets: string): Shown {
  const entry = entryOf(new ICAL.Component(ICAL.parse(octets)));
  const first = (name: string): string => String(entry.getFirstPropertyValue(name) ?? "");
  const component = entry.name === "vevent" ? "VEVENT" : "VTODO";
  return {
    uid: first("uid"),
    component,
    title: first("summary"),
    description: first("description"),
    dates: component === "VEVENT" ? span(entry) : [moment(entry, "dtstart"), moment(entry, "due")],
    isDone: first("status") === "COMPLETED",
    labels: entry
      .getAllProperties("categories")
      .flatMap((property) => property.getValues().map(String))
      .toSorted(),
  };
}

/** The octets as a program writes them anew after a change; null where the entry has nothing of the kind. */
export function changeText(octets: string, touch: TextTouch): string | null {
  const calendar = new ICAL.Component(ICAL.parse(octets));
  const entry = entryOf(calendar);
  if (!change(entry, touch)) return null;
  const sequence = Number(entry.getFirstPropertyValue("sequence") ?? 0);
  entry.updatePropertyWithValue("sequence", sequence + 1);
  return `${calendar.toString()}\r\n`;
}

/** A new entry as a program writes it. */
export function newText(entry: {
  readonly component: "VEVENT" | "VTODO";
  readonly uid: string;
  readonly title: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly more?: readonly string[];
}): string {
  const { component, uid, title, day, more = [] } = entry;
  const name = component === "VEVENT" ? "DTSTART" : "DUE";
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Somebody else//EN",
    `BEGIN:${component}`,
    `UID:${uid}`,
    "DTSTAMP:20261120T120000Z",
    `${name};VALUE=DATE:${day.replaceAll("-", "")}`,
    `SUMMARY:${title.replace(/([\\,;])/g, "\\$1")}`,
    "X-OF-THE-PROGRAM:stays",
    ...more,
    `END:${component}`,
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

function entryOf(calendar: ICAL.Component): ICAL.Component {
  const entry = calendar.getFirstSubcomponent("vevent") ?? calendar.getFirstSubcomponent("vtodo");
  if (!entry) throw new Error(`no entry in ${calendar.toString()}`);
  return entry;
}

function span(entry: ICAL.Component): readonly [string, string] {
  const [start, end] = [moment(entry, "dtstart"), moment(entry, "dtend")];
  // A day without an end is that day.
  const isDay = end === "" && !start.includes("T");
  return [start, isDay ? Temporal.PlainDate.from(start).add({ days: 1 }).toString() : end];
}

function moment(entry: ICAL.Component, name: string): string {
  const time = entry.getFirstPropertyValue(name);
  if (!(time instanceof ICAL.Time)) return "";
  if (time.isDate) return time.toString();
  const zone = entry.getFirstProperty(name)?.getFirstParameter("tzid") ?? "UTC";
  return Temporal.PlainDateTime.from(time.toString().replace("Z", ""))
    .toZonedDateTime(zone)
    .toInstant()
    .toString({ smallestUnit: "minute" });
}

function change(entry: ICAL.Component, touch: TextTouch): boolean {
  switch (touch.kind) {
    case "rename": {
      const title = String(entry.getFirstPropertyValue("summary") ?? "");
      const token = /^K\d+/.exec(title)?.[0] ?? "";
      entry.updatePropertyWithValue("summary", `${token} ${touch.word}`);
      return true;
    }
    case "mark": {
      const title = String(entry.getFirstPropertyValue("summary") ?? "");
      entry.updatePropertyWithValue("summary", title.replace(/^K\d+/, touch.token));
      return true;
    }
    case "describe":
      entry.updatePropertyWithValue("description", touch.word);
      return true;
    case "move":
      return shift(entry, touch.days);
    case "label":
      if (entry.name !== "vtodo" || isMilestone(entry)) return false;
      setCategories(entry, touch.names);
      return true;
    case "tick":
      return tick(entry);
    case "percent":
      return percent(entry);
    case "clear":
      // An event's CATEGORIES say what it is, and a milestone cannot do without its day.
      if (touch.name !== "description" && (entry.name !== "vtodo" || isMilestone(entry)))
        return false;
      entry.removeAllProperties(touch.name);
      return true;
  }
}

function shift(entry: ICAL.Component, days: number): boolean {
  const names = ["dtstart", "dtend", "due"].filter((name) => entry.getFirstProperty(name));
  for (const name of names) {
    const property = entry.getFirstProperty(name);
    const time = property?.getFirstValue();
    if (!property || !(time instanceof ICAL.Time)) continue;
    const moved = time.clone();
    moved.adjust(days, 0, 0, 0);
    property.setValue(moved);
  }
  return names.length > 0 && days !== 0;
}

const isMilestone = (entry: ICAL.Component): boolean =>
  entry.getAllProperties("categories").some((one) => one.getValues().includes("Milestone"));

function setCategories(entry: ICAL.Component, names: readonly string[]): void {
  entry.removeAllProperties("categories");
  if (names.length === 0) return;
  const property = new ICAL.Property("categories");
  property.setValues([...names]);
  entry.addProperty(property);
}

function percent(entry: ICAL.Component): boolean {
  if (entry.name !== "vtodo") return false;
  entry.updatePropertyWithValue("status", "IN-PROCESS");
  entry.updatePropertyWithValue("percent-complete", 40);
  entry.removeAllProperties("completed");
  return true;
}

/** Completes a to-do or opens it again, with all three properties that say so. */
function tick(entry: ICAL.Component): boolean {
  if (entry.name !== "vtodo") return false;
  const isDone = entry.getFirstPropertyValue("status") === "COMPLETED";
  entry.updatePropertyWithValue("status", isDone ? "NEEDS-ACTION" : "COMPLETED");
  entry.updatePropertyWithValue("percent-complete", isDone ? 0 : 100);
  entry.removeAllProperties("completed");
  if (!isDone) {
    entry.addPropertyWithValue("completed", ICAL.Time.fromDateTimeString("2027-01-01T00:00:00Z"));
  }
  return true;
}
