import type { FileEntry } from "../../domain/file.ts";
import { type ServiceId, serviceId } from "../../domain/ids.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../asker.ts";
import { elementCalls } from "../element-calls.ts";
import type { Call } from "../send-request.ts";
import * as wire from "../wire.ts";

/** A file with fields that the mirror does not store. */
interface ListedFile extends FileEntry {
  readonly source: string | null;
  readonly proofCount: number;
  readonly approvedCount: number;
  readonly approvedByMe: boolean;
}

type FolderPlace = Pick<FileEntry, "projectId" | "folderId">;

/**
 * Files of one folder. `create` files an earlier upload. The shape of its answer is not documented, so it returns the ids found
 * in it, possibly none. Source: service-api.md, Files.
 */
export function createFileClient(asker: Asker) {
  const calls = elementCalls<FolderPlace, ListedFile>(asker, {
    kind: "file",
    pathOf,
    whereOf: ({ projectId, folderId }) => `project ${projectId}, folder ${folderId}`,
    read: (place) => (raw) => readFile(raw, place),
  });
  return {
    list: calls.list,
    create: (
      { fileIds, ...place }: FolderPlace & { readonly fileIds: readonly string[] },
      call: Call,
    ) => {
      const json = { attachments: fileIds.map(numberWherePossible) };
      return asker.one({ ask: { method: "POST", path: pathOf(place), json }, read: readIds }, call);
    },
    delete: calls.delete,
  };
}

function readFile(raw: unknown, { projectId, folderId }: FolderPlace): Result<ListedFile, string> {
  const read = wire.readElement(raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  return ok({
    id: serviceId(id),
    projectId,
    folderId,
    name: wire.title(fields.name),
    byteSize: wire.amount(fields.byte_size),
    fileType: wire.text(fields.file_type),
    source: wire.text(fields.source),
    url: wire.text(fields.url),
    proofCount: wire.count(fields.proof_count),
    approvedCount: wire.count(fields.approved_count),
    approvedByMe: wire.flag(fields.approved_by_me),
    creatorId: wire.person(fields.creator),
    byMe: wire.flag(fields.by_me),
    createdAt: wire.instant(fields.created_at),
    updatedAt: wire.instant(fields.updated_at),
  });
}

// An object, an array of objects, or an object around such an array: all three occur in services with this API.
function readIds(raw: unknown): Result<{ readonly ids: readonly ServiceId[] }, string> {
  const inner = wire.isObject(raw) && !("id" in raw) ? raw.attachments : raw;
  const elements: readonly unknown[] = Array.isArray(inner) ? inner : [inner];
  const ids = elements.flatMap((element) => {
    const read = wire.readElement(element);
    return read.ok ? [serviceId(read.value.id)] : [];
  });
  return ok({ ids });
}

// The document shows bare numbers here, while the upload's answer may give the same id as text.
function numberWherePossible(fileId: string): number | string {
  const number = Number(fileId);
  return /^[1-9]\d*$/.test(fileId) && Number.isSafeInteger(number) ? number : fileId;
}

const pathOf = ({ projectId, folderId }: FolderPlace): string =>
  `/projects/${projectId}/folders/${folderId}/files`;
