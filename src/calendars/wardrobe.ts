import type { ItemKey } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { CalendarObject, ObjectComponent } from "./calendar.ts";
import { nameOfUid } from "./names.ts";
import { createOctetCache } from "./octet-cache.ts";
import type { Scribe } from "./octets.ts";
import { spanOf } from "./span.ts";

/** Members as they are now, written once per change and shared by all calendars that show them. */
export interface Wardrobe {
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

export function createWardrobe(deps: {
  readonly store: Store;
  readonly scribe: Scribe;
  readonly zone: string;
  /** How many octets are kept in memory. */
  readonly budget: number;
}): Wardrobe {
  const { store, scribe, zone } = deps;
  const objects = new Map<number, CalendarObject>();
  const cache = createOctetCache(deps.budget);

  function make(view: ViewItem, component: ObjectComponent): CalendarObject {
    const { key, uid, item } = view;
    const written = scribe.write(view, component);
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
      const written = view && scribe.write(view, component);
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
