import type { Channel } from "../../domain/edit.ts";
import type { EditId, ItemKey, ListId, PersonId, ProjectId } from "../../domain/ids.ts";
import { type Item, spokenKind } from "../../domain/item.ts";
import {
  applyPatch,
  fieldsOf,
  type Place,
  placeOf,
  valuesOf,
  without,
} from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { samePlace } from "../../domain/sameness.ts";
import { assigneesToKeepVisible } from "../../domain/visibility.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Store } from "../../store/store.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { say } from "../../texts/say.ts";
import { stored } from "../../texts/stored.ts";
import { didInWords } from "../actions/sentence.ts";
import {
  actionOf,
  changesInWords,
  changesOf,
  namedPlaces,
  namesOf,
  placeName,
  sameWish,
} from "../field-changes.ts";
import type { AcceptDeps } from "./accept.ts";
import {
  type Acceptance,
  noItems,
  type Plan,
  type PlannedAction,
  type PlannedItem,
} from "./plan-answer.ts";
import { isMine, ownHeld } from "./plan-known.ts";
import { type Note, quote } from "./plan-part.ts";

/** Where an item is to be moved: an event to a project, a task to a list. */
export interface MoveRequest {
  readonly channel: Channel;
  readonly actor: PersonId | null;
  /** User-Agent of the program, if any. */
  readonly program?: string | undefined;
  readonly item: ItemKey;
  readonly projectId: ProjectId;
  /** Null for an event. */
  readonly listId: ListId | null;
}

/**
 * Accepts a move, as `createAccept` accepts a file: a plan with one item. Nothing has been sent when this returns, but the view
 * shows the item in its new place, with its subtasks.
 */
export function createAcceptMove(deps: AcceptDeps): (request: MoveRequest) => Acceptance {
  const { store, policy, onAccepted } = deps;
  const state = policy.mode === "review" ? "held" : "pending";

  function keep(request: MoveRequest, { viewed, place }: Wish): Kept {
    const assigned = seersAfter(request, { viewed, deps });
    const waiting = ownHeld(request.item, { store, ...request });
    const patch = { ...waiting?.patch, place, ...(assigned && { assigned }) };
    const edit = { patch, newLabels: waiting?.newLabels ?? [] };
    const held = store.journal
      .heldOf(request.item)
      .find((other) => sameWish(other, edit) && isMine(other, request));
    if (held) return { editId: held.id, notes: [waits(held.id)] };
    const { channel, actor, program, item } = request;
    const base = waiting ? applyPatch(viewed.item, waiting.bases) : viewed.item;
    const kept = waiting?.ids.flatMap((id) => store.heldObjects.get(id) ?? []).at(-1);
    const halves = firstHalves(request, store).map(({ id }) => id);
    for (const id of [...(waiting?.ids ?? []), ...halves])
      store.journal.discard(id, stored("problem.takenIn"));
    const about = { channel, actor, program, item, base, state } as const;
    const editId = store.journal.append({ ...about, ...edit, action: "update" });
    if (kept && state === "held") store.heldObjects.carry(editId, kept);
    return { editId, notes: [] };
  }

  return (request) => {
    const planned = store.durably((): PlannedItem => {
      const checked = check(request, store);
      if (!checked.ok) return refused(request, checked.failure, store);
      const { viewed, place } = checked.value;
      const about = itemOf(viewed);
      const before = valuesOf(viewed.item);
      if (samePlace(placeOf(viewed.item), place)) {
        stay(request, viewed, deps);
        return { ...about, ...noEdit, action: "unchanged", problems: [] };
      }
      const { editId, notes } = keep(request, checked.value);
      const changes = namedPlaces(changesOf(before, { patch: { place }, newLabels: [] }), {
        places: [before.place, place],
        directory: store.directory,
      });
      const words = changesInWords(changes, namesOf(store));
      const described = {
        action: "update",
        base: viewed.item,
        patch: { place },
        newLabels: [],
      } as const;
      const did = didInWords({ ...described, createdAt: deps.clock() }, namesOf(store));
      return { ...about, action: "update", changes, words, did, problems: notes, editId };
    });
    if (planned.action === "update" && state === "pending") onAccepted();
    return planOf(planned);
  };
}

/**
 * A moved event is recreated in its new project by the mover or the account; its creator and the mover are assigned to keep
 * access to a private one. A task keeps its creator; in a private list its mover may have to be assigned.
 */
function seersAfter(
  { actor, listId }: MoveRequest,
  { viewed: { item }, deps }: { readonly viewed: ViewItem; readonly deps: AcceptDeps },
) {
  const isEvent = item.kind === "event";
  const maker = actor !== null && deps.withOwnKey?.has(actor) === true ? actor : null;
  return assigneesToKeepVisible(item, {
    list: listId === null ? null : deps.store.directory.todolist(listId),
    creator: isEvent ? maker : item.creatorId,
    people: isEvent ? [item.creatorId, actor] : [actor],
  });
}

