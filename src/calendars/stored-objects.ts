import {
  type ItemKey,
  type LabelId,
  type PersonId,
  type ProjectId,
  revision,
} from "../domain/ids.ts";
import { type CollectionName, eventsOf, type Item, tasksOf } from "../domain/item.ts";
import { nameKey } from "../domain/sameness.ts";
import { withoutSignatures } from "../domain/signed-links.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { Calendars, StoredObject } from "./calendar-types.ts";
import type { ObjectRenderer } from "./object-renderer.ts";
import { nameOfUid } from "./resource-names.ts";

/**
 * Names and octets chosen by programs for objects: stored for everyone, or held with a waiting edit. Call inside the
 * transaction of the edit, after it.
 */
export function createStoredObjects({
  store,
  renderer,
  shownTo,
}: {
  readonly store: Store;
  readonly renderer: ObjectRenderer;
  /** An item as one person alone sees it. */
  readonly shownTo: (person: PersonId, key: ItemKey) => ViewItem | null;
}): Pick<Calendars, "keep" | "rename" | "hold" | "retract"> {
  const { changes, directory, heldObjects, objectNames, objects, view } = store;

  const nameOf = (key: ItemKey, uid: string): string => objectNames.of(key) ?? nameOfUid(uid);

  /** True if the running transaction changes the item, so that the next sync reports it to everyone. */
  function isLogged(key: ItemKey): boolean {
    const { since } = store.transaction();
    return view.versionsFrom(key, since).some(({ revision: at }) => at > since);
  }

  function giveName(key: ItemKey, name: string): void {
    const { uid } = store.mirror.identity(key);
    if (nameOf(key, uid) === name) return;
    const last = objectNames.all(key).at(-1);
    // It was approved, so everyone has seen it with that name.
    if (last && last.person !== null) objectNames.put({ ...last, person: null });
    const { since } = store.transaction();
    const shownAt = view.versionsFrom(key, since)[0]?.revision;
    const wasShown = shownAt !== undefined && shownAt <= since;
    const at = wasShown ? changes.note(key) : revision(0);
    objectNames.put({ item: key, name, revision: at ?? revision(0), person: null });
  }

  /** A member elsewhere keeps its own name there. */
  function tryName(
    key: ItemKey,
    tried: {
      readonly name: string;
      readonly person: PersonId;
      readonly collection: CollectionName;
      readonly project: ProjectId;
    },
  ): void {
    const { name, person, collection, project } = tried;
    const shown = view.get(key);
    const present = shown && nameOf(key, shown.uid);
    const at = changes.retract(key, { collection, project, person });
    objectNames.put({ item: key, name, revision: at, person });
    const after = present === null ? null : changes.note(key, person);
    if (present !== null && after !== null) {
      objectNames.put({ item: key, name: present, revision: after, person: null });
    }
  }

  /** How the item in the octets is rendered, and whether the shown item differs from it. */
  function renderingOf(shown: ViewItem, { component, categories, described }: StoredObject) {
    const own = renderer.canonical(shown, component);
    const isWhole = described === undefined || contentText(described) === contentText(shown.item);
    const names = formerNamesIn(categories, described ?? shown.item);
    const rendered =
      isWhole && !names
        ? own
        : renderer.canonical({ ...shown, item: described ?? shown.item }, component, names);
    // The rest of the item is applied, even if a reader would not miss it.
    return { rendered, stale: rendered !== own };
  }

  /** The labels of an item that the octets call by a former name. */
  function formerNamesIn(
    categories: readonly string[],
    item: Item,
  ): ReadonlyMap<LabelId, string> | undefined {
    if (item.kind === "event" || item.labels.length === 0) return undefined;
    const present = new Set([...directory.labelNames().values()].map(nameKey));
    const unknown = new Map(
      categories.filter((name) => !present.has(nameKey(name))).map((name) => [nameKey(name), name]),
    );
    if (unknown.size === 0) return undefined;
    const former = item.labels.flatMap((id) => {
      const names = directory.formerNames({ kind: "label", id }).map(nameKey);
      const said = unknown.get(names.find((name) => unknown.has(name)) ?? "");
      return said === undefined ? [] : [[id, said] as const];
    });
    return former.length === 0 ? undefined : new Map(former);
  }

  return {
    keep(put) {
      const object = withoutOpenLinks(put);
      const { key, component, name, body } = object;
      const shown = view.get(key);
      if (!shown) return;
      giveName(key, name);
      const before = objects.get({ item: key, component });
      const rendering = renderingOf(shown, object);
      const isSame =
        !rendering.stale &&
        before?.body &&
        before.rendered === rendering.rendered &&
        !before.stale &&
        before.overlaid === null &&
        Buffer.compare(before.body, body) === 0;
      objects.putBody({ ...columnsOf(object), ...rendering });
      if (!isSame && !isLogged(key)) changes.note(key);
    },
    rename: giveName,
    hold({ edit, key, name, object: put }) {
      const object = put && withoutOpenLinks(put);
      const shown = object && shownTo(object.actor, key);
      if (object && shown) {
        const rendering = renderingOf(shown, object);
        heldObjects.put({ edit, name, object: { ...columnsOf(object), ...rendering } });
      } else if (heldObjects.get(edit)) heldObjects.rename(edit, name);
      else heldObjects.put({ edit, name, object: null });
      changes.logForEditor(key, store.journal.get(edit)?.actor ?? null);
    },
    retract({ person, projectId, listId }, { key, name }) {
      if (projectId === null) return;
      const collection = listId === null ? eventsOf(projectId) : tasksOf(listId);
      const shown = view.get(key);
      tryName(key, { name, person, collection, project: projectId });
      const below = shown?.item.kind === "task" ? view.below(shown.item.id) : [];
      for (const { key: part, uid } of below) {
        tryName(part, { name: nameOf(part, uid), person, collection, project: projectId });
      }
    },
  };
}

const columnsOf = ({ key, component, uid, raw, body, actor, agent }: StoredObject) => {
  return { item: key, component, uid, raw: raw.join("\n"), body, actor, agent };
};

/** A program that copies an event from a feed copies the feed's links too; stored text must not contain working ones. */
function withoutOpenLinks(object: StoredObject): StoredObject {
  // One character per octet, so that the rest is preserved.
  const text = Buffer.from(object.body).toString("latin1");
  const body = Buffer.from(withoutSignatures(text), "latin1");
  return { ...object, body, raw: object.raw.map(withoutSignatures) };
}
