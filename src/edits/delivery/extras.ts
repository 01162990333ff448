import type { Comment } from "../../domain/comment.ts";
import type { Edit } from "../../domain/edit.ts";
import type { EditExtra } from "../../domain/edit-extra.ts";
import type { EditId, ServiceId } from "../../domain/ids.ts";
import { fail, messageOf, ok, type Result, unreachable } from "../../domain/result.ts";
import { sameDescription } from "../../domain/same-values.ts";
import type { OpenRequest } from "../../store/journal/attempts.ts";
import type { Settlement } from "../../store/journal/endings.ts";
import type { ExtraEnding } from "../../store/journal/extra-states.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import type { Call, Snapshot, Upstream } from "../../upstream/client.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { AttachmentRef } from "../../upstream/resources/tasks.ts";
import { isRefusal } from "./attempt.ts";
import { type Created, type CreationFailure, createOnce, mayBeOf, unsure } from "./create-once.ts";
import { homeFolder } from "./home-folder.ts";
import {
  ClaimLeases,
  retryAfterDiskFault,
  retryLater,
  settleFailure,
  type Trial,
  waitingForKey,
} from "./settle.ts";

/** What happened to an extra of an edit, for log and metrics. */
export interface ExtraEvent {
  readonly kind: "extra-done" | "extra-postponed" | "extra-parked";
  readonly edit: EditId;
  /** Name of the file, or COMMENT. */
  readonly name: string;
  readonly problem: string | null;
}

interface ExtrasDrainDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly clock: () => Temporal.Instant;
  readonly random: () => number;
  readonly onEvent: (event: ExtraEvent) => void;
}

/** Sends extras of confirmed edits: comments and files, which the service stores besides the item's fields. */
export function createExtrasDrain(deps: ExtrasDrainDeps) {
  const { store } = deps;
  const leases = new ClaimLeases<number>();

  function putBackLost(): void {
    for (const id of store.extras.claimed()) if (leases.isLost(id)) store.extras.releaseOne(id);
  }

  function settle(extra: EditExtra, ending: ExtraEnding): void {
    store.together(() => {
      store.extras.settle(extra.id, ending);
      if (ending.kind === "done") store.attempts.done(requestOf(extra));
    });
    deps.onEvent(eventOf(extra, ending));
  }

  return {
    /** Stores what the disk has refused so far. Throws as long as the store does. */
    catchUp: (): void => leases.catchUp(),
    /** The next one; several steps may run at once. */
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      leases.catchUp();
      const extra = signal.aborted ? null : store.extras.claimNext();
      if (!extra) {
        putBackLost();
        return "idle";
      }
      leases.begin(extra.id);
      const ending = await carryOutOne(extra, deps, { signal, keep: (note) => leases.keep(note) });
      leases.end(extra.id, {
        store: () => settle(extra, ending),
        giveUp: (error) => settle(extra, { kind: "park", problem: messageOf(error) }),
      });
      return "worked";
    },
  };
}

/** Sends one claimed extra; every error becomes a result. */
async function carryOutOne(
  extra: EditExtra,
  deps: ExtrasDrainDeps,
  { signal, keep }: Pick<ExtraAttempt, "keep"> & { readonly signal: AbortSignal },
): Promise<ExtraEnding> {
  const { store, upstream, clock } = deps;
  try {
    const edit = store.journal.get(extra.edit);
    if (!edit) return { kind: "park", problem: stored("problem.noEdit") };
    const call: Call = { priority: "edit", person: edit.actor, signal };
    const attempt = { extra, edit, store, upstream, call, clock, keep };
    return endingOf(await carryOut(attempt), extra, deps);
  } catch (error) {
    // One that causes an error must not block others, nor stay claimed forever.
    if (!store.health.note(error)) return { kind: "park", problem: messageOf(error) };
    return retryAfterDiskFault(error, clock());
  }
}

/** One try to send a claimed extra. */
interface ExtraAttempt extends Uploading {
  readonly extra: EditExtra;
  readonly edit: Edit;
  readonly clock: () => Temporal.Instant;
  /** Stores a note now, or once the disk accepts it. */
  readonly keep: (note: () => void) => void;
}

