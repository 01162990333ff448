import type { ItemKey } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { endsAt, startsAt } from "../domain/when.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { CalendarObject, ObjectComponent } from "./calendar-types.ts";
import type { ObjectRenderer } from "./object-renderer.ts";
import { nameOfUid } from "./resource-names.ts";

/** Members as they are now, written once per change and shared by all calendars that show them. */
export interface ObjectCache {
  readonly object: (view: ViewItem, component: ObjectComponent) => CalendarObject;
  readonly octets: (object: CalendarObject) => Buffer;
  /** Forgets an item that changed. */
  readonly drop: (key: ItemKey) => void;
  readonly clear: () => void;
}

/** Thrown when the octets of a member are asked for that has changed since. */
export class EarlierObjectError extends Error {
  override readonly name = "EarlierObjectError";
  constructor({ uid }: CalendarObject) {
    super(`the calendar object of ${JSON.stringify(uid)} is of an earlier revision`);
  }
}

const components = ["VEVENT", "VTODO"] as const;

export function createObjectCache(deps: {
  readonly store: Store;
  readonly renderer: ObjectRenderer;
  readonly zone: string;
  /** How many octets are kept in memory. */
  readonly budget: number;
}): ObjectCache {
  const { store, renderer, zone } = deps;
  const objects = new Map<number, CalendarObject>();
  const cache = createOctetCache(deps.budget);

  function make(view: ViewItem, component: ObjectComponent): CalendarObject {
    const { key, uid, item } = view;
    const written = renderer.write(view, component);
    cache.put(idOf(key, component), written);
    return {
      key,
      uid,
      component,
      name: store.objectNames.of(key) ?? nameOfUid(uid),
      etag: written.etag,
      modifiedAt: written.modifiedAt,
      length: written.octets.byteLength,
      span: spanOf(item, zone),
    };
  }

  return {
    object(view, component) {
      const id = idOf(view.key, component);
      const object = objects.get(id) ?? make(view, component);
      objects.set(id, object);
      return object;
    },
    octets(object) {
      const { key, component, etag } = object;
      const id = idOf(key, component);
      const cached = cache.get(id, etag);
      if (cached) return cached;
      const view = store.view.get(key);
      const written = view && renderer.write(view, component);
      if (written?.etag !== etag) throw new EarlierObjectError(object);
      cache.put(id, written);
      return written.octets;
    },
    drop(key) {
      for (const component of components) {
        objects.delete(idOf(key, component));
        cache.drop(idOf(key, component));
      }
    },
    clear() {
      objects.clear();
    },
  };
}

/** A number, as it is made and looked up for each member of a long list. */
const idOf = (key: ItemKey, component: ObjectComponent): number =>
  2 * key + (component === "VTODO" ? 1 : 0);

/** Texts in memory up to a budget; the oldest go first. */
interface OctetCache {
  readonly get: (id: number, etag: string) => Buffer | null;
  readonly put: (id: number, text: { readonly etag: string; readonly octets: Buffer }) => void;
  readonly drop: (id: number) => void;
}

/** `budget`: in octets. */
function createOctetCache(budget: number): OctetCache {
  const kept = new Map<number, { readonly etag: string; readonly octets: Buffer }>();
  let size = 0;

  function drop(id: number): void {
    size -= kept.get(id)?.octets.byteLength ?? 0;
    kept.delete(id);
  }

  return {
    get(id, etag) {
      const found = kept.get(id);
      return found?.etag === etag ? found.octets : null;
    },
    put(id, text) {
      drop(id);
      kept.set(id, text);
      size += text.octets.byteLength;
      for (const oldest of kept.keys()) {
        if (size <= budget) break;
        drop(oldest);
      }
    },
    drop,
  };
}

/** Whole days may be meant in another zone than the account's, by programs and by their questions. */
const otherZones = Temporal.Duration.from({ hours: 26 }).total("milliseconds");

/** The coarse span of an item: outside of it no time range matches, inside it has to be looked at. */
export function spanOf(item: Item, zone: string): CalendarObject["span"] {
  if (item.kind !== "event") return daysSpan(item.startOn ?? item.dueOn, item.dueOn, zone);
  const [from, to] = [startsAt(item.when, zone), endsAt(item.when, zone)];
  const isWhole = item.when.kind === "dates" || item.milestone;
  return widened(from.epochMilliseconds, to.epochMilliseconds, isWhole);
}

function daysSpan(
  first: Temporal.PlainDate | null,
  last: Temporal.PlainDate | null,
  zone: string,
): CalendarObject["span"] {
  if (!first) return null;
  const days = [first, last ?? first];
  const from = Math.min(...days.map((day) => day.toZonedDateTime(zone).epochMilliseconds));
  const ends = days.map((day) => day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds);
  return widened(from, Math.max(...ends), true);
}

function widened(from: number, to: number, isWhole: boolean): CalendarObject["span"] {
  // Ranges that only touch an item of no length, or the due time of a to-do, match it.
  const margin = isWhole ? otherZones : 1;
  return { from: from - margin, to: to + margin };
}
