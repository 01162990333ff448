import { type ProjectId, projectId } from "../../domain/ids.ts";
import { numberColumn, textColumn } from "../rows/rows.ts";
import { type RoundRow, roundRow } from "../rows/sources.ts";
import type { StoreDeps } from "../view/changes.ts";

/**
 * What has been read as a whole: the present round, which is one reading of all sources, and the projects of which all was
 * read at least once. Both are facts of the data directory, so that a start goes on where an earlier one was cut off.
 */
export interface Rounds {
  /** The last one; null before the first. */
  last(): RoundRow | null;
  /** Begins another one, in which nothing is read yet. */
  begin(): RoundRow;
  /** All sources were read, or none is tried any more. */
  end(): void;
  /** The last one goes on after all. */
  resume(): void;
  /** Projects of which all lists have been read at least once. */
  readProjects(): ReadonlySet<ProjectId>;
  projectRead(project: ProjectId): void;
  /** Whether all projects of some moment had been read. */
  isAllRead(): boolean;
  allRead(): void;
}

export function createRounds({ db, clock }: StoreDeps): Rounds {
  const last = db.prepare("SELECT * FROM rounds ORDER BY round DESC LIMIT 1");
  const add = db.prepare("INSERT INTO rounds (begun_at) VALUES (?) RETURNING *");
  const forget = db.prepare("DELETE FROM rounds WHERE round < ?");
  const end = db.prepare("UPDATE rounds SET ended_at = ? WHERE ended_at IS NULL");
  const resume = db.prepare("UPDATE rounds SET ended_at = NULL");
  const read = db.prepare("SELECT id FROM projects WHERE read_at IS NOT NULL");
  const mark = db.prepare("UPDATE projects SET read_at = ? WHERE id = ? AND read_at IS NULL");
  const whole = db.prepare("SELECT value FROM meta WHERE name = 'all_read_at'");
  const markWhole = db.prepare(
    "INSERT OR IGNORE INTO meta (name, value) VALUES ('all_read_at', ?)",
  );
  const stamp = () => clock().toString();

  return {
    last() {
      const row = last.get();
      return row === undefined ? null : roundRow(row);
    },
    begin: db.transaction(() => {
      const begun = roundRow(add.get(stamp()));
      forget.run(begun.round);
      return begun;
    }),
    end: () => void end.run(stamp()),
    resume: () => void resume.run(),
    readProjects: () => new Set(read.all().map((row) => projectId(numberColumn(row, "id")))),
    projectRead: (project) => void mark.run(stamp(), project),
    isAllRead: () => textColumn(whole.get(), "value") !== null,
    allRead: () => void markWhole.run(stamp()),
  };
}
