import { type SideSource, sideKinds, sideName } from "../../domain/source.ts";
import { instantText } from "../rows/rows.ts";
import { type SideState, sideRow } from "../rows/side.ts";
import type { StoreDeps } from "../view/changes.ts";

/** How the polls of what hangs around the items went. */
export interface SideSources {
  all(): readonly SideState[];
  /** It was read whole; `seen` says of which state of its task, null where there is none. */
  succeeded(
    source: SideSource,
    read: { readonly seen: string | null; readonly items: number },
  ): void;
  failed(source: SideSource, failure: string): void;
  drop(source: SideSource): void;
  /** Forgets those of tasks that are not mirrored any more. */
  prune(): void;
}

export function createSideSources({ db, clock }: StoreDeps): SideSources {
  const kinds = sideKinds.map((kind) => `'${kind}'`).join(", ");
  const all = db.prepare(`SELECT * FROM sources WHERE kind IN (${kinds}) ORDER BY rowid`);
  const add = db.prepare(
    `INSERT OR IGNORE INTO sources (name, kind, project_id, task_id, folder_id)
     VALUES (@name, @kind, @project, @task, @folder)`,
  );
  const success = db.prepare(
    `UPDATE sources SET seen = @seen, attempted_at = @now, succeeded_at = @now, failure = NULL, failures = 0, items = @items
     WHERE name = @name`,
  );
  const failure = db.prepare(
    "UPDATE sources SET attempted_at = ?, failure = ?, failures = failures + 1 WHERE name = ?",
  );
  const drop = db.prepare("DELETE FROM sources WHERE name = ?");
  const prune = db.prepare(
    `DELETE FROM sources WHERE kind IN ('comments', 'history') AND task_id NOT IN (
       SELECT i.service_id FROM mirror_items m JOIN identities i USING (item) WHERE i.kind = 'task')`,
  );
  const stamp = () => instantText(clock());

  function ensure(source: SideSource): string {
    const name = sideName(source);
    add.run({
      name,
      kind: source.kind,
      project: "projectId" in source ? source.projectId : null,
      task: "taskId" in source ? source.taskId : null,
      folder: "folderId" in source ? source.folderId : null,
    });
    return name;
  }

  return {
    all: () => all.all().map(sideRow),
    succeeded: (source, { seen, items }) =>
      void success.run({ name: ensure(source), seen, items, now: stamp() }),
    failed: (source, text) => void failure.run(stamp(), text, ensure(source)),
    drop: (source) => void drop.run(sideName(source)),
    prune: () => void prune.run(),
  };
}
