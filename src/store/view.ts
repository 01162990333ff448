import type { CollectionName } from "../domain/collection.ts";
import type { ItemKey, ProjectId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { fromPlain } from "../domain/plain-item.ts";
import type { StoreDeps } from "./changes.ts";
import {
  numberColumn,
  plainContent,
  provenanceOf,
  type ViewItemRow,
  versionRow,
  viewItemRow,
} from "./rows.ts";

/** One item as everyone reads it. */
export interface ViewItem {
  readonly key: ItemKey;
  readonly uid: string;
  readonly collection: CollectionName;
  /** What calendars are told; both only rise. */
  readonly sequence: number;
  readonly modifiedAt: Temporal.Instant;
  /** First seen by this installation. */
  readonly knownAt: Temporal.Instant;
  /** Whether an edit of it is on its way to the service. */
  readonly pending: boolean;
  readonly item: Item;
}

/** How a calendar names a version; null = it does not say. */
export interface Shown {
  readonly sequence: number | null;
  readonly modifiedAt: Temporal.Instant | null;
}

/** Mirror with the pending edits over it, read by feeds, mails and pages. */
export interface View {
  get(key: ItemKey): ViewItem | null;
  findUid(uid: string): ViewItem | null;
  /** Items of a project, in the order in which they became known. */
  ofProject(project: ProjectId): readonly ViewItem[];
  /** Every event that has a reminder. */
  withReminder(): readonly ViewItem[];
  /**
   * The item as a calendar was shown it with this SEQUENCE, this LAST-MODIFIED, or both; null when that is not known
   * (any more), or never was.
   */
  shownAs(key: ItemKey, shown: Shown): Item | null;
  /** Every version of the item that anybody was shown, oldest first, as far back as they are kept. */
  history(key: ItemKey): readonly Item[];
  count(project: ProjectId): number;
}

const columns = `v.item, v.collection, v.content, i.uid, i.sequence, i.modified_at, i.created_at, i.service_id,
  coalesce(m.by_me, 0) AS by_me, m.updated_at,
  EXISTS (SELECT 1 FROM edits e WHERE e.item = v.item AND e.state IN ('pending', 'claimed')) AS pending`;
const joined = `SELECT ${columns} FROM view_items v JOIN identities i USING (item) LEFT JOIN mirror_items m USING (item)`;

export function createView({ db, zone }: StoreDeps): View {
  const byKey = db.prepare(`${joined} WHERE v.item = ?`);
  const byUid = db.prepare(`${joined} WHERE i.uid = ?`);
  const byProject = db.prepare(`${joined} WHERE v.project_id = ? ORDER BY v.item`);
  const reminded = db.prepare(`${joined} WHERE v.reminder_minutes IS NOT NULL ORDER BY v.item`);
  const inProject = db.prepare("SELECT count(*) AS items FROM view_items WHERE project_id = ?");
  const versionAt = db.prepare(
    `SELECT v.content, i.service_id FROM versions v JOIN identities i USING (item)
     WHERE v.item = @key AND v.content IS NOT NULL AND (@sequence IS NULL OR v.sequence = @sequence)
       AND (@modifiedAt IS NULL OR v.modified_at = @modifiedAt OR (v.modified_at IS NULL AND @sequence IS NOT NULL))
     ORDER BY v.revision DESC LIMIT 1`,
  );

  const versionsOf = db.prepare(
    `SELECT v.content, i.service_id FROM versions v JOIN identities i USING (item)
     WHERE v.item = ? AND v.content IS NOT NULL ORDER BY v.revision`,
  );

  function decode(row: ViewItemRow): ViewItem {
    const { content, serviceId, byMe, updatedAt, ...rest } = row;
    const provenance = provenanceOf({ serviceId, byMe, updatedAt });
    return { ...rest, item: fromPlain(plainContent(content), provenance, zone) };
  }
  function decodeVersion(row: unknown): Item {
    const { content, serviceId } = versionRow(row);
    const provenance = provenanceOf({ serviceId, byMe: 0, updatedAt: null });
    return fromPlain(plainContent(content), provenance, zone);
  }
  const one = (row: unknown) => (row === undefined ? null : decode(viewItemRow(row)));

  return {
    get: (key) => one(byKey.get(key)),
    findUid: (uid) => one(byUid.get(uid)),
    ofProject: (project) => byProject.all(project).map((row) => decode(viewItemRow(row))),
    withReminder: () => reminded.all().map((row) => decode(viewItemRow(row))),
    shownAs(key, { sequence, modifiedAt }) {
      if (sequence === null && modifiedAt === null) return null;
      const row = versionAt.get({ key, sequence, modifiedAt: modifiedAt?.toString() ?? null });
      return row === undefined ? null : decodeVersion(row);
    },
    history: (key) => versionsOf.all(key).map(decodeVersion),
    count: (project) => numberColumn(inProject.get(project), "items"),
  };
}
