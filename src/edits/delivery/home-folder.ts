import type { FolderId, ProjectId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import type { CreationFailure } from "./create-once.ts";

/**
 * A project's folder for files without one: its first at the root. Asks the service if no folder is known. Fails if there is
 * none, or if that cannot be found out.
 */
export async function homeFolder(
  project: ProjectId,
  around: { readonly store: Store; readonly upstream: Upstream; readonly call: Call },
): Promise<Result<FolderId, CreationFailure>> {
  const { store, upstream, call } = around;
  const known = firstAtRoot(store.files.folders(project));
  if (known !== null) return ok(known);
  const list = await upstream.workspace.folders({ projectId: project }, call);
  if (!list.ok) {
    const isUnknown = list.failure.kind === "refused" || list.failure.kind === "unreadable";
    return fail(isUnknown ? noFolder(project) : { kind: "failed", failure: list.failure });
  }
  const { items: folders, problems } = list.value;
  store.files.putFolders(project, { folders, complete: problems.length === 0 });
  const found = firstAtRoot(folders);
  return found === null ? fail(noFolder(project)) : ok(found);
}

const firstAtRoot = (
  folders: readonly { readonly id: FolderId; readonly parentId: FolderId | null }[],
): FolderId | null =>
  folders.find(({ parentId }) => parentId === null)?.id ?? folders[0]?.id ?? null;

const noFolder = (project: ProjectId): CreationFailure => ({
  kind: "stuck",
  problem: stored("problem.noFolder", { project }),
});
