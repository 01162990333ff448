import type { SpokenKind } from "../domain/item.ts";
import type { GateState } from "../upstream/gate.ts";
import type { Forecast } from "./forecast.ts";

/** A change of one item, for printing. */
export interface ItemChange {
  readonly kind: SpokenKind;
  readonly title: string;
  readonly act: "added" | "changed" | "buried";
}

/**
 * Events for log, metrics and summaries. `polled`: a snapshot of items was applied; `missing`: newly missing items, `heldBack`:
 * items left to an edit in progress. `found`: an item missing from its list still exists, so the list is truncated.
 * `directory-changed`: names or members of projects, lists, labels or people changed. `fast-path`: the account-wide list of
 * tasks is used from now on, or no longer. `side-changed`: comments, history entries, folders or files changed. `ceiling`:
 * whether everything can be read within `maxAge` has changed. `look-up-refused` names the configuration key that replaces the
 * look-up. `fault`: an unexpected error.
 */
export type SyncEvent =
  | About<
      "polled",
      Record<"added" | "changed" | "unchanged" | "missing" | "heldBack", number> & Changes
    >
  | About<"directory-changed">
  | About<"side-changed", { changed: number }>
  | About<"incomplete", { problems: readonly string[] }>
  /** `failures`: consecutive failed polls. */
  | About<"failed", { problem: string; failures: number; nextAt: Temporal.Instant }>
  | About<"recovered">
  /** `needed`: true if data stays unknown without this look-up. */
  | About<"look-up-refused", { problem: string; setting: string; needed: boolean }>
  | About<"found", { title: string } & Changes>
  | About<"unanswered", { problem: string }>
  | About<"buried", Changes>
  | About<"braked", { missing: number; total: number; needsPerson: boolean }>
  | About<"brake-lifted">
  /** `reason`: why it is no longer used. */
  | {
      readonly kind: "fast-path";
      readonly state: "used" | "dropped";
      readonly reason: string | null;
    }
  | ({ readonly kind: "ceiling" } & Forecast)
  | About<"fault", { error: unknown }>;

/** An event about one source. */
type About<Kind extends string, Facts = unknown> = {
  readonly kind: Kind;
  readonly source: string;
} & Readonly<Facts>;

type Changes = { changes: readonly ItemChange[] };

type Polled = Extract<SyncEvent, { readonly kind: "polled" }>;

/** The event of an applied snapshot or page. */
export function polledEvent(
  source: string,
  {
    changes = [],
    missing = 0,
    heldBack = 0,
    unchanged,
  }: Partial<Polled> & Pick<Polled, "unchanged">,
): Polled {
  const count = (act: ItemChange["act"]) => changes.filter((change) => change.act === act).length;
  const counts = { added: count("added"), changed: count("changed") };
  return { kind: "polled", source, ...counts, unchanged, missing, heldBack, changes };
}

/** The result of one sweep. `held`: missing items held by a brake. */
export interface SweepSummary {
  readonly added: number;
  readonly changed: number;
  readonly buried: number;
  readonly unchanged: number;
  readonly held: number;
  /** Requests sent while it ran, including retries. */
  readonly requests: number;
  readonly failures: readonly { readonly source: string; readonly problem: string }[];
  /** The first few hundred, for printing. */
  readonly changes: readonly ItemChange[];
}

interface SummaryFacts {
  readonly held: number;
  readonly requests: number;
  readonly isPolled: (source: string) => boolean;
}

const mostChanges = 500;

/** Adds up the events of a sweep. */
export class SweepCounts {
  readonly #counts = { added: 0, changed: 0, buried: 0, unchanged: 0 };
  readonly #failures = new Map<string, string>();
  readonly #changes: ItemChange[] = [];

  note(event: SyncEvent): void {
    switch (event.kind) {
      case "polled":
        this.#counts.unchanged += event.unchanged;
        this.#failures.delete(event.source);
        this.#add(event.changes);
        return;
      case "found":
      case "buried":
        this.#add(event.changes);
        return;
      case "failed":
        this.#failures.set(event.source, event.problem);
        return;
      case "look-up-refused":
        if (event.needed) {
          const remedy = `Name them in the configuration: "${event.setting}".`;
          this.#failures.set(event.source, `${event.problem}. ${remedy}`);
        }
        return;
      case "fault":
        this.#failures.set(event.source, `fault: ${String(event.error)}`);
        return;
      case "incomplete":
        this.#failures.set(event.source, event.problems.join("; "));
        return;
      case "directory-changed":
      case "side-changed":
      case "recovered":
      case "unanswered":
      case "braked":
      case "brake-lifted":
      case "fast-path":
      case "ceiling":
        return;
    }
  }

  /** `isPolled`: whether a source still exists; failures of others are left out. */
  summary({ held, requests, isPolled }: SummaryFacts): SweepSummary {
    const failures = [...this.#failures]
      .filter(([source]) => isPolled(source))
      .map(([source, problem]) => ({ source, problem }));
    return { ...this.#counts, held, requests, failures, changes: [...this.#changes] };
  }

  #add(changes: readonly ItemChange[]): void {
    for (const change of changes) {
      this.#counts[change.act] += 1;
      if (this.#changes.length < mostChanges) this.#changes.push(change);
    }
  }
}

/** Progress of a sweep. `total` grows as sources are discovered; `remaining` assumes the service's documented quota. */
export interface SweepProgress {
  readonly done: number;
  readonly total: number;
  readonly remaining: Temporal.Duration;
}

/** The span of the documented quota. Source: service-api.md, Limits. */
const quotaSpanSeconds = 10;

/** Progress of a sweep that has read `done` of `total` sources, with one request for each that is left. */
export function progressOf({
  done,
  total,
  gate: { quota, used },
}: Pick<SweepProgress, "done" | "total"> & {
  readonly gate: Pick<GateState, "quota" | "used">;
}): SweepProgress {
  const windows = Math.ceil(Math.max(0, total - done - (quota - used)) / quota);
  const remaining = Temporal.Duration.from({ seconds: windows * quotaSpanSeconds });
  return { done, total, remaining };
}
