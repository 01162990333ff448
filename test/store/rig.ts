import type { EditAction } from "../../src/domain/edit.ts";
import type { ItemKey, ServiceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import type { Patch } from "../../src/domain/patch.ts";
import { sourceOf } from "../../src/domain/source.ts";
import type { Store } from "../../src/store/store.ts";
import type { ViewItem } from "../../src/store/view/view.ts";
import { handClock, testStore } from "../support/test-store.ts";

/** A store in memory, with the few helpers that its tests need. */
export function storeRig(start = "2026-11-20T12:00:00Z") {
  const clock = handClock(start);
  const store = testStore(clock);
  return { clock, store, ...wordsOf(store) };
}

function wordsOf(store: Store) {
  function put(item: Item & { readonly id: ServiceId }): ItemKey {
    store.mirror.put(item, sourceOf(item));
    const key = store.mirror.find(item.kind, item.id);
    if (!key) throw new Error("the item was not put");
    return key;
  }
  function seen(key: ItemKey): ViewItem {
    const view = store.view.get(key);
    if (!view) throw new Error(`item ${key} is not in the view`);
    return view;
  }
  function wish(item: ItemKey, action: EditAction, patch: Patch = {}) {
    const base = store.view.get(item)?.item ?? store.mirror.get(item)?.item;
    if (!base) throw new Error(`item ${item} is not known`);
    return append({ item, action, base, patch });
  }
  function append(edit: {
    item: ItemKey;
    action: EditAction;
    base: Item;
    patch?: Patch;
    state?: "held";
  }) {
    return store.journal.append({
      channel: "upload",
      actor: null,
      newLabels: [],
      patch: {},
      state: "pending",
      ...edit,
    });
  }
  /** A creation that waits to be sent. */
  function appendCreation(item: Item, uid = "born@calendar") {
    const key = store.mirror.createIdentity(item.kind, uid);
    return { key, edit: append({ item: key, action: "create", base: { ...item, id: null } }) };
  }
  return { put, seen, wish, append, appendCreation };
}

/** The wish for another title. */
export const title = (text: string): Patch => ({ title: text });
