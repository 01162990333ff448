/** A length of time that runs only while somebody works. */
export interface TimeLimit {
  /** Stops counting: what is waited for now is not the work. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly isOver: () => boolean;
}

/** Counts from now on; `onOver` is called once, when the time is used up. */
export function startTimeLimit(limit: Temporal.Duration, onOver: () => void): TimeLimit {
  let leftMs = limit.total("milliseconds");
  let isOver = false;
  let timer: NodeJS.Timeout | null = null;
  let since = 0;
  const resume = () => {
    if (timer || isOver) return;
    since = performance.now();
    timer = setTimeout(() => {
      isOver = true;
      onOver();
    }, leftMs);
  };
  const pause = () => {
    if (!timer) return;
    clearTimeout(timer);
    timer = null;
    leftMs = Math.max(0, leftMs - (performance.now() - since));
  };
  resume();
  return { pause, resume, isOver: () => isOver };
}
