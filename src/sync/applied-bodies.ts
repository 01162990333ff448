import type { ServiceId } from "../domain/ids.ts";
import type { RowWatch } from "../store/mirror/row-watches.ts";
import type { Store } from "../store/store.ts";
import type { ListElements } from "../upstream/client.ts";
import type { Begun, SourceList } from "./source-list.ts";

interface AppliedBodiesDeps {
  readonly store: Store;
  readonly sources: SourceList;
  readonly clock: () => Temporal.Instant;
  /**
   * By what items are made of octets, the program and what it is told; a later process with the same one knows what this one has
   * read. Nothing is known to it unless given.
   */
  readonly reader?: string | undefined;
}

/** A body of which everything is in the mirror, and what it would do again if it were read again. */
export interface ReadBody {
  readonly digest: string;
  /** How many items it has shown. */
  readonly items: number;
  /** Its elements, to read of the next one only what differs; null where that is not worth it. */
  readonly elements: ListElements | null;
  /** What was noted of its source, although nothing of it was missed. */
  readonly remarks: string | null;
}

/** A body that is known from an earlier reading. */
export interface AppliedBody extends ReadBody {
  /** Whether an earlier process has read it: what lists show this process has to hear from the mirror. */
  readonly isEarlier: boolean;
}

interface Kept extends AppliedBody {
  readonly watch: RowWatch;
  /** The attempt that has read it. While that is the source's last one, its place is the same, and it did not fail since. */
  readonly turn: number;
  readonly followed: string;
}

/** One poll of a source of items. */
export interface SourceReading {
  /** The body that the mirror holds, as long as nothing else has touched what hangs on it; null when it has to be read. */
  standing(): AppliedBody | null;
  /** Rows that others have written since the request was made. */
  overtaken(): ReadonlySet<ServiceId>;
  /** Notes that what was written since the last look at `overtaken` was the list's own, with no await in between. */
  written(): void;
  /** Notes what was applied just now, with no await since; a body that leaves something open is not worth remembering (null). */
  applied(body: ReadBody | null): void;
  /** Ends the reading; without a call of `applied` before, nothing is remembered. */
  end(): void;
}

/**
 * What each source's last body was, for as long as reading the same octets again would change nothing: no row of it was
 * written by anyone else, no question or brake of it is open, and the source list has it in the same place. A new process
 * goes by what the store has kept, until it has polled the source itself.
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

  begin(begun: Begun): SourceReading {
    const { name } = begun;
    const known = this.#kept.get(name) ?? this.#earlier(begun);
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
        this.#keep(begun, body);
        if (!body) return;
        isOver = true;
        const { digest, items, elements, remarks } = body;
        const followed = this.#followed(begun);
        const { turn } = begun;
        const isEarlier = false;
        this.#kept.set(name, {
          ...{ digest, items, elements, remarks, isEarlier },
          ...{ watch, turn, followed },
        });
      },
      end: () => {
        if (!isOver) watch.end();
      },
    };
  }

  /** What an earlier process has read, before this one has come to the end of a poll. */
  #earlier(begun: Begun): Kept | null {
    const { store, reader } = this.#deps;
    if (begun.ended > 0 || reader === undefined) return null;
    const body = store.bodies.get(begun.name);
    if (body?.reader !== reader) return null;
    const { digest, items, followed } = body;
    const watch = store.mirror.watch(begun.name);
    return {
      ...{ digest, items, elements: null, remarks: null, isEarlier: true },
      ...{ watch, turn: 0, followed },
    };
  }

  /** Keeps a body for the next process, unless something about it is to be told once more by that. */
  #keep(begun: Begun, body: ReadBody | null): void {
    const { store, reader } = this.#deps;
    const { name } = begun;
    const kept = store.bodies.get(name);
    if (!body || body.remarks !== null || reader === undefined) {
      if (kept) store.bodies.forget(name);
      return;
    }
    const { digest, items } = body;
    const followed = this.#followed(begun);
    const isSame = kept?.digest === digest && kept.reader === reader && kept.followed === followed;
    if (!isSame) store.bodies.put(name, { reader, digest, items, followed });
  }

  #stands(begun: Begun, { watch, turn, followed }: Kept): boolean {
    const { absences, brakes } = this.#deps.store;
    const last = this.#deps.sources.get(begun.name);
    return (
      last?.ended === turn &&
      watch.touched.size === 0 &&
      followed === this.#followed(begun) &&
      absences.ofSource(begun.name).size === 0 &&
      brakes.get(begun.name) === null
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
