import type { EditId } from "../../src/domain/ids.ts";
import type { Store } from "../../src/store/store.ts";

/** The state of a fresh edit. */
export const untouched = {
  newLabels: [],
  shown: null,
  begun: 0,
  parkReason: null,
  problem: null,
  notBefore: null,
  sentAt: null,
  sentAfter: null,
  answer: null,
  before: null,
  conflicts: [],
  insisted: false,
  frozen: false,
  undoes: null,
  confirmedAt: null,
  missedAt: null,
  inFlightUntil: null,
  resentAt: null,
  keyRefusedAt: null,
  restores: null,
} as const;

/** Records that the request which creates an edit's item is sent now. */
export function leaveCreating({ attempts, journal }: Store, id: EditId): void {
  const edit = journal.get(id);
  if (!edit) throw new Error(`there is no edit ${id}`);
  attempts.leaving({ edit: id, item: edit.item, act: "create", patch: edit.patch });
}
