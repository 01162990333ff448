import { isTroubleKind, type Trouble } from "../../domain/trouble-kinds.ts";
import { type SendQueueRow, sendQueueRow } from "./mail-rows.ts";
import { instantOf, tableRow } from "./row.ts";

/** One occurrence of a trouble. */
export interface Episode {
  readonly id: number;
  /** Identifies the trouble, independent of its facts. */
  readonly identity: string;
  /** Its facts as last seen. */
  readonly trouble: Trouble;
  readonly since: Temporal.Instant;
  /** Start of its current absence; null while it is present. */
  readonly goneAt: Temporal.Instant | null;
  /** When it was considered over; null before. */
  readonly overAt: Temporal.Instant | null;
}

/** Null for an unknown kind, written by a later build. */
export function episodeRow(row: unknown): Episode | null {
  const raw = tableRow<"troubles">(row);
  const trouble = troubleRow(row);
  if (!trouble) return null;
  return {
    id: raw.id,
    identity: raw.identity,
    trouble,
    since: Temporal.Instant.from(raw.since),
    goneAt: instantOf(raw.gone_at),
    overAt: instantOf(raw.over_at),
  };
}

/** The facts of a trouble; null for an unknown kind. */
export function troubleRow(row: unknown): Trouble | null {
  const raw = row as { trouble: string };
  const trouble = JSON.parse(raw.trouble) as Trouble;
  return isTroubleKind(trouble.kind) ? trouble : null;
}

/** What a message reports: the beginning, that it continues (`again-1` and so on), or the end. */
export type OperatorPhase = "begun" | `again-${number}` | "over";

/** One message to the operator by one way. */
export interface OperatorKey {
  /** The id of the trouble's episode. */
  readonly trouble: number;
  readonly phase: OperatorPhase;
  /** `mail:` with an address, or `webhook:` with a name. */
  readonly way: string;
}

export type OperatorMessageRow = SendQueueRow & { readonly key: OperatorKey };

export function operatorMessageRow(row: unknown): OperatorMessageRow {
  const raw = row as Pick<OperatorKey, "way"> & {
    subject: OperatorKey["trouble"];
    occasion: OperatorKey["phase"];
  };
  const { subject: trouble, occasion: phase, way } = raw;
  return { ...sendQueueRow(row), key: { trouble, phase, way } };
}

/** State of a way. */
export interface WayState {
  readonly way: string;
  readonly waiting: number;
  /** Within the last week. */
  readonly refused: number;
  /** Error of the last message; null if it was accepted. */
  readonly problem: string | null;
}

export function wayStateRow(row: unknown): WayState {
  const raw = row as { way: string; waiting: number; refused: number; newest: string | null };
  const newest = JSON.parse(raw.newest ?? "{}") as { state?: string; problem?: string | null };
  const isTaken = newest.state === undefined || newest.state === "sent";
  return {
    way: raw.way,
    waiting: raw.waiting,
    refused: raw.refused,
    problem: isTaken ? null : (newest.problem ?? "it was not taken"),
  };
}
