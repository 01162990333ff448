import type { ListId, PersonId, ProjectId, ServiceId } from "../../domain/ids.ts";
import type { Item, ItemKind, Person, Project, Todolist } from "../../domain/item.ts";
import type { Store } from "../store.ts";

/** What is mirrored of things, by their ids; null for what is not. What is gone from the directory is known still. */
export function heldIn({ mirror, directory }: Store) {
  return {
    item(kind: ItemKind, id: ServiceId): Item | null {
      const key = mirror.find(kind, id);
      return key === null ? null : (mirror.get(key)?.item ?? null);
    },
    project: (id: ProjectId): Project | null => directory.project(id),
    todolist: (id: ListId): Todolist | null => directory.todolist(id),
    person: (id: PersonId): Person | null => directory.person(id),
  };
}