/** The result of sending an extra; its id if the service returned one. */
type CarriedOut = Result<ServiceId | null, CreationFailure>;

async function carryOut(attempt: ExtraAttempt): Promise<CarriedOut> {
  const { extra } = attempt;
  switch (extra.kind) {
    case "comment":
      return postComment(attempt);
    case "attachment":
      return fileInFolder(attempt);
    case "kept":
      return ok(null);
    default:
      return unreachable(extra.kind);
  }
}

function endingOf(made: CarriedOut, extra: EditExtra, deps: ExtrasDrainDeps): ExtraEnding {
  if (made.ok) return { kind: "done", answer: made.value };
  const { attempts, createdAt } = extra;
  const isOut = deps.upstream.isOut();
  const trial = { attempts, createdAt, now: deps.clock(), random: deps.random(), isOut };
  const { failure } = made;
  if (failure.kind === "stuck") return { kind: "park", problem: failure.problem };
  const settlement = settlementOf(failure, trial);
  if (settlement.kind === "retry") return settlement;
  return { kind: "park", problem: settlement.problem };
}

/** A refused key is not the extra's fault, so it waits for the key. */
function settlementOf(
  failure: Exclude<CreationFailure, { readonly kind: "stuck" }>,
  trial: Trial,
): Settlement {
  if (failure.kind === "unsure") return retryLater(failure.problem, trial);
  const { failure: answer } = failure;
  const isOfKey = answer.kind === "refused" && answer.status === 401;
  return isOfKey ? waitingForKey(describeFailure(answer), trial) : settleFailure(answer, trial);
}

function eventOf({ edit, name }: EditExtra, ending: ExtraEnding): ExtraEvent {
  switch (ending.kind) {
    case "done":
      return { kind: "extra-done", edit, name, problem: null };
    case "retry":
      return { kind: "extra-postponed", edit, name, problem: ending.problem };
    case "park":
      return { kind: "extra-parked", edit, name, problem: ending.problem };
    default:
      return unreachable(ending);
  }
}

/** Name of the extra's request in the store. */
const requestOf = ({ id }: EditExtra): string => `extra:${id}`;

/** Adds a comment to the edit's task, once. */
async function postComment(attempt: ExtraAttempt): Promise<CarriedOut> {
  const { extra, edit, store, upstream, keep } = attempt;
  const place = placeOfTask(edit, store);
  if (!place) return fail({ kind: "stuck", problem: stored("problem.noTask") });
  const description = extra.text ?? "";
  const isAlike = saysThe(description);
  const made = await createOnce<Comment>({
    ...attempt,
    edit: attempt.edit.id,
    act: "extra",
    what: requestOf(extra),
    word: "comment",
    attempts: store.attempts,
    known: () => idsOf(store.comments.ofTask(place.taskId).filter(isAlike)),
    look: async (earlier) => {
      const listed = await upstream.comments.list(place, attempt.call);
      return findEarlier(listed, { word: "comment", isAlike, earlier, attempt });
    },
    send: (call) => upstream.comments.create({ ...place, description }, call),
  });
  if (!made.ok) return made;
  const comment = made.value;
  keep(() => store.comments.put(comment));
  return ok(comment.id);
}

function placeOfTask({ item }: Edit, { mirror }: Store) {
  const task = mirror.get(item)?.item;
  if (task?.kind !== "task" || task.id === null) return null;
  return { projectId: task.projectId, listId: task.listId, taskId: task.id };
}

const saysThe =
  (text: string) =>
  ({ description }: Pick<Comment, "description">): boolean =>
    sameDescription(description, text);

const idsOf = <Id>(things: readonly { readonly id: Id }[]): readonly Id[] =>
  things.map(({ id }) => id);

