import {
  type EditId,
  editId,
  type ItemKey,
  itemKey,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { patchFromText } from "./edit-rows.ts";
import { instantOf, itemFromText } from "./item-rows.ts";

/** A change, move or deletion that was sent and may have been, or may still be, carried out. */
export interface UnansweredWrite {
  readonly id: number;
  readonly edit: EditId;
  readonly item: ItemKey;
  readonly act: "move" | "change" | "delete";
  /** The id of the item in the request. */
  readonly serviceId: ServiceId;
  /** What the request sets; empty for a deletion. */
  readonly patch: Patch;
  /** The item when the request was sent. */
  readonly before: Item;
  /** When waiting for its answer ended; when it was sent, if still waiting. */
  readonly lostAt: Temporal.Instant;
  /** It may be carried out until then. */
  readonly inFlightUntil: Temporal.Instant;
  /** When to read the item again; null while in progress, and once it can no longer be carried out. */
  readonly nextLookAt: Temporal.Instant | null;
  /** Consecutive failed reads. */
  readonly failures: number;
  /** When it was found to have been carried out. */
  readonly carriedOutAt: Temporal.Instant | null;
}

export function unansweredRow(row: unknown, zone: string): UnansweredWrite {
  const raw = row as {
    id: number;
    edit: number;
    item: number;
    act: UnansweredWrite["act"];
    service_id: number;
    patch: string;
    before: string;
    sent_at: string;
    ended_at: string | null;
    lands_until: string;
    next_look: string | null;
    failures: number;
    landed_at: string | null;
  };
  return {
    id: raw.id,
    edit: editId(raw.edit),
    item: itemKey(raw.item),
    act: raw.act,
    serviceId: serviceId(raw.service_id),
    patch: patchFromText(raw.patch, zone),
    before: itemFromText(raw.before, zone),
    lostAt: Temporal.Instant.from(raw.ended_at ?? raw.sent_at),
    inFlightUntil: Temporal.Instant.from(raw.lands_until),
    nextLookAt: instantOf(raw.next_look),
    failures: raw.failures,
    carriedOutAt: instantOf(raw.landed_at),
  };
}
