import { hash } from "node:crypto";
import {
  type Component,
  createZoneWriter,
  endsAt,
  findUnstorable,
  foldLines,
  isReminder,
  isRepeating,
  oneLine,
  readDuration,
  readSpan,
  readTree,
  type When,
  writeEvent,
  writeObject,
  writeTimeZone,
  writeTodo,
  zonesOfFile,
} from "@dayferry/ical";
import { fingerprint, flatText } from "../domain/fingerprint.ts";
import type { ItemKey, LabelId, ServiceId } from "../domain/ids.ts";
import { type EventItem, milestoneCategory, type TaskItem } from "../domain/item.ts";
import { plainDescription } from "../domain/text.ts";
import {
  canonicalText,
  overlayOctets,
  restampOctets,
  saysAsOctets,
} from "../ics/overlay/overlay.ts";
import { textsOfItem } from "../ics/text/line-fields.ts";
import { sampleLabel, sampleViews } from "../store/reading/sample-views.ts";
import type { ObjectRow } from "../store/rows/calendar-rows.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { ObjectComponent } from "./calendar-types.ts";

/** The octets of a member, and the values of its headers. */
export interface MemberOctets {
  readonly octets: Buffer;
  /** Strong and quoted. */
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
}

/** Writes members in their present state; the same state of the store always gives the same octets. */
export type ObjectRenderer = ReturnType<typeof createObjectRenderer>;

type LabelNames = ReadonlyMap<LabelId, string>;

/** An item as one component. */
interface RenderedObject {
  readonly component: ObjectComponent;
  readonly text: string;
  readonly canonical: string;
}

/**
 * Writes an item as a calendar object: the stored octets if they still say the same, else these octets with later changes
 * applied, else the item, plus what another channel said.
 */
export function createObjectRenderer({
  store,
  zone,
}: {
  readonly store: Store;
  readonly zone: string;
}) {
  const zonesOf = createZoneWriter();
  let labels: LabelNames = new Map();
  let readAt = -1;

  function labelNames(): LabelNames {
    const present = store.changes.revisionOfDirectory();
    if (present !== readAt) labels = store.directory.labelNames();
    readAt = present;
    return labels;
  }

  function uidOfTask(id: ServiceId): string | null {
    const key = store.mirror.find("task", id);
    return key === null ? null : store.mirror.identity(key).uid;
  }

  const awaitedParent = (key: ItemKey) => store.journal.awaitedParent(key);
  /** Only events: a task names labels and another task, which may be renamed. */
  const renderings = new WeakMap<ViewItem, RenderedObject>();

  function renderedOf(view: ViewItem, component: ObjectComponent): RenderedObject {
    const known = renderings.get(view);
    if (known?.component === component) return known;
    const text = textOf(view, component, labelNames());
    const made = { component, text, canonical: canonicalText(text) };
    if (view.item.kind === "event") renderings.set(view, made);
    return made;
  }

  const textOf = (view: ViewItem, component: ObjectComponent, labels: LabelNames): string =>
    renderComponent(view, component, { zone, labels, uidOfTask, awaitedParent });

  function octetsOf(view: ViewItem, component: ObjectComponent, row: ObjectRow | null): Buffer {
    const own = renderedOf(view, component);
    const extra = row?.body ? row.overlaid : (row?.raw ?? null);
    const text = extra === null ? own.text : withKeptLines(own.text, extra, component);
    if (!row?.body) return Buffer.from(writeObject(text, zonesOf(text)));
    const now = extra === null ? own.canonical : canonicalText(text);
    if (isExact(row, { body: row.body, component, now, zone })) return Buffer.from(row.body);
    const { sequence, modifiedAt } = view;
    const kept = { octets: row.body, component, stamp: { sequence, modifiedAt } };
    const overlaid = overlayOctets({
      ...kept,
      said: row.rendered,
      now,
      zones: zonesOf(text),
      zone,
    });
    // It has changed meanwhile, or must be reloaded, so an earlier version must not return.
    const isAsKept = Buffer.compare(Buffer.from(overlaid), row.body) === 0;
    return Buffer.from(isAsKept ? restampOctets(kept) : overlaid);
  }

  return {
    /** `row`: what a program has put; the item's stored object by default. */
    write(
      view: ViewItem,
      component: ObjectComponent,
      row: ObjectRow | null = store.objects.get({ item: view.key, component }),
    ): MemberOctets {
      const octets = octetsOf(view, component, row);
      return { octets, etag: etagOf(octets), modifiedAt: later(view.modifiedAt, row?.at ?? null) };
    },
    /** The item's own text in comparable form. `names`: other names of labels in the octets. */
    canonical(view: ViewItem, component: ObjectComponent, names?: LabelNames): string {
      if (!names) return renderedOf(view, component).canonical;
      return canonicalText(textOf(view, component, new Map([...labelNames(), ...names])));
    },
    /** What a program has put, if it is returned unchanged. */
    exact(
      view: ViewItem,
      component: ObjectComponent,
      row: ObjectRow | null = store.objects.get({ item: view.key, component }),
    ): ObjectRow | null {
      if (!row?.body || row.overlaid !== null) return null;
      const now = renderedOf(view, component).canonical;
      return isExact(row, { body: row.body, component, now, zone }) ? row : null;
    },
    /** Forgets names that may have changed. */
    forget(): void {
      readAt = -1;
    },
  };
}

