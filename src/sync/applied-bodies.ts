import type { ServiceId } from "../domain/ids.ts";
import type { RowWatch } from "../store/mirror/row-watches.ts";
import type { Store } from "../store/store.ts";
import type { ListElements } from "../upstream/client.ts";
import type { Begun, SourceList } from "./source-list.ts";

interface AppliedBodiesDeps {
  readonly store: Store;
  readonly sources: SourceList;
  readonly clock: () => Temporal.Instant;
}

/** A body of which everything is in the mirror, and what it would do again if it were read again. */
export interface AppliedBody {
  readonly digest: string;
  /** How many items it has shown. */
  readonly items: number;
  /** Its elements, to read of the next one only what differs; null where that is not worth it. */
  readonly elements: ListElements | null;
  /** What was noted of its source, although nothing of it was missed. */
  readonly remarks: string | null;
}

interface Kept extends AppliedBody {
  readonly watch: RowWatch;
  /** The attempt that has read it. While that is the source's last one, its place is the same, and it did not fail since. */
  readonly turn: number;
  readonly followed: string;
}

/** One poll of a source of items. */
export interface Reading {
  /** The body that the mirror holds, as long as nothing else has touched what hangs on it; null when it has to be read. */
  standing(): AppliedBody | null;
  /** Rows that others have written since the request was made. */
  overtaken(): ReadonlySet<ServiceId>;
  /** Notes that what was written since the last look at `overtaken` was the list's own, with no await in between. */
  written(): void;
  /** Notes what was applied just now, with no await since; a body that leaves something open is not worth remembering (null). */
  applied(body: AppliedBody | null): void;
  /** Ends the reading; without a call of `applied` before, nothing is remembered. */
  end(): void;
}

/**
 * What each source's last body was, for as long as reading the same octets again would change nothing: no row of it was
 * written by anyone else, no question or brake of it is open, and the source list has it in the same place. A new process
 * knows of none.
 */
export class AppliedBodies {
  readonly #deps: AppliedBodiesDeps;
  readonly #kept = new Map<string, Kept>();

  constructor(deps: AppliedBodiesDeps) {
    this.#deps = deps;
    deps.sources.watch((name, source) => {
      if (source) return;
      this.#kept.get(name)?.watch.end();
      this.#kept.delete(name);
    });
  }

  begin(begun: Begun): Reading {
    const { name } = begun;
    const known = this.#kept.get(name);
    this.#kept.delete(name);
    const kept = known && this.#stands(begun, known) ? known : null;
    if (known && !kept) known.watch.end();
    const watch = kept?.watch ?? this.#deps.store.mirror.watch(name);
    const newer = new Set<ServiceId>();
    let isOver = false;
    return {
      standing: () => (kept && !isOver && this.#stands(begun, kept) ? kept : null),
      overtaken() {
        for (const id of watch.touched) newer.add(id);
        return newer;
      },
      written: () => watch.restart(),
      applied: (body) => {
        watch.restart();
        if (!body) return;
        isOver = true;
        const { digest, items, elements, remarks } = body;
        const followed = this.#followed(begun);
        this.#kept.set(name, {
          digest,
          items,
          elements,
          remarks,
          watch,
          turn: begun.turn,
          followed,
        });
      },
      end: () => {
        if (!isOver) watch.end();
      },
    };
  }

  #stands(begun: Begun, { watch, turn, followed }: Kept): boolean {
    const { absences, brakes } = this.#deps.store;
    const last = this.#deps.sources.get(begun.name);
    const isOpen = ({ source }: { readonly source: string }) => source === begun.name;
    return (
      last?.ended === turn &&
      watch.touched.size === 0 &&
      followed === this.#followed(begun) &&
      !absences.all().some(isOpen) &&
      !brakes.all().some(isOpen)
    );
  }

  /** How many tasks of a list are polled for subtasks, in an order that the days until they are due decide. */
  #followed({ source }: Begun): string {
    const { sources, clock } = this.#deps;
    const parents = source.kind === "tasks" ? sources.parentsIn(source.listId).length : 0;
    if (parents === 0) return "";
    return `${parents} on ${clock().toZonedDateTimeISO("UTC").toPlainDate().toString()}`;
  }
}
