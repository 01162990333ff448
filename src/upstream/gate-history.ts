import type { Slot } from "./window.ts";

/** One request of the past, on the wall clock; `answeredAt` is null when its answer was never seen. */
export interface GateSlot {
  readonly startedAt: Temporal.Instant;
  readonly answeredAt: Temporal.Instant | null;
}

/**
 * What the last 429 has asked for, on the wall clock. `share`: how many requests in a window were left of the quota when
 * `quietSince` began; each quiet window since has given one back.
 */
export interface GateRest {
  readonly notedAt: Temporal.Instant;
  readonly pausedUntil: Temporal.Instant;
  readonly share: number;
  readonly quietSince: Temporal.Instant;
}

/**
 * Where the latest requests and the last 429 outlive the process, so that a restart neither spends the quota twice nor cuts a
 * rest short that the service has asked for.
 */
export interface GateHistory {
  load(): readonly GateSlot[];
  save(slots: readonly GateSlot[]): void;
  loadRest(): GateRest | null;
  saveRest(rest: GateRest): void;
}

/** The two clocks: `monotonic` in milliseconds that never jump. */
export interface Clocks {
  readonly clock: () => Temporal.Instant;
  readonly monotonic: () => number;
}

/** Past requests on this process's monotonic clock; one whose answer was never seen counts as answered now. */
export function restoredSlots(past: readonly GateSlot[], clocks: Clocks): readonly Slot[] {
  const nowMs = clocks.monotonic();
  const now = clocks.clock().epochMilliseconds;
  return past.map((slot) => {
    const answered = slot.answeredAt?.epochMilliseconds ?? now;
    // A clock that was set back would make the past look like the future: then it counts as just now.
    const agoMs = Math.max(0, now - answered);
    return { startedMs: nowMs - agoMs, answeredMs: nowMs - agoMs };
  });
}

/** The last 429 on this process's monotonic clock; null when there was none. */
export interface RestoredRest {
  readonly pausedUntilMs: number;
  readonly share: number;
  readonly quietSinceMs: number;
}

/** A clock that was set back in between lengthens no rest: what is left of it counts from when it was noted. */
export function restoredRest(rest: GateRest | null, clocks: Clocks): RestoredRest | null {
  if (!rest) return null;
  const nowMs = clocks.monotonic();
  const now = clocks.clock().epochMilliseconds;
  const begun = Math.max(now, rest.notedAt.epochMilliseconds);
  return {
    pausedUntilMs: nowMs + Math.max(0, rest.pausedUntil.epochMilliseconds - begun),
    share: rest.share,
    quietSinceMs: nowMs - Math.max(0, now - rest.quietSince.epochMilliseconds),
  };
}

/** Requests on the wall clock as it stands now, so that a clock set forward or back in between does not matter. */
export function savedSlots(slots: readonly Slot[], clocks: Clocks): readonly GateSlot[] {
  const now = { clock: pinned(clocks.clock()), monotonic: pinned(clocks.monotonic()) };
  return slots.map((slot) => ({
    startedAt: wallClock(slot.startedMs, now),
    answeredAt: slot.answeredMs === null ? null : wallClock(slot.answeredMs, now),
  }));
}

/** A moment of the monotonic clock on the wall clock, told by its distance from now. */
export function wallClock(momentMs: number, clocks: Clocks): Temporal.Instant {
  return clocks.clock().add({ milliseconds: Math.round(momentMs - clocks.monotonic()) });
}

const pinned =
  <Value>(value: Value) =>
  (): Value =>
    value;
