import type { Comment } from "../../domain/comment.ts";
import type { Edit } from "../../domain/edit.ts";
import type { EditExtra } from "../../domain/edit-extra.ts";
import type { EditId, FolderId, ProjectId, ServiceId } from "../../domain/ids.ts";
import { fail, ok, type Result, unreachable } from "../../domain/result.ts";
import { sameDescription } from "../../domain/sameness.ts";
import type { ExtraEnding } from "../../store/journal/extra-states.ts";
import type { OpenRequest } from "../../store/journal/unanswered.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { AttachmentRef } from "../../upstream/resources/tasks.ts";
import { ClaimKeeper } from "./attempt.ts";
import { makeOnce, mayBeOf, type Trouble, unsure } from "./create-once.ts";
import { again, cutShort, settleFailure } from "./settle.ts";

/** What became of a wish beside an edit, for log and metrics. */
export interface ExtraEvent {
  readonly kind: "extra-done" | "extra-postponed" | "extra-parked";
  readonly edit: EditId;
  /** Of the file, or COMMENT. */
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

/** Carries out comments and files of confirmed edits. */
interface ExtrasDrain {
  /** The next one; several steps may run at once. */
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
  /** Stores what the disk has refused so far. Throws what the store throws as long as it does. */
  readonly catchUp: () => void;
}

export function createExtrasDrain(deps: ExtrasDrainDeps): ExtrasDrain {
  const { store } = deps;
  const keeper = new ClaimKeeper<number>();

  function putBackLost(): void {
    for (const id of store.extras.claimed()) if (keeper.isLost(id)) store.extras.releaseOne(id);
  }

  function settle(extra: EditExtra, ending: ExtraEnding): void {
    store.together(() => {
      store.extras.settle(extra.id, ending);
      if (ending.kind === "done") store.requests.done(requestOf(extra));
    });
    deps.onEvent(eventOf(extra, ending));
  }

  return {
    catchUp: () => keeper.catchUp(),
    async step(signal) {
      keeper.catchUp();
      const extra = signal.aborted ? null : store.extras.claimNext();
      if (!extra) {
        putBackLost();
        return "idle";
      }
      keeper.begin(extra.id);
      const ending = await carryOutOne(extra, { deps, signal, keep: (note) => keeper.keep(note) });
      keeper.end(extra.id, {
        store: () => settle(extra, ending),
        giveUp: (error) => settle(extra, { kind: "park", problem: textOf(error) }),
      });
      return "worked";
    },
  };
}

/** Carries out one claimed wish; whatever happens on the way is an ending. */
async function carryOutOne(
  extra: EditExtra,
  {
    deps,
    signal,
    keep,
  }: {
    readonly deps: ExtrasDrainDeps;
    readonly signal: AbortSignal;
    readonly keep: ExtraAttempt["keep"];
  },
): Promise<ExtraEnding> {
  const { store, upstream, clock } = deps;
  try {
    const edit = store.journal.get(extra.edit);
    if (!edit) return { kind: "park", problem: "its edit is not known any more" };
    const call: Call = { priority: "edit", person: edit.actor, signal };
    const attempt = { extra, edit, store, upstream, call, clock, keep };
    return endingOf(await carryOut(attempt), { extra, deps });
  } catch (error) {
    // One that cannot be handled must not hold up the others, nor stay claimed for ever.
    if (!store.health.note(error)) return { kind: "park", problem: textOf(error) };
    return cutShort(error, clock());
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function carryOut(attempt: ExtraAttempt): Promise<Made> {
  const { extra } = attempt;
  switch (extra.kind) {
    case "comment":
      return postComment(attempt);
    case "attachment":
      return fileInFolder(attempt);
    case "kept":
      return { ok: true, value: null };
    default:
      return unreachable(extra.kind);
  }
}

function endingOf(
  made: Made,
  { extra, deps }: { readonly extra: EditExtra; readonly deps: ExtrasDrainDeps },
): ExtraEnding {
  if (made.ok) return { kind: "done", answer: made.value };
  const { attempts, createdAt } = extra;
  const trial = { attempts, createdAt, now: deps.clock(), random: deps.random() };
  const { failure: trouble } = made;
  if (trouble.kind === "stuck") return { kind: "park", problem: trouble.problem };
  const settlement =
    trouble.kind === "unsure"
      ? again(trouble.problem, { trial, retryAfter: null })
      : settleFailure(trouble.failure, trial);
  if (settlement.kind === "retry") return settlement;
  return { kind: "park", problem: settlement.problem };
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

/** A wish beside an edit on its way. */
interface ExtraAttempt {
  readonly extra: EditExtra;
  readonly edit: Edit;
  readonly store: Store;
  readonly upstream: Upstream;
  readonly call: Call;
  readonly clock: () => Temporal.Instant;
  /** Stores a note now, or once the disk takes it. */
  readonly keep: (note: () => void) => void;
}

const trouble = (failure: Failure): Trouble => ({ kind: "failed", failure });

/** How carrying out one wish ended; its id where the service has named one. */
type Made = Result<ServiceId | null, Trouble>;

/** The wish as the store names the request for it. */
const requestOf = ({ id }: EditExtra): string => `extra:${id}`;

/** Puts a comment on the edit's task, once. */
async function postComment(attempt: ExtraAttempt): Promise<Made> {
  const { extra, edit, store, upstream, call, clock, keep } = attempt;
  const place = placeOfTask(edit, store);
  if (!place) return fail({ kind: "stuck", problem: "the task is not in the workspace any more" });
  const description = extra.text ?? "";
  const made = await makeOnce<Comment>({
    what: requestOf(extra),
    word: "comment",
    requests: store.requests,
    clock,
    call,
    keep,
    known: () =>
      store.comments
        .ofTask(place.taskId)
        .filter(saysThe(description))
        .map(({ id }) => id),
    look: (earlier) => lookUpComment({ ...attempt, place, earlier }),
    send: (one) => upstream.comments.create({ ...place, description }, one),
  });
  if (!made.ok) return made;
  const comment = made.value;
  keep(() => store.comments.put(comment));
  return ok(comment.id);
}

type Place = NonNullable<ReturnType<typeof placeOfTask>>;

function placeOfTask({ item }: Edit, { mirror }: Store) {
  const task = mirror.get(item)?.item;
  if (task?.kind !== "task" || task.id === null) return null;
  return { projectId: task.projectId, listId: task.listId, taskId: task.id };
}

const saysThe =
  (text: string) =>
  ({ description }: Pick<Comment, "description">): boolean =>
    sameDescription(description, text);

/** The comment that an earlier request has made; null when there is none. */
async function lookUpComment(
  lost: ExtraAttempt & { readonly place: Place; readonly earlier: OpenRequest },
): Promise<Result<Comment | null, Trouble>> {
  const { extra, edit, store, upstream, place, earlier } = lost;
  const list = await upstream.comments.list(place, lost.call);
  if (!list.ok) return fail(trouble(list.failure));
  const { items, problems } = list.value;
  const taken = store.extras.ofItem(edit.item).map(({ answerId }) => answerId);
  const found = items
    .filter(saysThe(extra.text ?? ""))
    .find((made) => mayBeOf(earlier, { made, actor: edit.actor }) && !taken.includes(made.id));
  if (found) return ok(found);
  return problems.length === 0 ? ok(null) : fail(unsure("comment", problems));
}

interface Uploading {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly call: Call;
}

/**
 * The uploaded files that an edit's creation takes along; each is uploaded once. One that the service refuses does not
 * hold up the item: it waits for a person. Fails as the first upload that may be tried again.
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
    if (failure.kind === "failed" && !isRefused(failure.failure)) return fail(failure.failure);
    const problem = failure.kind === "failed" ? describeFailure(failure.failure) : failure.problem;
    store.extras.settle(extra.id, { kind: "park", problem });
  }
  return ok(files);
}

/** Puts a file into the home folder of the edit's project, once. */
async function fileInFolder(attempt: ExtraAttempt): Promise<Made> {
  const { extra, edit, store, upstream, call, clock, keep } = attempt;
  const { projectId } = store.mirror.get(edit.item)?.item ?? edit.base;
  const home = await homeFolder(projectId, { store, upstream, call });
  if (!home.ok) return home;
  const place = { projectId, folderId: home.value };
  const uploaded = await upload(extra, attempt);
  if (!uploaded.ok) return uploaded;
  const made = await makeOnce<Filed>({
    what: requestOf(extra),
    word: "file",
    requests: store.requests,
    clock,
    call,
    keep,
    known: () =>
      store.files
        .ofFolder(place.folderId)
        .filter(({ name }) => name === extra.name)
        .map(({ id }) => id),
    look: (earlier) => lookUpFile({ ...attempt, place, earlier }),
    async send(one) {
      const answer = await upstream.files.create({ ...place, fileIds: [uploaded.value] }, one);
      return answer.ok ? ok({ id: answer.value.ids[0] ?? null }) : answer;
    },
  });
  return made.ok ? ok(made.value.id) : made;
}

/** What has become of a file; the service need not tell its number. */
interface Filed {
  readonly id: ServiceId | null;
}

const isRefused = ({ kind }: Failure): boolean => kind === "refused" || kind === "service-refused";

/** An upload that nothing names is nowhere to be seen, so that one whose answer was lost may be made again. */
async function upload(
  { id, name, mediaType, fileId }: EditExtra,
  { edit, store, upstream, call }: Uploading & { readonly edit: Edit },
): Promise<Result<string, Trouble>> {
  if (fileId !== null) return ok(fileId);
  const content = store.extras.content(id);
  if (!content) return fail({ kind: "stuck", problem: "its content is not kept any more" });
  const { projectId } = store.mirror.get(edit.item)?.item ?? edit.base;
  const type = mediaType ?? "application/octet-stream";
  const made = await upstream.attachments.upload({ projectId, name, type, content }, call);
  if (!made.ok) return fail(trouble(made.failure));
  store.extras.uploaded(id, made.value.fileId);
  return ok(made.value.fileId);
}

/** The file that an earlier request has put into the folder; null when there is none. */
async function lookUpFile(
  lost: ExtraAttempt & {
    readonly place: { readonly projectId: ProjectId; readonly folderId: FolderId };
    readonly earlier: OpenRequest;
  },
): Promise<Result<Filed | null, Trouble>> {
  const { extra, edit, store, upstream, place, earlier } = lost;
  const list = await upstream.files.list(place, lost.call);
  if (!list.ok) return fail(trouble(list.failure));
  const { items, problems } = list.value;
  const size = store.extras.content(extra.id)?.byteLength ?? null;
  const taken = store.extras.ofItem(edit.item).map(({ answerId }) => answerId);
  const found = items.find((made) => {
    const isAlike = made.name === extra.name && isSize(made.byteSize, size);
    return isAlike && mayBeOf(earlier, { made, actor: edit.actor }) && !taken.includes(made.id);
  });
  if (found) return ok({ id: found.id });
  return problems.length === 0 ? ok(null) : fail(unsure("file", problems));
}

/** A size that is not told says nothing. */
const isSize = (told: number | null, own: number | null): boolean =>
  told === null || own === null || told === own;

/**
 * The folder of a project into which files go that name none: its first at the root. Asks the service when no folder is
 * known. Fails when there is none, or when that cannot be found out.
 */
export async function homeFolder(
  project: ProjectId,
  around: { readonly store: Store; readonly upstream: Upstream; readonly call: Call },
): Promise<Result<FolderId, Trouble>> {
  const { store, upstream, call } = around;
  const known = homeOf(store.files.folders(project));
  if (known !== null) return ok(known);
  const list = await upstream.workspace.folders({ projectId: project }, call);
  if (!list.ok) {
    const isUnknown = list.failure.kind === "refused" || list.failure.kind === "unreadable";
    return fail(isUnknown ? unnamed(project) : { kind: "failed", failure: list.failure });
  }
  const { items: folders, problems } = list.value;
  store.files.putFolders(project, { folders, complete: problems.length === 0 });
  const found = homeOf(folders);
  return found === null ? fail(unnamed(project)) : ok(found);
}

function homeOf(
  folders: readonly { readonly id: FolderId; readonly parentId: FolderId | null }[],
): FolderId | null {
  return folders.find(({ parentId }) => parentId === null)?.id ?? folders[0]?.id ?? null;
}

const unnamed = (project: ProjectId): Trouble => ({
  kind: "stuck",
  problem: `no folder of project ${project} is known; name one in the configuration, in projects[].folders`,
});
