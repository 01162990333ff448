import type { EditId } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import { editRow } from "../rows/journal.ts";
import { instantText } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";
import { createHandover, type Handover } from "./handover.ts";

/** One parking of one edit: an edit that a person gave another chance may be parked again. */
export interface NoticeKey {
  readonly edit: EditId;
  /** When it was parked, as an instant's text. */
  readonly parkedAt: string;
}

/** Which editors were told by mail that their edit is parked. */
export interface Notices extends Handover<NoticeKey> {
  /** Parked edits of known editors who have not been told yet, oldest first. */
  open(): readonly Edit[];
}

/** Of an edit that is parked now. */
export const noticeKey = ({ id, updatedAt }: Edit): NoticeKey => ({
  edit: id,
  parkedAt: instantText(updatedAt),
});

export function createNotices(deps: StoreDeps): Notices {
  const untold = deps.db.prepare(
    `SELECT e.* FROM edits e LEFT JOIN notices n ON n.edit = e.id AND n.parked_at = e.updated_at
     WHERE e.state = 'parked' AND e.actor IS NOT NULL AND (n.state IS NULL OR n.state IN ('claimed', 'deferred'))
     ORDER BY e.id`,
  );
  return {
    ...createHandover<NoticeKey>(deps, {
      table: "notices",
      columns: { edit: "edit", parkedAt: "parked_at" },
    }),
    open: () => untold.all().map((row) => editRow(row, deps.zone)),
  };
}
