import { type Edit, inFlightUntil, type NoAnswer } from "../../domain/edit.ts";
import type { ListId, ProjectId, ServiceId } from "../../domain/ids.ts";
import type { Item, TaskItem } from "../../domain/item.ts";
import { fieldsOf, type Patch, type Place, without } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { storedKey, unstoredFields } from "../../domain/sameness.ts";
import type { ItemRequest } from "../../store/journal/attempts.ts";
import { isLagging, type LaggingDeps } from "../../store/mirror/lagging-reads.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import type { Call, Snapshot, Upstream } from "../../upstream/client.ts";
import type { itemCalls } from "../../upstream/element-calls.ts";
import { type Failure, isMissing } from "../../upstream/failure.ts";
import type { AttachmentRef, WithAttachments } from "../../upstream/resources/tasks.ts";

/** Address of an item in the service; `item` gives its kind and place, `id` its number there. */
export interface ItemAddress {
  readonly item: Item;
  readonly id: ServiceId;
}

/** The service's calls for items of all kinds, on behalf of one person. */
export interface ItemCalls {
  /** All items of the list that contains, or will contain, `item`. */
  list(item: Item): Promise<Result<Snapshot<Item>, Failure>>;
  get(address: ItemAddress): Promise<Result<Item, Failure>>;
  /** `files`: uploaded before; none for events. */
  create(
    item: Item,
    wish: { readonly patch: Patch; readonly files: readonly AttachmentRef[] },
  ): Promise<Result<Item, Failure>>;
  update(address: ItemAddress, patch: Patch): Promise<Result<Item, Failure>>;
  complete(address: ItemAddress, completed: boolean): Promise<Result<Item, Failure>>;
  delete(address: ItemAddress): Promise<Result<null, Failure>>;
  /** Moves a task to another list with everything that belongs to it. Only tasks can be moved. */
  move(address: ItemAddress, place: Place): Promise<Result<Item, Failure>>;
}

export interface ListAddress {
  readonly id: ListId;
  readonly projectId: ProjectId;
}

/** The look-ups of places, on behalf of one person. */
export interface PlaceCalls {
  projects(): Promise<Result<Snapshot<{ readonly id: ProjectId }>, Failure>>;
  todolists(project: ProjectId): Promise<Result<Snapshot<ListAddress>, Failure>>;
}

/** A moved task keeps everything. */
export const takeAlong = {
  movePeople: true,
  moveDates: true,
  copyAssignees: true,
  copyCustomFields: true,
  copyComments: true,
} as const;

/** Thrown for a move that the service does not support, which is refused on intake. */
class UnmovableItemError extends Error {
  override readonly name = "UnmovableItemError";
  constructor({ kind, title }: Item) {
    super(`the ${kind} ${JSON.stringify(title)} cannot be moved`);
  }
}

/** Thrown for a subtask without a parent, which is a bug. */
export class NoParentError extends Error {
  override readonly name = "NoParentError";
  constructor(title: string) {
    super(`the subtask ${JSON.stringify(title)} has no parent task`);
  }
}

export function createItemCalls({ events, tasks, subtasks }: Upstream, call: Call): ItemCalls {
  const at = <Answer>(
    item: Item,
    ask: <Place>(calls: CallsOfKind<Place>, place: Place) => Answer,
  ): Answer => {
    if (item.kind === "event") return ask(events, { projectId: item.projectId });
    return item.kind === "task" ? ask(tasks, listOf(item)) : ask(subtasks, below(item));
  };
  return {
    list: (item) => at(item, (calls, place) => calls.list(place, call)),
    get: ({ item, id }) => at(item, (calls, place) => calls.get({ ...place, id }, call)),
    create: (item, { patch, files }) => {
      const wish = files.length > 0 ? { patch, attachments: files } : { patch };
      return at(item, (calls, place) => calls.create({ ...place, ...wish }, call));
    },
    update: ({ item, id }, patch) =>
      at(item, (calls, place) => calls.update({ ...place, id, patch }, call)),
    complete: ({ item, id }, completed) =>
      at(item, (calls, place) => calls.complete({ ...place, id, completed }, call)),
    delete: ({ item, id }) => at(item, (calls, place) => calls.delete({ ...place, id }, call)),
    move({ item, id }, place) {
      if (item.kind !== "task" || place.listId === null) throw new UnmovableItemError(item);
      const target = { targetProjectId: place.projectId, targetListId: place.listId };
      const { title } = item;
      return tasks.move({ ...listOf(item), id, title, ...target, ...takeAlong }, call);
    },
  };
}

