import type { EditId, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { instantText, itemFromText, itemText, textColumn } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";

/** Items that lists have shown and that may be what a creation without an answer has made. */
export interface Candidates {
  /** Keeps one with the edit; of an item that is kept already, what it says now. */
  note(edit: EditId, item: Item & { readonly id: ServiceId }): void;
  ofEdit(edit: EditId): readonly Item[];
}

export function createCandidates({ db, zone, clock }: StoreDeps): Candidates {
  const put = db.prepare(
    `INSERT INTO candidates (edit, kind, service_id, content, seen_at) VALUES (@edit, @kind, @id, @content, @now)
     ON CONFLICT (edit, kind, service_id) DO UPDATE SET content = excluded.content`,
  );
  const ofEdit = db.prepare("SELECT content FROM candidates WHERE edit = ? ORDER BY service_id");
  return {
    note(edit, item) {
      const { kind, id } = item;
      put.run({ edit, kind, id, content: itemText(item), now: instantText(clock()) });
    },
    ofEdit: (edit) =>
      ofEdit.all(edit).flatMap((row) => {
        const text = textColumn(row, "content");
        return text === null ? [] : [itemFromText(text, zone)];
      }),
  };
}
