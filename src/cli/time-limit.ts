import { monotonic, startTimer, type Timer } from "../runtime.ts";
/** A time limit that only counts working time. */
export type TimeLimit = ReturnType<typeof startTimeLimit>;

/** Starts counting; `onOver` is called once, when the time is up. */
export function startTimeLimit(limit: Temporal.Duration, onOver: () => void) {
  let leftMs = limit.total("milliseconds");
  let isOver = false;
  let timer: Timer | null = null;
  let since = 0;
  const resume = () => {
    if (timer || isOver) return;
    since = monotonic();
    timer = startTimer(leftMs, () => {
      isOver = true;
      onOver();
    });
  };
  const pause = () => {
    if (!timer) return;
    timer.cancel();
    timer = null;
    leftMs = Math.max(0, leftMs - (monotonic() - since));
  };
  resume();
  return {
    /** Pauses the count, for example while waiting for the reader. */
    pause,
    resume,
    isOver: (): boolean => isOver,
  };
}
