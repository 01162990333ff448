import type { HistoryEntry } from "../../domain/comment.ts";
import type { ServiceId } from "../../domain/ids.ts";
import { instantText } from "../rows/rows.ts";
import { type DetailedEntry, historyRow } from "../rows/side.ts";
import type { StoreDeps } from "../view/changes.ts";

/** What the service says happened to tasks. Entries are only ever added, and detailed once. */
export interface History {
  /** Adds what is new; returns how many entries were. */
  add(entries: readonly HistoryEntry[]): number;
  /** `content` null: the service does not show it. */
  detail(entry: HistoryEntry, content: string | null): void;
  /** Entries of a task whose detail was not asked for yet, newest first. */
  undetailed(task: ServiceId): readonly DetailedEntry[];
  /** Oldest first. */
  ofTask(task: ServiceId): readonly DetailedEntry[];
  count(): number;
}

export function createHistory({ db, clock }: StoreDeps): History {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO history_entries
       (task_id, id, project_id, list_id, person_id, action, activity_at, activity_on)
     VALUES (@task, @id, @project, @list, @person, @action, @activityAt, @on)`,
  );
  const detail = db.prepare(
    "UPDATE history_entries SET content = ?, detailed_at = ? WHERE task_id = ? AND id = ?",
  );
  const undetailed = db.prepare(
    `SELECT * FROM history_entries WHERE task_id = ? AND detailed_at IS NULL ORDER BY activity_at DESC, id DESC`,
  );
  const ofTask = db.prepare(
    "SELECT * FROM history_entries WHERE task_id = ? ORDER BY activity_at, id",
  );
  const count = db.prepare("SELECT count(*) FROM history_entries").pluck();
  return {
    add: db.transaction((entries: readonly HistoryEntry[]) => {
      let added = 0;
      for (const entry of entries) {
        added += insert.run({
          task: entry.taskId,
          id: entry.id,
          project: entry.projectId,
          list: entry.listId,
          person: entry.personId,
          action: entry.action,
          activityAt: entry.activityAt && instantText(entry.activityAt),
          on: entry.on?.toString() ?? null,
        }).changes;
      }
      return added;
    }),
    detail: ({ taskId, id }, content) => void detail.run(content, instantText(clock()), taskId, id),
    undetailed: (task) => undetailed.all(task).map(historyRow),
    ofTask: (task) => ofTask.all(task).map(historyRow),
    count: () => Number(count.get()),
  };
}
