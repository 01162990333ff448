import { gateRestRow, gateSlotRow, instantText } from "./rows/rows.ts";
import type { StoreDeps } from "./view/changes.ts";

/** When one of the last requests left and was answered; null = no answer was seen. */
interface GateSlot {
  readonly startedAt: Temporal.Instant;
  readonly answeredAt: Temporal.Instant | null;
}

/** What the last 429 has asked for, and what it has left of the quota. */
interface GateRest {
  readonly notedAt: Temporal.Instant;
  readonly pausedUntil: Temporal.Instant;
  readonly share: number;
  readonly quietSince: Temporal.Instant;
}

/** Keeps the gate's history across a restart. */
export interface GateSlots {
  load(): readonly GateSlot[];
  save(slots: readonly GateSlot[]): void;
  loadRest(): GateRest | null;
  saveRest(rest: GateRest): void;
}

export function createGateSlots({ db }: StoreDeps): GateSlots {
  const all = db.prepare("SELECT * FROM gate_slots ORDER BY slot");
  const clear = db.prepare("DELETE FROM gate_slots WHERE slot >= ?");
  const put = db.prepare(
    `INSERT INTO gate_slots (slot, started_at, answered_at) VALUES (?, ?, ?)
     ON CONFLICT (slot) DO UPDATE SET started_at = excluded.started_at, answered_at = excluded.answered_at`,
  );
  const rest = db.prepare("SELECT * FROM gate_rest");
  const putRest = db.prepare(
    `INSERT INTO gate_rest (id, noted_at, paused_until, share, quiet_since)
     VALUES (1, @notedAt, @pausedUntil, @share, @quietSince)
     ON CONFLICT (id) DO UPDATE SET noted_at = excluded.noted_at, paused_until = excluded.paused_until,
       share = excluded.share, quiet_since = excluded.quiet_since`,
  );
  return {
    loadRest() {
      const row = rest.get();
      return row === undefined ? null : gateRestRow(row);
    },
    saveRest: ({ notedAt, pausedUntil, share, quietSince }) =>
      void putRest.run({
        share,
        notedAt: instantText(notedAt),
        pausedUntil: instantText(pausedUntil),
        quietSince: instantText(quietSince),
      }),
    load: () => all.all().map(gateSlotRow),
    save: db.transaction((slots: readonly GateSlot[]) => {
      for (const [slot, { startedAt, answeredAt }] of slots.entries()) {
        put.run(slot, startedAt.toString(), answeredAt?.toString() ?? null);
      }
      clear.run(slots.length);
    }),
  };
}