/** A move back to where the item is cancels a waiting move of the same editor. Other changes of that edit keep waiting. */
function stay(request: MoveRequest, viewed: ViewItem, deps: AcceptDeps): void {
  const { store } = deps;
  const { item, channel, actor, program } = request;
  const waiting = ownHeld(item, { store, channel, actor });
  if (waiting?.patch.place === undefined) return;
  const kept = waiting.ids.flatMap((id) => store.heldObjects.get(id) ?? []).at(-1);
  for (const id of waiting.ids) store.journal.discard(id, stored("problem.takenIn"));
  const patch = without(waiting.patch, "place");
  if (fieldsOf(patch).length === 0) return;
  const base = applyPatch(viewed.item, waiting.bases);
  const { newLabels } = waiting;
  const about = { channel, actor, program, item, base, patch, newLabels, state: "held" } as const;
  const id = store.journal.append({ ...about, action: actionOf(patch) });
  if (kept) store.heldObjects.carry(id, kept);
}

interface Wish {
  readonly viewed: ViewItem;
  readonly place: Place;
}

interface Kept {
  readonly editId: EditId;
  readonly notes: readonly Note[];
}

/** The item and the place, or why the item cannot be moved there. */
function check(request: MoveRequest, { view, directory }: Store): Result<Wish, Note> {
  const { item: key, projectId, listId } = request;
  const place = { projectId, listId };
  const viewed = view.get(key);
  if (!viewed) {
    return fail({ line: null, code: "gone", message: say("intake.gone") });
  }
  if (viewed.item.kind === "subtask") {
    return fail({ line: null, code: "subtask-place", message: say("intake.subtaskPlace") });
  }
  return placeFault(place, viewed.item, directory) ?? ok({ viewed, place });
}

function placeFault(place: Place, item: Item, directory: Directory): Result<never, Note> | null {
  const { projectId, listId } = place;
  const project = directory.project(projectId);
  if (!project) {
    const message = say("intake.unknownProject", { project: String(projectId) });
    return fail({ line: null, code: "unknown-project", message });
  }
  if ((item.kind === "event") !== (listId === null)) {
    const message = say(item.kind === "event" ? "intake.eventInList" : "intake.taskNeedsList");
    return fail({ line: null, code: "wrong-place", message });
  }
  const list = listId === null ? null : directory.todolist(listId);
  if (listId !== null && list?.projectId !== projectId) {
    const names = { project: String(projectId), list: String(listId) };
    return fail({ line: null, code: "wrong-list", message: say("intake.wrongList", names) });
  }
  // Archived places are not polled, so changes of the item would never be seen.
  if ((project.archived || list?.archived === true) && !isThere(item, place)) {
    const message = say("intake.archived", { place: quote(placeName(place, directory)) });
    return fail({ line: null, code: "archived", message });
  }
  return null;
}

const isThere = (item: Item, place: Place): boolean => samePlace(placeOf(item), place);

/**
 * Programs that cannot move also delete the item. If that deletion waits for approval, approving it would delete the moved
 * item.
 */
const firstHalves = ({ channel, actor, item }: MoveRequest, { journal }: Store) =>
  journal
    .heldOf(item)
    .filter((held) => held.action === "delete" && held.channel === channel && held.actor === actor);

const waits = (edit: EditId): Note => ({
  line: null,
  code: "waiting",
  message: say("intake.sameWaits", { edit: String(edit) }),
});

const itemOf = ({ uid, item }: ViewItem) => ({
  ...{ uid, series: null },
  ...{ kind: spokenKind(item), title: item.title },
});

function refused({ item: key }: MoveRequest, note: Note, store: Store): PlannedItem {
  const viewed = store.view.get(key);
  const { uid, kind } = store.mirror.identity(key);
  const about = viewed ? itemOf(viewed) : { uid, series: null, kind, title: "" };
  return { ...about, ...noEdit, action: "refused", problems: [note] };
}

const noEdit = { changes: [], words: [], did: null, editId: null } as const;

function planOf(item: PlannedItem): Plan {
  const { uid, action, problems } = item;
  const counted: Partial<Record<PlannedAction, number>> = { [action]: 1 };
  const isRefused = action === "refused";
  return {
    kind: "plan",
    items: [item],
    summary: { ...noItems, ...counted },
    errors: isRefused ? problems.map((problem) => ({ ...problem, uid })) : [],
    more: { items: 0, errors: 0 },
    sendingSeconds: 0,
  };
}
