import { editId, itemKey, serviceId } from "../../domain/ids.ts";
import { patchFromText } from "./edit-rows.ts";
import { itemFromText } from "./item-rows.ts";
import { instantOf, rowReader, toInstant } from "./row.ts";

/** The columns of an attempt that the condition for unanswered writes guarantees. */
interface UnansweredColumns {
  readonly id: number;
  readonly edit: number;
  readonly item: number;
  readonly act: "move" | "change" | "delete";
  readonly service_id: number;
  readonly patch: string;
  readonly before: string;
  readonly lands_until: string;
  readonly next_look: string | null;
  readonly failures: number;
  readonly landed_at: string | null;
  readonly lost_at: string;
}

/** Decodes a change, move or deletion that was sent and may have been, or may still be, carried out. */
export const unansweredRowIn = (zone: string) =>
  rowReader<UnansweredColumns>()({
    id: "same",
    edit: editId,
    item: itemKey,
    act: "same",
    /** The id of the item in the request. */
    serviceId,
    /** What the request sets; empty for a deletion. */
    patch: (text: string) => patchFromText(text, zone),
    /** The item when the request was sent. */
    before: (text: string) => itemFromText(text, zone),
    /** When waiting for its answer ended; when it was sent, if still waiting. */
    lostAt: toInstant,
    /** It may be carried out until then. */
    inFlightUntil: ["lands_until", toInstant],
    /** When to read the item again; null while in progress, and once it can no longer be carried out. */
    nextLookAt: ["next_look", instantOf],
    /** Consecutive failed reads. */
    failures: "same",
    /** When it was found to have been carried out. */
    carriedOutAt: ["landed_at", instantOf],
  });
export type UnansweredWrite = ReturnType<ReturnType<typeof unansweredRowIn>>;
