import type { EditState, ParkReason } from "../../domain/edit.ts";

/** How pages, mails and commands name the state of an edit. Each also reads after "is". */
export const editStateLabels: Readonly<Record<EditState, string>> = {
  pending: "pending",
  claimed: "sending",
  confirmed: "confirmed",
  parked: "waiting for a decision",
  held: "waiting for approval",
  discarded: "discarded",
  undone: "undone",
};

/** Why an edit is parked, in a few words. */
export const parkReasonLabels: Readonly<Record<ParkReason, string>> = {
  conflict: "conflict: also changed by someone else",
  refused: "rejected by the service",
  failed: "failed",
  "unknown-outcome": "result unknown",
};
