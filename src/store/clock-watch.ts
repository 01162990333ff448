/** Tells when the clock of the machine was set back while the process runs. */
export interface ClockWatch {
  /** By how much it was set back since the last look, beyond what clocks are slewed by; null when it was not. */
  setBack(): Temporal.Duration | null;
}

/** Clocks are slewed, and set by seconds, all the time: that shifts a wait by as much, and does no harm. */
const tolerableMs = 60_000;

/** `monotonic`: milliseconds that never jump. */
export function createClockWatch({
  clock,
  monotonic,
}: {
  readonly clock: () => Temporal.Instant;
  readonly monotonic: () => number;
}): ClockWatch {
  const offsetNow = () => clock().epochMilliseconds - monotonic();
  let offset = offsetNow();
  return {
    setBack() {
      const now = offsetNow();
      const backMs = Math.round(offset - now);
      // A slow slew adds up to more than is tolerable in the end, and is told once then.
      if (backMs <= 0 || backMs > tolerableMs) offset = now;
      return backMs > tolerableMs ? Temporal.Duration.from({ milliseconds: backMs }) : null;
    },
  };
}
