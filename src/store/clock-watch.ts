/** Clocks are often adjusted by seconds, which only shifts waits a little. */
const tolerableMs = 60_000;

/**
 * Detects that the machine's clock was set back while the process runs. `monotonic`: milliseconds of a monotonic clock.
 */
export function createClockWatch({
  clock,
  monotonic,
}: {
  readonly clock: () => Temporal.Instant;
  readonly monotonic: () => number;
}) {
  const offsetNow = () => clock().epochMilliseconds - monotonic();
  let offset = offsetNow();
  return {
    /** How far it was set back since the last check, beyond normal slewing; null if it was not. */
    setBack(): Temporal.Duration | null {
      const now = offsetNow();
      const backMs = Math.round(offset - now);
      // Slow slewing adds up, and is reported once it exceeds the tolerance.
      if (backMs <= 0 || backMs > tolerableMs) offset = now;
      return backMs > tolerableMs ? Temporal.Duration.from({ milliseconds: backMs }) : null;
    },
  };
}