/**
 * True if the item is unchanged since the octets were stored, or equals them and was nothing else in between. A to-do's parent,
 * and a new label's name, appear only after the octets that requested them.
 */
function isExact(
  { rendered, stale }: ObjectRow,
  about: {
    readonly body: Uint8Array;
    readonly component: ObjectComponent;
    readonly now: string;
    readonly zone: string;
  },
): boolean {
  if (stale || rendered === null) return false;
  const now = withTimeOf(rendered, about.now);
  const { body: octets, component, zone } = about;
  return rendered === now || saysAsOctets({ octets, component, said: rendered, now, zone });
}

/** The service sets the completion time; the program's own time remains valid until then. */
function withTimeOf(said: string, now: string): string {
  const completed = /^COMPLETED[:;].*$/m;
  const [own] = completed.exec(said) ?? [];
  return own === undefined ? now : now.replace(completed, () => own);
}

const etagOf = (octets: Buffer): string =>
  flatText(`"${hash("sha256", octets, "hex").slice(0, 32)}"`);

const later = (a: Temporal.Instant, b: Temporal.Instant | null): Temporal.Instant =>
  b && Temporal.Instant.compare(b, a) > 0 ? b : a;

/**
 * Our component plus what another channel said and the service cannot store: further properties, subcomponents and alarms.
 * `raw`: that channel's component as unfolded lines joined by LF, possibly of another kind.
 */
