import type { ItemChange, SyncEvent } from "./event.ts";

/** What one sweep did. `held`: items that are missing but held by a brake. */
export interface SweepSummary {
  readonly added: number;
  readonly changed: number;
  readonly buried: number;
  readonly unchanged: number;
  readonly held: number;
  /** Requests that left while it ran, repeats included. */
  readonly requests: number;
  readonly failures: readonly { readonly source: string; readonly problem: string }[];
  /** The first few hundred, for printing. */
  readonly changes: readonly ItemChange[];
}

export interface SummaryFacts {
  readonly held: number;
  readonly requests: number;
  readonly isPolled: (source: string) => boolean;
}

const mostChanges = 500;

/** Adds up what happens during a sweep. */
export class Tally {
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
        return;
    }
  }

  /** `isPolled`: whether a source is still one; what failed of another does not matter any more. */
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
