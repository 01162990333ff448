import type { Stage } from "./stage.ts";

/** A clock that each request of a stage advances, so that nothing depends on how long requests take on this machine. */
export interface RequestClock {
  readonly now: () => Temporal.Instant;
  /** From now on requests of this stage count. */
  follow(it: Pick<Stage, "upstream">): void;
  skip(length: Temporal.DurationLike): void;
}

export function requestClock(perRequest: Temporal.DurationLike): RequestClock {
  let start = Temporal.Now.instant();
  let sent = () => 0;
  const msPerRequest = Temporal.Duration.from(perRequest).total("milliseconds");
  return {
    now: () => start.add({ milliseconds: msPerRequest * sent() }),
    follow({ upstream }) {
      const before = upstream.gate.state().sent;
      sent = () => upstream.gate.state().sent - before;
    },
    skip(length) {
      start = start.add(length);
    },
  };
}
