import { ceilingOf, isWithin, maxAgePart, mostWithin } from "@dayferry/poll-scheduler";

/** How old shown data gets, and whether that is within the configured maximum. */
export interface Forecast {
  /** Polled lists and pages of the list of all tasks, each with one request. */
  readonly sources: number;
  /** Requests per second for polling. */
  readonly pace: number;
  readonly maxAgeSeconds: number;
  /** Duration of one poll of each at that rate, which is the age if all are polled in turn. */
  readonly bestAgeSeconds: number;
  /**
   * The maximum age in effect: several rounds if `maxAgeSeconds` cannot be met, so that most requests go where changes are
   * likely.
   */
  readonly ceilingSeconds: number;
  readonly isMet: boolean;
  /** The figures and what would help, in a sentence each; null if the maximum is met. */
  readonly advice: string | null;
}

interface ForecastFacts {
  readonly sources: number;
  readonly pace: number;
  /** The share of the quota for polling, from 0.1 to 1. */
  readonly share: number;
  readonly maxAge: Temporal.Duration;
}

/** Whether everything can be read once within `maxAge`, and how old it gets otherwise. */
export function forecastOf({ sources, pace, share, maxAge }: ForecastFacts): Forecast {
  const maxAgeSeconds = maxAge.total("seconds");
  const bestAgeSeconds = Math.ceil(sources / pace);
  const load = { sources, pace, maxAge: maxAgePart * maxAgeSeconds };
  const isMet = isWithin(load);
  const ceilingSeconds = isMet ? maxAgeSeconds : Math.ceil(ceilingOf(load));
  const facts = { sources, pace, maxAgeSeconds, bestAgeSeconds, ceilingSeconds, isMet };
  return { ...facts, advice: isMet ? null : `${sumOf(facts)} ${helpFor(facts, share)}` };
}

function sumOf({
  sources,
  pace,
  maxAgeSeconds,
  bestAgeSeconds,
  ceilingSeconds,
}: Omit<Forecast, "advice">): string {
  const rate = Math.round(pace * 100) / 100;
  return (
    `${sources} lists are read with one request each, ${rate} per second: a round takes ${length(bestAgeSeconds)}, ` +
    `too long to keep all within polling.maxAge, ${length(maxAgeSeconds)}. Each is read after ${length(ceilingSeconds)} ` +
    "at the latest, so that most requests go where changes are likely."
  );
}

/** How far each remedy would have to go. */
function helpFor(
  { pace, maxAgeSeconds, bestAgeSeconds }: Omit<Forecast, "advice">,
  share: number,
): string {
  const affordable = mostWithin({ pace, maxAge: maxAgePart * maxAgeSeconds });
  const enough = bestAgeSeconds / (affordable / pace);
  const raised = share * enough;
  const more = raised <= 1 ? [`raise polling.share to ${Math.ceil(raised * 100) / 100}`] : [];
  const remedies = [
    `archive lists and projects that no one needs, down to ${affordable} lists`,
    ...more,
    `raise polling.maxAge to ${length(Math.ceil((enough * maxAgeSeconds) / 60) * 60)}`,
  ];
  return `What would help: ${remedies.join(", or ")}.`;
}

function length(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(seconds / 360) / 10} hours`;
}
