/** How old what is shown has to get at the least, and whether that is within what was asked for. */
export interface Outlook {
  /** Lists, and pages of the list of all tasks, that are polled, each with one request. */
  readonly sources: number;
  /** Requests per second that polling may use at present. */
  readonly pace: number;
  readonly maxAgeSeconds: number;
  /** How long one poll of each takes at that pace, so how old each gets when all are polled in turn. */
  readonly bestAgeSeconds: number;
  readonly isMet: boolean;
  /** The sum and what would help, in a sentence each; null where the ceiling is met. */
  readonly advice: string | null;
}

interface OutlookFacts {
  readonly sources: number;
  readonly pace: number;
  /** The part of the quota that polling may use, from 0.1 to 1. */
  readonly share: number;
  readonly maxAge: Temporal.Duration;
}

/** Whether everything can be read once within `maxAge`. */
export function outlookOf({ sources, pace, share, maxAge }: OutlookFacts): Outlook {
  const maxAgeSeconds = maxAge.total("seconds");
  const bestAgeSeconds = Math.ceil(sources / pace);
  const isMet = bestAgeSeconds <= maxAgeSeconds;
  const facts = { sources, pace, maxAgeSeconds, bestAgeSeconds, isMet };
  return { ...facts, advice: isMet ? null : `${sumOf(facts)} ${helpFor(facts, share)}` };
}

function sumOf({ sources, pace, maxAgeSeconds, bestAgeSeconds }: Omit<Outlook, "advice">): string {
  const rate = Math.round(pace * 100) / 100;
  return (
    `${sources} lists are read with one request each, ${rate} per second: a round takes ${length(bestAgeSeconds)}, ` +
    `more than polling.maxAge, ${length(maxAgeSeconds)}; half of the requests go to what is oldest, the others where changes are likely.`
  );
}

/** What can be said of each remedy: how far it would have to go. */
function helpFor(
  { pace, maxAgeSeconds, bestAgeSeconds }: Omit<Outlook, "advice">,
  share: number,
): string {
  const affordable = Math.floor(pace * maxAgeSeconds);
  const raised = share * (bestAgeSeconds / maxAgeSeconds);
  const more = raised <= 1 ? [`raise polling.share to ${Math.ceil(raised * 100) / 100}`] : [];
  const remedies = [
    `archive lists and projects that nobody needs, down to ${affordable} lists`,
    ...more,
    `raise polling.maxAge to ${length(Math.ceil(bestAgeSeconds / 60) * 60)}`,
  ];
  return `What would help: ${remedies.join(", or ")}.`;
}

function length(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(seconds / 360) / 10} hours`;
}