/** The requests of one kind of item. */
type CallsOfKind<Place> = ReturnType<typeof itemCalls<Place, Item, WithAttachments>>;

const listOf = ({ projectId, listId }: TaskItem) => ({ projectId, listId });

function below(item: TaskItem) {
  if (item.parentId === null) throw new NoParentError(item.title);
  return { ...listOf(item), taskId: item.parentId };
}

export const createPlaceCalls = ({ workspace }: Upstream, call: Call): PlaceCalls => ({
  projects: () => workspace.projects(call),
  todolists: (projectId) => workspace.todolists({ projectId }, call),
});

/** Sends the fields, and then the completion, which is a separate request. Does not send the place, which needs a move. */
export async function send(
  calls: ItemCalls,
  { address, patch }: { readonly address: ItemAddress; readonly patch: Patch },
): Promise<Result<Item, Failure>> {
  const { completed, milestone } = patch;
  const fields = without(patch, "completed");
  let answer: Result<Item, Failure> | null = null;
  if (fieldsOf(fields).length > 0) {
    answer = await readBack(await calls.update(address, fields), { calls, address, fields });
    if (!answer.ok) return answer;
  }
  // An item that stops being a milestone cannot be reopened, and need not be.
  if (completed !== undefined && milestone !== false) {
    answer = await complete(calls, { address, completed });
  }
  return answer ?? calls.get(address);
}

/** Completes or reopens an item. */
export async function complete(
  calls: ItemCalls,
  { address, completed }: { readonly address: ItemAddress; readonly completed: boolean },
): Promise<Result<Item, Failure>> {
  const answer = await calls.complete(address, completed);
  return readBack(answer, { calls, address, fields: { completed } });
}

/** If the answer to a change is unreadable, the item itself shows whether the change was made. */
async function readBack(
  answer: Result<Item, Failure>,
  sent: { readonly calls: ItemCalls; readonly address: ItemAddress; readonly fields: Patch },
): Promise<Result<Item, Failure>> {
  if (answer.ok || answer.failure.kind !== "unreadable") return answer;
  const now = await sent.calls.get(sent.address);
  if (!now.ok || unstoredFields(sent.fields, now.value).length > 0) return fail(answer.failure);
  return now;
}

/**
 * Calls to an eventually consistent service. An answer older than what is known proves nothing, and neither does a 404 for an
 * item that its list shows.
 */
export function createSettledCalls(calls: ItemCalls, deps: LaggingDeps): ItemCalls {
  return {
    ...calls,
    async get(address) {
      const { item, id } = address;
      const answer = await calls.get(address);
      if (!answer.ok && !isMissing(answer.failure)) return answer;
      const isOld = (read: Item | null) => isLagging({ kind: item.kind, id }, read, deps);
      if (isOld(answer.ok ? answer.value : null)) {
        return fail({ kind: "outdated", request: `GET ${item.kind} ${id}` });
      }
      if (answer.ok) return answer;
      const listed = await calls.list(item);
      const shown = listed.ok ? listed.value.items.find((one) => one.id === id) : undefined;
      return shown && !isOld(shown) ? ok(shown) : answer;
    },
  };
}

const answeredByOther = (method: "POST" | "PUT", { kind, id, title }: Item): Failure => ({
  kind: "unknown-outcome",
  message: stored("problem.otherItem", { kind, title: JSON.stringify(title) }),
  request: `${method} ${kind} ${id}`,
});

interface Recording {
  readonly edit: Edit;
  readonly store: Store;
  readonly call: Call;
  readonly clock: () => Temporal.Instant;
  /** Stores a note now, or once the disk accepts it, as a received answer must not be lost. */
  readonly keep: (note: () => void) => void;
}

