import type { GateState } from "../upstream/gate.ts";
import type { Entry } from "./roster.ts";

/** `total` grows while a sweep learns what there is; `remaining` is at the service's documented quota. */
export interface SweepProgress {
  readonly done: number;
  readonly total: number;
  readonly remaining: Temporal.Duration;
}

export interface ProgressFacts {
  readonly entries: readonly Entry[];
  /** Whether a source is still to be read in this sweep. */
  readonly isDue: (entry: Entry) => boolean;
  readonly gate: Pick<GateState, "quota" | "used">;
}

/** The span of the documented quota. Source: service-api.md, Limits. */
const quotaSpanSeconds = 10;

export function progressOf({
  entries,
  isDue,
  gate: { quota, used },
}: ProgressFacts): SweepProgress {
  const total = entries.length;
  const done = entries.filter((entry) => !isDue(entry) && !entry.underWay).length;
  const windows = Math.ceil(Math.max(0, total - done - (quota - used)) / quota);
  const remaining = Temporal.Duration.from({ seconds: windows * quotaSpanSeconds });
  return { done, total, remaining };
}
