import type { EditExtra } from "../../domain/edit-extra.ts";
import type { FolderId, ProjectId, ServiceId } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { OpenRequest } from "../../store/journal/requests.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { AttachmentRef } from "../../upstream/resources/tasks.ts";
import { homeFolder } from "./attachments-home.ts";
import { type ExtraErrand, type Made, requestOf, trouble } from "./extra-errand.ts";
import { makeOnce, mayBeOf, type Trouble, unsure } from "./make-once.ts";

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
export async function fileInFolder(errand: ExtraErrand): Promise<Made> {
  const { extra, edit, store, upstream, call, clock, keep } = errand;
  const { projectId } = store.mirror.get(edit.item)?.item ?? edit.base;
  const home = await homeFolder(projectId, { store, upstream, call });
  if (!home.ok) return home;
  const place = { projectId, folderId: home.value };
  const uploaded = await upload(extra, errand);
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
    look: (earlier) => lookUp({ ...errand, place, earlier }),
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
async function lookUp(
  lost: ExtraErrand & {
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