/** Finds in a list what an earlier request created; null if nothing. */
function findEarlier<Thing extends Created>(
  listed: Result<Snapshot<Thing>, Failure>,
  about: {
    readonly word: string;
    readonly isAlike: (created: Thing) => boolean;
    readonly earlier: OpenRequest;
    readonly attempt: ExtraAttempt;
  },
): Result<Thing | null, CreationFailure> {
  if (!listed.ok) return fail({ kind: "failed", failure: listed.failure });
  const { word, isAlike, earlier, attempt } = about;
  const { edit, store } = attempt;
  const { items, problems } = listed.value;
  const taken: readonly (number | null)[] = store.extras
    .ofItem(edit.item)
    .map(({ answerId }) => answerId);
  const found = items.find(
    (created) =>
      isAlike(created) && mayBeOf(earlier, created, edit.actor) && !taken.includes(created.id),
  );
  if (found) return ok(found);
  return problems.length === 0 ? ok(null) : fail(unsure(word, problems));
}

/** Adds a file to the home folder of the edit's project, once. */
async function fileInFolder(attempt: ExtraAttempt): Promise<CarriedOut> {
  const { extra, edit, store, upstream } = attempt;
  const { projectId } = store.mirror.get(edit.item)?.item ?? edit.base;
  const home = await homeFolder(projectId, attempt);
  if (!home.ok) return home;
  const place = { projectId, folderId: home.value };
  const uploaded = await upload(extra, attempt);
  if (!uploaded.ok) return uploaded;
  const made = await createOnce<{ readonly id: ServiceId | null }>({
    ...attempt,
    edit: attempt.edit.id,
    act: "extra",
    what: requestOf(extra),
    word: "file",
    attempts: store.attempts,
    known: () =>
      idsOf(store.files.ofFolder(place.folderId).filter(({ name }) => name === extra.name)),
    look: async (earlier) => {
      const listed = await upstream.files.list(place, attempt.call);
      const size = store.extras.content(extra.id)?.byteLength ?? null;
      return findEarlier(listed, {
        word: "file",
        isAlike: ({ name, byteSize }) => name === extra.name && isSize(byteSize, size),
        earlier,
        attempt,
      });
    },
    async send(call) {
      const answer = await upstream.files.create({ ...place, fileIds: [uploaded.value] }, call);
      // The service does not always return the file's number.
      return answer.ok ? ok({ id: answer.value.ids[0] ?? null }) : answer;
    },
  });
  return made.ok ? ok(made.value.id) : made;
}

/** An unknown size matches any. */
const isSize = (theirs: number | null, own: number | null): boolean =>
  theirs === null || own === null || theirs === own;

interface Uploading {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly call: Call;
}

/** An upload that nothing refers to is invisible, so one without an answer may be repeated. */
async function upload(
  { id, name, mediaType, fileId }: EditExtra,
  { edit, store, upstream, call }: Uploading & { readonly edit: Edit },
): Promise<Result<string, CreationFailure>> {
  if (fileId !== null) return ok(fileId);
  const content = store.extras.content(id);
  if (!content) return fail({ kind: "stuck", problem: stored("problem.noContent") });
  const { projectId } = store.mirror.get(edit.item)?.item ?? edit.base;
  const type = mediaType ?? "application/octet-stream";
  const made = await upstream.attachments.upload({ projectId, name, type, content }, call);
  if (!made.ok) return fail({ kind: "failed", failure: made.failure });
  store.extras.uploaded(id, made.value.fileId);
  return ok(made.value.fileId);
}

/**
 * The uploaded files of an edit's creation; each is uploaded once. One that the service refuses does not block the item: it
 * waits for a person. Fails with the failure of an upload that may be retried.
 */
export async function filesOfCreation(
  edit: Edit,
  uploading: Uploading,
): Promise<Result<readonly AttachmentRef[], Failure>> {
  const { store } = uploading;
  const files: AttachmentRef[] = [];
  for (const extra of store.extras.ofEdit(edit.id)) {
    if (extra.target !== "item" || extra.state !== "pending") continue;
    const uploaded = await upload(extra, { ...uploading, edit });
    if (uploaded.ok) {
      files.push({ fileId: uploaded.value });
      continue;
    }
    const { failure } = uploaded;
    if (failure.kind === "failed" && !isRefusal(failure.failure)) return fail(failure.failure);
    const problem = failure.kind === "failed" ? describeFailure(failure.failure) : failure.problem;
    store.extras.settle(extra.id, { kind: "park", problem });
  }
  return ok(files);
}
