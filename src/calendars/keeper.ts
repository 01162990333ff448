import { eventsOf, tasksOf } from "../domain/collection.ts";
import { type ItemKey, revision } from "../domain/ids.ts";
import { contentText } from "../store/rows/rows.ts";
import type { Store } from "../store/store.ts";
import type { Calendar, KeptObject } from "./calendar.ts";
import { nameOfUid } from "./names.ts";
import type { Scribe } from "./octets.ts";

/** What programs did with names and octets; each belongs inside the transaction of the edit, after it. */
export interface Keeper {
  readonly keep: (object: KeptObject) => void;
  readonly rename: (key: ItemKey, name: string) => void;
  readonly reload: (key: ItemKey) => void;
  readonly retract: (
    calendar: Calendar,
    object: { readonly key: ItemKey; readonly name: string },
  ) => void;
}

export function createKeeper({
  store,
  scribe,
}: {
  readonly store: Store;
  readonly scribe: Scribe;
}): Keeper {
  const { changes, objectNames, objects, view } = store;

  const nameOf = (key: ItemKey, uid: string): string => objectNames.of(key) ?? nameOfUid(uid);

  /** Whether programs are told of the item's change by this very transaction. */
  const isLogged = (key: ItemKey): boolean => changes.hasChangedAfter(store.standing().since, key);

  function giveName(key: ItemKey, name: string): void {
    const { uid } = store.mirror.identity(key);
    if (nameOf(key, uid) === name) return;
    const [retracted] = objectNames.all(key).slice(-1);
    // It was approved, so that everybody has seen it under that name.
    if (retracted && retracted.person !== null) objectNames.put({ ...retracted, person: null });
    const isBorn = view.versionsFrom(key, store.standing().since)[0]?.revision;
    const wasShown = isBorn !== undefined && isBorn <= store.standing().since;
    const at = wasShown ? changes.note(key) : revision(0);
    objectNames.put({ item: key, name, revision: at ?? revision(0), person: null });
  }

  return {
    keep({ key, component, name, uid, body, raw, actor, agent, says }) {
      const shown = view.get(key);
      if (!shown) return;
      giveName(key, name);
      const before = objects.get({ item: key, component });
      const own = scribe.say(shown, component);
      const isWhole = says === undefined || contentText(says) === contentText(shown.item);
      const said = isWhole ? own : scribe.say({ ...shown, item: says }, component);
      // What the item says beside is to be laid on, also what a reader would not miss.
      const drifted = said !== own;
      const isSame =
        !drifted &&
        before?.body !== null &&
        before?.body !== undefined &&
        before.said === said &&
        !before.drifted &&
        before.laid === null &&
        Buffer.compare(before.body, body) === 0;
      const text = raw.join("\n");
      objects.putBody({ item: key, component, uid, raw: text, body, said, drifted, actor, agent });
      if (!isSame && !isLogged(key)) changes.note(key);
    },
    rename: giveName,
    reload(key) {
      objects.drift(key);
      changes.touch(key);
    },
    retract({ person, projectId, listId }, { key, name }) {
      if (projectId === null) return;
      const collection = listId === null ? eventsOf(projectId) : tasksOf(listId);
      const shown = view.get(key);
      const present = shown && nameOf(key, shown.uid);
      const at = changes.retract(key, { collection, project: projectId });
      objectNames.put({ item: key, name, revision: at, person });
      // What is a member elsewhere keeps its own name there.
      const after = present === null ? null : changes.note(key);
      if (present !== null && after !== null) {
        objectNames.put({ item: key, name: present, revision: after, person: null });
      }
    },
  };
}
