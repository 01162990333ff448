import { createThrottle } from "../../src/people/throttle.ts";

/** A throttle that never waits, and the milliseconds that it would have waited for each wrong secret. */
export function instantThrottle(clock: () => Temporal.Instant) {
  const waits: number[] = [];
  const throttle = createThrottle({
    clock,
    pause: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  });
  return { throttle, waits };
}
