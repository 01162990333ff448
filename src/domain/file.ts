import type { FolderId, PersonId, ProjectId, ServiceId } from "./ids.ts";

/** A folder of a project; `parentId` is null for one at the root. */
export interface Folder {
  readonly id: FolderId;
  readonly projectId: ProjectId;
  readonly name: string;
  readonly parentId: FolderId | null;
  readonly type: string | null;
}

/** A file in a folder; `byteSize` in octets, `fileType` its extension. */
export interface FileEntry {
  readonly id: ServiceId;
  readonly projectId: ProjectId;
  readonly folderId: FolderId;
  readonly name: string;
  readonly byteSize: number | null;
  readonly fileType: string | null;
  readonly url: string | null;
  readonly creatorId: PersonId | null;
  /** True if it was filed with the account's own key. */
  readonly byMe: boolean;
  readonly createdAt: Temporal.Instant | null;
  readonly updatedAt: Temporal.Instant | null;
}
