import { hash } from "node:crypto";
import type { ItemKey, LabelId, ServiceId } from "../domain/ids.ts";
import { foldLines } from "../ics/lines/component-text.ts";
import { readTree } from "../ics/lines/tree.ts";
import {
  canonicalText,
  overlayOctets,
  restampOctets,
  saysAsOctets,
} from "../ics/overlay/overlay.ts";
import { findUnstorable } from "../ics/read/unstorable.ts";
import { writeObject } from "../ics/write/write-object.ts";
import { createZoneWriter } from "../ics/zones/object-zones.ts";
import type { ObjectRow } from "../store/rows/calendar-rows.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { ObjectComponent } from "./calendar-types.ts";
import { renderComponent } from "./render-component.ts";

/** The text of a member, and what is told of it beside. */
export interface Written {
  readonly octets: Buffer;
  /** Strong and quoted. */
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
}

/** Writes members as they are now; the same state of the store always gives the same octets. */
export interface ObjectRenderer {
  /** `row`: what a program has put; what is kept of the item unless said. */
  readonly write: (view: ViewItem, component: ObjectComponent, row?: ObjectRow | null) => Written;
  /** The text of the item alone, as it is compared. */
  readonly say: (view: ViewItem, component: ObjectComponent) => string;
  /** What a program has put, when it is given out as it came. */
  readonly exact: (
    view: ViewItem,
    component: ObjectComponent,
    row?: ObjectRow | null,
  ) => ObjectRow | null;
  /** Forgets names that may have changed. */
  readonly forget: () => void;
}

/** An item as one component. */
interface RenderedObject {
  readonly component: ObjectComponent;
  readonly text: string;
  readonly canonical: string;
}

export function createObjectRenderer({
  store,
  zone,
}: {
  readonly store: Store;
  readonly zone: string;
}): ObjectRenderer {
  const zonesOf = createZoneWriter();
  let labels: ReadonlyMap<LabelId, string> = new Map();
  let readAt = -1;

  function labelNames(): ReadonlyMap<LabelId, string> {
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
  /** An event says what it says for itself; a task names labels and another task, which may be renamed. */
  const dressed = new WeakMap<ViewItem, RenderedObject>();

  function dressedOf(view: ViewItem, component: ObjectComponent): RenderedObject {
    const known = dressed.get(view);
    if (known?.component === component) return known;
    const context = { zone, labels: labelNames(), uidOfTask, awaitedParent };
    const text = renderComponent(view, component, context);
    const made = { component, text, canonical: canonicalText(text) };
    if (view.item.kind === "event") dressed.set(view, made);
    return made;
  }

  function octetsOf(view: ViewItem, component: ObjectComponent, row: ObjectRow | null): Buffer {
    const own = dressedOf(view, component);
    const extra = row?.body ? row.laid : (row?.raw ?? null);
    const text = extra === null ? own.text : withKeptLines(own.text, extra, component);
    if (!row?.body) return Buffer.from(writeObject(text, zonesOf(text)));
    const now = extra === null ? own.canonical : canonicalText(text);
    if (isExact(row, { body: row.body, component, now, zone })) return Buffer.from(row.body);
    const { sequence, modifiedAt } = view;
    const kept = { octets: row.body, component, stamp: { sequence, modifiedAt } };
    const laid = overlayOctets({ ...kept, said: row.said, now, zones: zonesOf(text), zone });
    // It said something else in between, or has to be loaded anew: it must not go back to an earlier version.
    const isAsKept = Buffer.compare(Buffer.from(laid), row.body) === 0;
    return Buffer.from(isAsKept ? restampOctets(kept) : laid);
  }

  return {
    write(view, component, row = store.objects.get({ item: view.key, component })) {
      const octets = octetsOf(view, component, row);
      return { octets, etag: etagOf(octets), modifiedAt: later(view.modifiedAt, row?.at ?? null) };
    },
    say: (view, component) => dressedOf(view, component).canonical,
    exact(view, component, row = store.objects.get({ item: view.key, component })) {
      if (!row?.body || row.laid !== null) return null;
      const now = dressedOf(view, component).canonical;
      return isExact(row, { body: row.body, component, now, zone }) ? row : null;
    },
    forget() {
      readAt = -1;
    },
  };
}

/**
 * Whether the item still says what it said when the octets were kept, or what they say, and has said nothing else since.
 * A to-do has its parent, and a new label its name, only after the octets that have asked for them.
 */
function isExact(
  { said, drifted }: ObjectRow,
  about: {
    readonly body: Uint8Array;
    readonly component: ObjectComponent;
    readonly now: string;
    readonly zone: string;
  },
): boolean {
  if (drifted || said === null) return false;
  const now = withTimeOf(said, about.now);
  const { body: octets, component, zone } = about;
  return said === now || saysAsOctets({ octets, component, said, now, zone });
}

/** When a completion took place is the service's to say: the program's own time is still true then. */
function withTimeOf(said: string, now: string): string {
  const completed = /^COMPLETED[:;].*$/m;
  const [own] = completed.exec(said) ?? [];
  return own === undefined ? now : now.replace(completed, () => own);
}

const etagOf = (octets: Buffer): string => `"${hash("sha256", octets, "hex").slice(0, 32)}"`;

const later = (a: Temporal.Instant, b: Temporal.Instant | null): Temporal.Instant =>
  b && Temporal.Instant.compare(b, a) > 0 ? b : a;

/**
 * Our component with what another channel said of the item and the service cannot hold: further properties, parts and
 * alarms. `raw`: that channel's component as unfolded lines joined by LF, which need not be of the same name.
 */
function withKeptLines(text: string, raw: string, component: ObjectComponent): string {
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
