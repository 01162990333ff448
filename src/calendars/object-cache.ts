import { OutdatedObjectError } from "@dayferry/caldav-server/backend";
import { endsAt, startsAt } from "@dayferry/ical";
import type { ItemKey } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { CalendarObject, ObjectComponent } from "./calendar-types.ts";
import type { MemberOctets, ObjectRenderer } from "./object-renderer.ts";
import { nameOfUid } from "./resource-names.ts";

const components = ["VEVENT", "VTODO"] as const;

interface ObjectCacheDeps {
  readonly store: Store;
  readonly renderer: ObjectRenderer;
  /** The account's zone. */
  readonly zone: string;
  /** Number of octets kept in memory. */
  readonly budget: number;
}

/** The present calendar objects of items, and their octets up to a budget. An item is written once for all calendars. */
export function createObjectCache({ store, renderer, zone, budget }: ObjectCacheDeps) {
  const objects = new Map<number, CalendarObject>();
  const cache = createOctetCache(budget);

  function make(view: ViewItem, component: ObjectComponent): CalendarObject {
    const { key, uid } = view;
    const written = renderer.write(view, component);
    cache.put(idOf(key, component), written);
    const name = store.objectNames.of(key) ?? nameOfUid(uid);
    return memberObject(view, component, { name, written, zone });
  }

  return {
    object(view: ViewItem, component: ObjectComponent): CalendarObject {
      const id = idOf(view.key, component);
      const object = objects.get(id) ?? make(view, component);
      objects.set(id, object);
      return object;
    },
    /** The octets with the object's ETag. Throws an `OutdatedObjectError` if the item has changed since. */
    octets(object: CalendarObject): Buffer {
      const { key, component, etag } = object;
      const id = idOf(key, component);
      const cached = cache.get(id, etag);
      if (cached) return cached;
      const view = store.view.get(key);
      const written = view && renderer.write(view, component);
      if (written?.etag !== etag) throw new OutdatedObjectError(object);
      cache.put(id, written);
      return written.octets;
    },
    /** Drops a changed item. */
    drop(key: ItemKey): void {
      for (const component of components) {
        objects.delete(idOf(key, component));
        cache.drop(idOf(key, component));
      }
    },
    /** Drops all objects. Octets stay, as their ETag tells whether they are valid. */
    clear(): void {
      objects.clear();
    },
  };
}

/** A numeric key, as it is computed for each member of a long list. */
const idOf = (key: ItemKey, component: ObjectComponent): number =>
  2 * key + (component === "VTODO" ? 1 : 0);

/** Approximate overhead of one entry in octets. */
const sizeOfEntry = 300;

/** Octets in memory up to a budget, in octets; the oldest are evicted first. */
function createOctetCache(budget: number) {
  const kept = new Map<number, { readonly etag: string; readonly octets: Buffer }>();
  let size = 0;

  function drop(id: number): void {
    const known = kept.get(id);
    if (!known) return;
    size -= known.octets.byteLength + sizeOfEntry;
    kept.delete(id);
  }

  return {
    get(id: number, etag: string): Buffer | null {
      const found = kept.get(id);
      return found?.etag === etag ? found.octets : null;
    },
    put(id: number, text: { readonly etag: string; readonly octets: Buffer }): void {
      drop(id);
      kept.set(id, text);
      size += text.octets.byteLength + sizeOfEntry;
      for (const oldest of kept.keys()) {
        if (size <= budget) break;
        drop(oldest);
      }
    },
    drop,
  };
}

/** A calendar object without its octets. */
export function memberObject(
  { key, uid, item }: ViewItem,
  component: ObjectComponent,
  as: { readonly name: string; readonly written: MemberOctets; readonly zone: string },
): CalendarObject {
  const { octets, etag, modifiedAt } = as.written;
  const size = { length: octets.byteLength, span: spanOf(item, as.zone) };
  return { key, uid, component, name: as.name, etag, modifiedAt, ...size };
}

const oneDay = Temporal.Duration.from({ hours: 24 }).total("milliseconds");
/** Programs and queries may mean whole days in another zone than the account's. */
const otherZones = Temporal.Duration.from({ hours: 26 }).total("milliseconds");

/** The approximate span of an item: no time range outside of it matches; inside, it must be checked. */
export function spanOf(item: Item, zone: string): CalendarObject["span"] {
  if (item.kind !== "event") return daysSpan(item.startOn ?? item.dueOn, item.dueOn, zone);
  const [from, to] = [startsAt(item.when, zone), endsAt(item.when, zone)];
  const isWhole = item.when.kind === "dates" || item.milestone;
  // An item that ends before it starts is shown at its start.
  const earliestEnd = from.epochMilliseconds + (isWhole ? oneDay : 0);
  return widened(from.epochMilliseconds, Math.max(to.epochMilliseconds, earliestEnd), isWhole);
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
  // Ranges that only touch an item without duration, or a to-do's due time, match it.
  const margin = isWhole ? otherZones : 1;
  return { from: from - margin, to: to + margin };
}
