import { z } from "zod";
import {
  type FolderId,
  type PersonId,
  type ProjectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import { ok, type Result } from "../../domain/result.ts";
import { type Asker, elementCalls } from "../asker.ts";
import type { Failure } from "../failure.ts";
import type { Call } from "../send-request.ts";
import type { Snapshot } from "../wire.ts";
import * as wire from "../wire.ts";

/** A file in a project folder; `byteSize` in octets, `fileType` its extension. */
interface FileEntry {
  readonly id: ServiceId;
  readonly projectId: ProjectId;
  readonly folderId: FolderId;
  readonly name: string;
  readonly byteSize: number | null;
  readonly fileType: string | null;
  readonly source: string | null;
  readonly url: string | null;
  readonly proofCount: number;
  readonly approvedCount: number;
  readonly approvedByMe: boolean;
  readonly creatorId: PersonId | null;
  readonly byMe: boolean;
  readonly createdAt: Temporal.Instant | null;
  readonly updatedAt: Temporal.Instant | null;
}

interface FolderPlace {
  readonly projectId: ProjectId;
  readonly folderId: FolderId;
}

/**
 * Files of one folder. `create` files an earlier upload. The shape of its answer is not documented, so it returns the ids found
 * in it, possibly none. Source: service-api.md, Files.
 */
export type FileClient = ReturnType<typeof createFileClient>;

export function createFileClient(asker: Asker) {
  const calls = elementCalls<FolderPlace, FileEntry>(asker, {
    kind: "file",
    pathOf,
    whereOf: ({ projectId, folderId }) => `project ${projectId}, folder ${folderId}`,
    read: (place) => (raw) => readFile(raw, place),
  });
  return {
    list: (place: FolderPlace, call: Call): Promise<Result<Snapshot<FileEntry>, Failure>> =>
      calls.list(place, call),
    create: (
      { fileIds, ...place }: FolderPlace & { readonly fileIds: readonly string[] },
      call: Call,
    ): Promise<Result<{ readonly ids: readonly ServiceId[] }, Failure>> => {
      const json = { attachments: fileIds.map(numberWherePossible) };
      return asker.one({ ask: { method: "POST", path: pathOf(place), json }, read: readIds }, call);
    },
    delete: calls.delete,
  };
}

function readFile(raw: unknown, { projectId, folderId }: FolderPlace): Result<FileEntry, string> {
  const read = wire.readElement(fileShape, raw);
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
  const inner = wire.isObject(raw) && !("id" in raw) ? raw["attachments"] : raw;
  const elements: readonly unknown[] = Array.isArray(inner) ? inner : [inner];
  const ids = elements.flatMap((element) => {
    const read = wire.readElement(idShape, element);
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

const idShape = z.object({ id: wire.wireField });

const fileShape = z.object({
  id: wire.wireField,
  name: wire.wireField,
  byte_size: wire.wireField,
  file_type: wire.wireField,
  source: wire.wireField,
  url: wire.wireField,
  proof_count: wire.wireField,
  approved_count: wire.wireField,
  approved_by_me: wire.wireField,
  creator: wire.wireField,
  by_me: wire.wireField,
  created_at: wire.wireField,
  updated_at: wire.wireField,
});
