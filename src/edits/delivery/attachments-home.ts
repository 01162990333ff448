import type { FolderId, ProjectId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import type { Trouble } from "./make-once.ts";

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
