import type { PersonId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { fromPlain } from "../../domain/plain-item.ts";
import { instantText, plainContent, provenanceOf } from "../rows/item-rows.ts";
import { dateMoveRow } from "../rows/mail-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { View, ViewItem } from "./view.ts";

/** An item whose dates have changed. */
export interface DateMove {
  readonly shown: ViewItem;
  readonly before: Item;
  /** Who last moved it through Dayferry; null = unknown. */
  readonly actor: PersonId | null;
}

/** Items with changed dates, from the stored versions. */
export function createDateMoves({ db, zone, view }: StoreDeps & { view: View }) {
  const movedSince = db.prepare(
    `SELECT v.item, b.workspace AS before, i.service_id, (
       SELECT e.actor FROM edits e WHERE e.item = v.item AND e.created_at > @at
         AND e.state IN ('pending', 'claimed', 'confirmed')
         AND (json_type(e.patch, '$.dueOn') IS NOT NULL OR json_type(e.patch, '$.when') IS NOT NULL)
       ORDER BY e.id DESC LIMIT 1) AS actor
     FROM (SELECT DISTINCT item FROM versions WHERE at > @at) n
     JOIN view_items v ON v.item = n.item
     JOIN identities i ON i.item = n.item
     JOIN versions b ON b.item = n.item
       AND b.revision = (SELECT max(o.revision) FROM versions o WHERE o.item = n.item AND o.at <= @at)
     WHERE b.workspace IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(v.content, '$.assigned') WHERE value = @person)
       AND (b.workspace ->> 'dueOn' IS NOT v.content ->> 'dueOn' OR b.workspace -> 'when' IS NOT v.content -> 'when')
     ORDER BY v.item`,
  );
  return {
    /** Items assigned to a person whose due date, start or end differs from what it was at a moment. */
    since: (at: Temporal.Instant, person: PersonId): readonly DateMove[] =>
      movedSince.all({ at: instantText(at), person }).flatMap((row) => {
        const { key, before, serviceId, actor } = dateMoveRow(row);
        const shown = view.get(key);
        const provenance = provenanceOf({ serviceId, byMe: 0, updatedAt: null });
        return shown
          ? [{ shown, before: fromPlain(plainContent(before), provenance, zone), actor }]
          : [];
      }),
  };
}
