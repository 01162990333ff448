import { gateSlotRow } from "./rows/rows.ts";
import type { StoreDeps } from "./view/changes.ts";

/** When one of the last requests left and was answered; null = no answer was seen. */
interface GateSlot {
  readonly startedAt: Temporal.Instant;
  readonly answeredAt: Temporal.Instant | null;
}

/** Keeps the gate's history across a restart. */
export interface GateSlots {
  load(): readonly GateSlot[];
  save(slots: readonly GateSlot[]): void;
}

export function createGateSlots({ db }: StoreDeps): GateSlots {
  const all = db.prepare("SELECT * FROM gate_slots ORDER BY slot");
  const clear = db.prepare("DELETE FROM gate_slots WHERE slot >= ?");
  const put = db.prepare(
    `INSERT INTO gate_slots (slot, started_at, answered_at) VALUES (?, ?, ?)
     ON CONFLICT (slot) DO UPDATE SET started_at = excluded.started_at, answered_at = excluded.answered_at`,
  );
  return {
    load: () => all.all().map(gateSlotRow),
    save: db.transaction((slots: readonly GateSlot[]) => {
      for (const [slot, { startedAt, answeredAt }] of slots.entries()) {
        put.run(slot, startedAt.toString(), answeredAt?.toString() ?? null);
      }
      clear.run(slots.length);
    }),
  };
}
