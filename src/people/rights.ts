import { readCustomDateUid } from "../domain/custom-date.ts";
import type { ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { seesItem, seesProject } from "../domain/visibility.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";

/** Where an edit creates or changes an item. */
export interface Destination {
  /** Project for new items. */
  readonly projectId: ProjectId;
  readonly listId: ListId | null;
}

/** The permissions of people who edit in their own name. */
export type Rights = ReturnType<typeof createRights>;

export interface RightsDeps {
  readonly store: Store;
  /** People who may change nothing. */
  readonly readOnly: ReadonlySet<PersonId>;
}

/** Decides who may edit in which project and list, based on what that person may see. */
export function createRights({ store, readOnly }: RightsDeps) {
  const { directory, mirror, view, pastEdits } = store;

  const sees = (person: PersonId, item: Item): boolean =>
    seesItem(person, {
      item,
      project: directory.project(item.projectId),
      list: directory.listOf(item),
    });

  /** The item as it is shown, or as last known: an item that waits for approval is not shown to anybody yet. */
  function itemOf(uid: string): Item | null {
    const identity = mirror.findUid(readCustomDateUid(uid)?.taskUid ?? uid);
    if (!identity) return null;
    const { item: key } = identity;
    const shown = view.get(key)?.item ?? view.history(key, null).at(-1);
    return shown ?? pastEdits.ofItem(key)[0]?.base ?? null;
  }

  function seesList(
    person: PersonId,
    { projectId, listId }: Pick<Destination, "projectId" | "listId">,
  ): boolean {
    if (listId === null) return true;
    const list = directory.todolist(listId);
    // A missing list is answered like a hidden one.
    if (!list || list.archived || list.projectId !== projectId) return false;
    return (
      !list.private ||
      view
        .ofProject(projectId)
        .some(({ item }) => item.kind !== "event" && item.listId === listId && sees(person, item))
    );
  }

  function mayLookAt(person: PersonId, uid: string): boolean {
    const item = itemOf(uid);
    return item === null || sees(person, item);
  }

  return {
    /** True if the item with this UID, if any, may be shown to this person. */
    mayLookAt,
    /** Why this person may not edit there, as text for people; null if allowed. Reveals nothing that the person may not see. */
    refusal(person: PersonId, destination: Destination): string | null {
      const { projectId, listId } = destination;
      if (readOnly.has(person)) return say("rightsFault.readOnly", { person: String(person) });
      if (!seesProject(person, directory.project(projectId))) {
        return say("feedFault.notOpen", {
          project: String(projectId),
          person: String(person),
        });
      }
      if (!seesList(person, destination)) {
        return say("rightsFault.list", {
          list: String(listId),
          project: String(projectId),
          person: String(person),
        });
      }
      return null;
    },
  };
}
