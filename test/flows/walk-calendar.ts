import ICAL from "ical.js";
import type { PatchField } from "../../src/domain/patch.ts";

/** What a person does to one entry of a calendar. */
export type Touch =
  | { readonly kind: "rename" | "describe"; readonly word: string }
  | { readonly kind: "move"; readonly days: number }
  | { readonly kind: "tick" | "delete" };

/** How a calendar program hands an edit in. */
export interface Manner {
  /** The whole file as it has it, or the changed entry alone. */
  readonly whole: boolean;
  /** Whether it counts SEQUENCE up and stamps what it changes, as most do. */
  readonly stamps: boolean;
}

/** A feed as somebody downloaded it once, in a program that writes calendars in its own way. */
export class WalkCalendar {
  readonly #calendar: ICAL.Component;
  readonly #wished = new Map<string, Set<PatchField>>();

  constructor(feed: string) {
    this.#calendar = new ICAL.Component(ICAL.parse(feed));
  }

  /** Changes one of the entries and returns the file to hand in; null when the calendar is empty. */
  edit(nth: number, { touch, manner }: { readonly touch: Touch; readonly manner: Manner }) {
    const events = this.#calendar.getAllSubcomponents("vevent");
    const event = events[nth % Math.max(1, events.length)];
    if (!event) return null;
    change(event, touch);
    const uid = String(event.getFirstPropertyValue("uid"));
    this.#wished.set(uid, new Set([...this.wished(uid), ...fieldsOf[touch.kind]]));
    if (manner.stamps) {
      const sequence = Number(event.getFirstPropertyValue("sequence") ?? 0);
      event.updatePropertyWithValue("sequence", sequence + 1);
      event.updatePropertyWithValue(
        "dtstamp",
        ICAL.Time.fromDateTimeString("2027-01-01T00:00:00Z"),
      );
    }
    const file = manner.whole ? this.#calendar : alone(this.#calendar, event);
    const text = `${file.toString()}\r\n`;
    // What was said once is not said again with every later file.
    if (touch.kind === "delete") this.#calendar.removeSubcomponent(event);
    return text;
  }

  /** The fields of an entry that were ever changed here. */
  wished(uid: string): ReadonlySet<PatchField> {
    return this.#wished.get(uid) ?? new Set();
  }
}

const fieldsOf: Readonly<Record<Touch["kind"], readonly PatchField[]>> = {
  rename: ["title"],
  describe: ["description"],
  move: ["when", "startOn", "dueOn"],
  tick: ["completed"],
  delete: [],
};

/** A file with one new entry. */
export function newEntry(entry: {
  readonly uid: string;
  readonly title: string;
  readonly day: string;
  readonly task: boolean;
}): string {
  const calendar = new ICAL.Component(["vcalendar", [], []]);
  calendar.addPropertyWithValue("version", "2.0");
  calendar.addPropertyWithValue("prodid", "-//Somebody else//EN");
  const item = new ICAL.Component(entry.task ? "vtodo" : "vevent");
  item.addPropertyWithValue("uid", entry.uid);
  item.addPropertyWithValue("summary", entry.title);
  item.addPropertyWithValue(entry.task ? "due" : "dtstart", ICAL.Time.fromDateString(entry.day));
  calendar.addSubcomponent(item);
  return `${calendar.toString()}\r\n`;
}

function change(event: ICAL.Component, touch: Touch): void {
  const summary = String(event.getFirstPropertyValue("summary") ?? "");
  switch (touch.kind) {
    case "rename":
      event.updatePropertyWithValue("summary", summary.replace(/(K\d+ ).*$/s, `$1${touch.word}`));
      return;
    case "describe":
      event.updatePropertyWithValue("description", touch.word);
      return;
    case "move":
      shift(event, touch.days);
      return;
    case "tick": {
      const done = summary.startsWith("✓ ");
      event.updatePropertyWithValue("summary", done ? summary.slice(2) : `✓ ${summary}`);
      return;
    }
    case "delete":
      event.updatePropertyWithValue("status", "CANCELLED");
  }
}

function shift(event: ICAL.Component, days: number): void {
  for (const name of ["dtstart", "dtend"]) {
    const property = event.getFirstProperty(name);
    const time = property?.getFirstValue();
    if (!property || !(time instanceof ICAL.Time)) continue;
    const moved = time.clone();
    moved.adjust(days, 0, 0, 0);
    property.setValue(moved);
  }
}

function alone(calendar: ICAL.Component, event: ICAL.Component): ICAL.Component {
  const copy = new ICAL.Component(["vcalendar", [], []]);
  copy.addPropertyWithValue("version", "2.0");
  copy.addPropertyWithValue("prodid", "-//Somebody else//EN");
  for (const zone of calendar.getAllSubcomponents("vtimezone")) {
    copy.addSubcomponent(new ICAL.Component(structuredClone(zone.toJSON())));
  }
  copy.addSubcomponent(new ICAL.Component(structuredClone(event.toJSON())));
  return copy;
}
