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
import { type PlainPatch, patchFromPlain } from "../../domain/plain-item.ts";
import { instantOf, itemFromText } from "./item-rows.ts";

/** A change, move or deletion that was sent and of which it is not known whether it was, or will be, carried out. */
export interface UnansweredWrite {
  readonly id: number;
  readonly edit: EditId;
  readonly item: ItemKey;
  readonly act: "move" | "change" | "delete";
  /** The number of the item that the request names. */
  readonly serviceId: ServiceId;
  /** What the request sets; empty for a deletion. */
  readonly patch: Patch;
  /** The item as it was when the request left. */
  readonly before: Item;
  /** When its answer was given up; while it is awaited, when it was sent. */
  readonly lostAt: Temporal.Instant;
  /** Until then it may be carried out. */
  readonly inFlightUntil: Temporal.Instant;
  /** When the item is read again for it; null while it is under way, and once it cannot be carried out any more. */
  readonly nextLookAt: Temporal.Instant | null;
  /** Failed readings in a row. */
  readonly failures: number;
  /** When it was seen to have been carried out. */
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
    patch: patchFromPlain(JSON.parse(raw.patch) as PlainPatch, zone),
    before: itemFromText(raw.before, zone),
    lostAt: Temporal.Instant.from(raw.ended_at ?? raw.sent_at),
    inFlightUntil: Temporal.Instant.from(raw.lands_until),
    nextLookAt: instantOf(raw.next_look),
    failures: raw.failures,
    carriedOutAt: instantOf(raw.landed_at),
  };
}