function withKeptLines(written: string, raw: string, component: ObjectComponent): string {
  const { properties, parts, repeating } = keptLines(raw, component);
  const text = withRepeats(written, repeating);
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

/** Our alarm as sent, with its repetitions, while the reminder is still at that time. */
function withRepeats(text: string, repeating: readonly string[]): string {
  const [block] = /BEGIN:VALARM\r\n[\s\S]*?END:VALARM\r\n/.exec(text) ?? [];
  if (block === undefined || repeating.length === 0) return text;
  const [ours, theirs] = [block.split("\r\n"), repeating].map(leadIn);
  return ours === theirs ? text.replace(block, () => foldLines(repeating)) : text;
}

/** In seconds. */
function leadIn(lines: readonly string[]): number | null {
  const trigger = lines.find((line) => /^TRIGGER[;:]/i.test(line));
  return readDuration(trigger?.replace(/^.*:/, "") ?? "")?.total("seconds") ?? null;
}

/** Also stored here, although they are processed, as the service accepts them for some items only. */
const keptNames: ReadonlySet<string> = new Set(["ATTACH", "COMMENT"]);

function keptLines(raw: string, component: ObjectComponent) {
  const lines = raw.split("\n");
  const [own] = readTree(`BEGIN:VCALENDAR\n${raw}\nEND:VCALENDAR\n`).components;
  if (!own) return { properties: [], parts: [], repeating: [] };
  // The lines of the surrounding calendar start one earlier.
  const text = (line: number): string => lines[line - 2] ?? "";
  const unstorable = new Set(findUnstorable(own).map(({ line }) => line));
  const alarms = own.components.filter(({ name }) => name === "VALARM");
  const reminder = component === "VEVENT" ? reminderOf(own, alarms) : undefined;
  // The service stores an event's reminder, but not its repetition.
  const ownAlarms = alarms.filter((alarm) => alarm !== reminder);
  const linesFrom = ({ line, name }: Component): readonly string[] => {
    const end = lines.findIndex((one, at) => at >= line - 2 && one.toUpperCase() === `END:${name}`);
    return lines.slice(line - 2, end + 1);
  };
  return {
    properties: own.lines
      .filter(({ line, name }) => unstorable.has(line) || isKept(name, text(line)))
      .map(({ line }) => text(line)),
    parts: own.components
      .filter((part) => unstorable.has(part.line) || ownAlarms.includes(part))
      .flatMap(linesFrom),
    repeating: reminder && isRepeating(reminder) ? linesFrom(reminder) : [],
  };
}

/** The alarm that was taken as the reminder. Any zone of floating times gives the same distance between times of one item. */
function reminderOf(own: Component, alarms: readonly Component[]): Component | undefined {
  const zoneOf = zonesOfFile(own, "UTC");
  const reading = { component: own, uid: "", problems: [], zoneOf };
  const { start, end } = readSpan(reading);
  // A file that changes only some properties may omit the start.
  const anchor = { start: start ?? anyStart, end, zoneOf };
  return alarms.find((alarm) => isReminder(alarm, anchor));
}

const anyStart = {
  kind: "time",
  at: Temporal.Instant.from("2000-01-01T00:00:00Z").toZonedDateTimeISO("UTC"),
} as const;

const isKept = (name: string, text: string): boolean =>
  keptNames.has(name) && !/;ENCODING=BASE64/i.test(text);

/** Names that items refer to by id, and the account's zone. */
interface RenderContext {
  readonly zone: string;
  readonly labels: ReadonlyMap<LabelId, string>;
  /** The UID of a task; null if unknown. */
  readonly uidOfTask: (id: ServiceId) => string | null;
  /** The UID of the parent task whose id an item's creation waits for; null if none. */
  readonly awaitedParent: (key: ItemKey) => string | null;
}

/**
 * An item as one component, whole folded lines. It has exactly what an edit may change: no marks in the title, no links, no
 * people, no HTML. Equal items give equal text.
 */
function renderComponent(
  view: ViewItem,
  component: ObjectComponent,
  context: RenderContext,
): string {
  const { item } = view;
  if (item.kind !== "event") return writeTodo(taskContent(view, item, context));
  return component === "VEVENT"
    ? writeEvent(eventContent(view, item, context.zone))
    : writeTodo(milestoneContent(view, item, context.zone));
}

/** The first and the last day of a milestone in calendars. */
function daysOf(when: When, zone: string): When & { readonly kind: "dates" } {
  if (when.kind === "dates") {
    const next = when.start.add({ days: 1 });
    return { ...when, end: Temporal.PlainDate.compare(when.end, next) < 0 ? next : when.end };
  }
  const start = when.start.withTimeZone(zone).toPlainDate();
  // An end at midnight belongs to the day before it.
  const last = endsAt(when, zone).subtract({ nanoseconds: 1 }).toZonedDateTimeISO(zone);
  const end = last.toPlainDate().add({ days: 1 });
  return daysOf({ kind: "dates", start, end }, zone);
}

function commonContent({ uid, sequence, modifiedAt, item }: ViewItem, component: ObjectComponent) {
  return {
    uid,
    sequence,
    stampAt: modifiedAt,
    // The service sets the creation date of items created here, and of events that move between projects, only when it has
    // them.
    createdAt: null,
    summary: oneLine(item.title),
    description: plainDescription(item.description),
    url: null,
    texts: textsOfItem(item, component),
  };
}

function eventContent(view: ViewItem, item: EventItem, zone: string) {
  const when = item.milestone ? daysOf(item.when, zone) : ordered(item.when, zone);
  return {
    ...commonContent(view, "VEVENT"),
    html: null,
    when,
    zone,
    categories: item.milestone ? [milestoneCategory] : [],
    reminder: item.reminder,
    transparent: when.kind === "dates",
    classification: item.private ? ("PRIVATE" as const) : null,
    status: null,
  };
}

/** The writer refuses an end before the start. Such an item must not break a calendar. */
function ordered(when: When, zone: string): When {
  if (when.kind === "dates") return daysOf(when, zone);
  const endsFirst = when.end && Temporal.ZonedDateTime.compare(when.end, when.start) < 0;
  return endsFirst ? { ...when, end: null } : when;
}

function milestoneContent(view: ViewItem, item: EventItem, zone: string) {
  const { start, end } = daysOf(item.when, zone);
  return {
    ...commonContent(view, "VTODO"),
    startOn: start,
    dueOn: end.subtract({ days: 1 }),
    percent: item.completed ? 100 : 0,
    status: item.completed ? ("COMPLETED" as const) : ("NEEDS-ACTION" as const),
    // The service does not give a milestone's completion time.
    completedAt: null,
    categories: [milestoneCategory],
    relatedTo: null,
    classification: item.private ? ("PRIVATE" as const) : null,
  };
}

function taskContent(view: ViewItem, item: TaskItem, context: RenderContext) {
  const { labels } = context;
  const names = item.labels
    .map((id) => oneLine(labels.get(id) ?? ""))
    .filter((name) => name !== "");
  return {
    ...commonContent(view, "VTODO"),
    startOn: item.startOn,
    dueOn: item.dueOn,
    percent: item.percent,
    status: statusOf(item),
    // A pending completion has no time yet; the time of the change is used.
    completedAt: item.completed ? (item.completedAt ?? view.modifiedAt) : null,
    categories: [...new Set(names)],
    relatedTo: parentOf(view.key, item, context),
    classification: null,
  };
}

function parentOf(
  key: ItemKey,
  { kind, parentId }: TaskItem,
  { uidOfTask, awaitedParent }: RenderContext,
): string | null {
  if (parentId !== null) return uidOfTask(parentId);
  return kind === "subtask" ? awaitedParent(key) : null;
}

function statusOf({ completed, percent }: TaskItem): "COMPLETED" | "IN-PROCESS" | "NEEDS-ACTION" {
  if (completed) return "COMPLETED";
  return percent > 0 ? "IN-PROCESS" : "NEEDS-ACTION";
}

/** Objects of any time include their zone; other time zone data may differ in a single year. */
const allYears = { fromYear: 1900, toYear: 2100 } as const;

/**
 * A hash of how this build writes objects in a zone, from samples: if a newer build writes differently, every ETag changes
 * without an entry in the change log.
 */
export function objectFormatOf(zone: string): string {
  const zonesOf = createZoneWriter();
  const context = {
    zone,
    labels: new Map([[sampleLabel, "Label"]]),
    uidOfTask: () => "parent",
    awaitedParent: () => null,
  };
  const texts = sampleViews.flatMap((view) => {
    const components =
      view.item.kind === "event" ? (["VEVENT", "VTODO"] as const) : (["VTODO"] as const);
    return components.map((component) => renderComponent(view, component, context));
  });
  const objects = texts.map((text) => writeObject(text, zonesOf(text)));
  return fingerprint(JSON.stringify([...objects, writeTimeZone({ zone, ...allYears })]));
}
