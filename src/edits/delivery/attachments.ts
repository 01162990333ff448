import type { EditExtra } from "../../domain/edit-extra.ts";
import type { FolderId, ServiceId } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { AttachmentRef } from "../../upstream/resources/tasks.ts";
import { homeFolder } from "./attachments-home.ts";
import {
  type ExtraErrand,
  isOurs,
  isSince,
  type Made,
  type Trouble,
  trouble,
  unsure,
} from "./extra-errand.ts";

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

/**
 * Puts a file into the home folder of the edit's project, once: after a request whose answer was lost, the folder is
 * read before anything is sent.
 */
export async function fileInFolder(errand: ExtraErrand): Promise<Made> {
  const { extra, edit, store, upstream, call } = errand;
  const { projectId } = store.mirror.get(edit.item)?.item ?? edit.base;
  const home = await homeFolder(projectId, { store, upstream, call });
  if (!home.ok) return home;
  const folder = home.value;
  if (extra.sentAt) {
    const found = await lookUp({ ...errand, folder, sentAt: extra.sentAt });
    if (!found.ok || found.value !== null) return found;
  }
  const uploaded = await upload(extra, errand);
  if (!uploaded.ok) return uploaded;
  store.extras.sending(extra.id);
  const wish = { projectId, folderId: folder, fileIds: [uploaded.value] };
  const made = await upstream.files.create(wish, call);
  return made.ok ? ok(made.value.ids[0] ?? null) : fail(trouble(made.failure));
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
  lost: ExtraErrand & { readonly folder: FolderId; readonly sentAt: Temporal.Instant },
): Promise<Result<ServiceId | null, Trouble>> {
  const { extra, edit, store, upstream, folder, sentAt } = lost;
  const { projectId } = store.mirror.get(edit.item)?.item ?? edit.base;
  const list = await upstream.files.list({ projectId, folderId: folder }, lost.call);
  if (!list.ok) return fail(trouble(list.failure));
  const taken = store.extras.ofItem(edit.item).map(({ answerId }) => answerId);
  const found = list.value.items.find(
    (file) =>
      file.name === extra.name &&
      isOurs(file, edit.actor) &&
      isSince(file.createdAt, sentAt) &&
      !taken.includes(file.id),
  );
  if (found) return ok(found.id);
  return list.value.problems.length === 0 ? ok(null) : fail(unsure("file", list.value.problems));
}