/**
 * Calls that record each write before its first byte is sent, and until when one without a usable answer may be carried out. A
 * creation stays open until the edit's result is stored, so that its item is looked up after a crash.
 */
export function recordWrites(
  callsWith: (call: Call) => ItemCalls,
  { edit, store, call, clock, keep }: Recording,
): ItemCalls {
  const { attempts } = store;
  const plain = callsWith(call);
  let lastRead: Item | null = null;

  /** `misses`: the failure for an answer about something else; null if it is right. */
  async function recorded<Answer>(
    request: ItemRequest,
    send: (calls: ItemCalls) => Promise<Result<Answer, Failure>>,
    misses?: (answer: Answer) => Promise<Failure | null> | Failure | null,
  ): Promise<Result<Answer, Failure>> {
    const id = attempts.leaving(request);
    let isLost = false;
    const onUnanswered = (how: NoAnswer) => {
      isLost = true;
      const until = inFlightUntil(clock(), how);
      keep(() => attempts.lost(id, until));
    };
    const answer = await send(callsWith({ ...call, onUnanswered }));
    const miss = answer.ok && misses ? await misses(answer.value) : null;
    if (miss) onUnanswered({ waited: Temporal.Duration.from({ seconds: 0 }), hasFailed: false });
    const isMade = answer.ok && !miss && request.act === "create";
    if (!isMade) keep(() => attempts.ended(id, { isLost }));
    return miss ? fail(miss) : answer;
  }

  const about = ({ item, id: serviceId }: ItemAddress) => {
    const before = lastRead?.id === serviceId && lastRead.kind === item.kind ? lastRead : item;
    return { edit: edit.id, item: edit.item, serviceId, before };
  };

  /**
   * True if the answer to a creation is about another item: one that was known before, or one with another title that does not
   * exist or cannot be read, or that exists with a title that is neither the answer's nor the requested one.
   */
  async function isOther(item: Item, { title }: Patch): Promise<boolean> {
    const { kind, id } = item;
    if (id === null) return true;
    const known = () => store.mirror.find(kind, id);
    const isTaken = () => ![null, edit.item].includes(known());
    const isNamed = (shown: Item) =>
      title !== undefined && storedKey(shown.title) === storedKey(title);
    if (known() !== null || isNamed(item)) return isTaken();
    const shown = await plain.get({ item, id });
    // Another edit may have created it since.
    if (!shown.ok || isTaken()) return true;
    return !isNamed(shown.value) && storedKey(shown.value.title) !== storedKey(item.title);
  }

  /**
   * True if the answer to a move, which may assign a new id, is about a task with another title, or one that was known before.
   */
  function isOtherTask({ kind, id, title }: Item, address: ItemAddress): boolean {
    if (id === address.id) return false;
    const key = id === null ? null : store.mirror.find(kind, id);
    return (
      storedKey(title) !== storedKey(address.item.title) || (key !== null && key !== edit.item)
    );
  }

  return {
    list: (item) => plain.list(item),
    async get(address) {
      const answer = await plain.get(address);
      if (answer.ok) lastRead = answer.value;
      return answer;
    },
    create: (item, wish) =>
      recorded(
        { edit: edit.id, item: edit.item, act: "create", patch: wish.patch },
        (calls) => calls.create(item, wish),
        async (made) => ((await isOther(made, wish.patch)) ? answeredByOther("POST", made) : null),
      ),
    update: (address, patch) =>
      recorded({ ...about(address), act: "change", patch }, (calls) =>
        calls.update(address, patch),
      ),
    complete: (address, completed) =>
      recorded({ ...about(address), act: "change", patch: { completed } }, (calls) =>
        calls.complete(address, completed),
      ),
    move: (address, place) =>
      recorded(
        // The service sets the title with the place.
        { ...about(address), act: "move", patch: { place, title: address.item.title } },
        (calls) => calls.move(address, place),
        (moved) => (isOtherTask(moved, address) ? answeredByOther("PUT", moved) : null),
      ),
    delete: (address) =>
      recorded({ ...about(address), act: "delete", patch: {} }, (calls) => calls.delete(address)),
  };
}
