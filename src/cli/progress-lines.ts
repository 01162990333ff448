import type { CommandHost } from "./command-host.ts";

/** Reports how much of a long task is done, in any unit. */
export type OnProgress = (done: number, total: number) => void;

const between = Temporal.Duration.from({ seconds: 1 });

/**
 * Writes a line to standard error at most once per second, with the share that is done and the time left at the pace so far. A
 * task of less than a second writes none.
 */
export function progressLines(
  { say, clock }: Pick<CommandHost, "say" | "clock">,
  what: string,
): OnProgress {
  const begun = clock();
  let last = begun;
  return (done, total) => {
    const now = clock();
    if (done <= 0 || done >= total || Temporal.Duration.compare(now.since(last), between) < 0) {
      return;
    }
    last = now;
    const left = (now.since(begun).total("seconds") * (total - done)) / done;
    say(
      `${what}: ${Math.floor((100 * done) / total)} %, about ${timeLeft(Math.ceil(left))} left\n`,
    );
  };
}

/** In minutes, if there are two or more. */
export const timeLeft = (seconds: number): string =>
  seconds >= 120 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`;
