import { readCustomDateUid } from "../domain/custom-date.ts";
import type { ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { seesItem, seesProject } from "../domain/sight.ts";
import { readCalendar } from "../ics/read/read.ts";
import type { Store } from "../store/store.ts";

/** What a file of edits is about. */
export interface Undertaking {
  /** Where new items are to go. */
  readonly projectId: ProjectId;
  readonly listId: ListId | null;
  /** The calendar file. */
  readonly bytes: Uint8Array;
}

/** What people may hand in under their own names. */
export interface Rights {
  /** Why this person may not, for people; null where nothing is in the way. It tells nothing of what they may not see. */
  refusal(person: PersonId, undertaking: Undertaking): string | null;
  /** Whether the item of this UID, if there is one, is for this person's eyes. */
  mayLookAt(person: PersonId, uid: string): boolean;
}

export interface RightsDeps {
  readonly store: Store;
  /** The account's zone. */
  readonly zone: string;
  /** Who may change nothing. */
  readonly readOnly: ReadonlySet<PersonId>;
}

export function createRights({ store, zone, readOnly }: RightsDeps): Rights {
  const { directory, mirror, view, pastEdits } = store;

  const sees = (person: PersonId, item: Item): boolean =>
    seesItem(person, {
      item,
      project: directory.project(item.projectId),
      list: item.kind === "event" ? null : directory.todolist(item.listId),
    });

  /** As it is shown, or as it was last known: a creation that waits for its editor is shown to nobody. */
  function itemOf(uid: string): Item | null {
    const identity = mirror.findUid(readCustomDateUid(uid)?.taskUid ?? uid);
    if (!identity) return null;
    const { item: key } = identity;
    const shown = view.get(key)?.item ?? view.history(key).at(-1);
    return shown ?? pastEdits.ofItem(key)[0]?.base ?? null;
  }

  /** A file that cannot be read holds nothing that could be done. */
  function uidsIn(bytes: Uint8Array): readonly string[] {
    const read = readCalendar(bytes, { zone });
    const items = read.ok ? read.value.items : [];
    const uids = items.flatMap(({ uid, relatedTo }) => [uid, ...(relatedTo ? [relatedTo] : [])]);
    return [...new Set(uids)];
  }

  function seesList(
    person: PersonId,
    { projectId, listId }: Pick<Undertaking, "projectId" | "listId">,
  ): boolean {
    const list = listId === null ? null : directory.todolist(listId);
    if (!list) return true;
    if (list.archived || list.projectId !== projectId) return false;
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
    mayLookAt,
    refusal(person, undertaking) {
      const { projectId, listId, bytes } = undertaking;
      if (readOnly.has(person)) return `person ${person} may read calendars and not change them`;
      if (!seesProject(person, directory.project(projectId))) {
        return `project ${projectId} is not open to person ${person}`;
      }
      if (!seesList(person, undertaking)) {
        return `list ${listId} of project ${projectId} is not open to person ${person}`;
      }
      const hidden = uidsIn(bytes).filter((uid) => !mayLookAt(person, uid));
      if (hidden.length === 0) return null;
      const shown = hidden.slice(0, 5).map((uid) => JSON.stringify(uid.slice(0, 100)));
      const others =
        hidden.length > shown.length ? ` and ${hidden.length - shown.length} more` : "";
      return `these items are not open to person ${person}: ${shown.join(", ")}${others}`;
    },
  };
}
