import type { ServiceId } from "../domain/ids.ts";
import type { RowWatch } from "../store/mirror/row-watches.ts";
import type { ListElements } from "../upstream/client.ts";
import type { Begun } from "./polled-source.ts";
import type { SyncContext } from "./sync-context.ts";

type AppliedBodiesDeps = Pick<SyncContext, "store" | "sources" | "clock" | "reader">;

/** A response body whose contents are completely in the mirror. */
export interface ReadBody {
  readonly digest: string;
  /** Number of items in it. */
  readonly items: number;
  /** Its elements, so that only changes of the next body are parsed; null if not worth it. */
  readonly elements: ListElements | null;
  /** What was reported about a complete body, such as omitted fields; null if nothing. */
  readonly remarks: string | null;
}

/** A body known from an earlier reading. */
export interface AppliedBody extends ReadBody {
  /** True if an earlier process has read it, so that this one takes its items from the mirror. */
  readonly isEarlier: boolean;
}

interface Kept extends AppliedBody {
  readonly watch: RowWatch;
  /** Turn of the poll that read it. The body is valid only while this is the source's last finished poll. */
  readonly turn: number;
  readonly followed: string;
}

/** One poll of a source of items. */
export interface SourceReading {
  /** The last applied body, if its items were not changed otherwise since; null if the next body must be parsed. */
  standing(): AppliedBody | null;
  /** Rows that others have written since the request was sent. */
  overtaken(): ReadonlySet<ServiceId>;
  /** Records that everything written since `overtaken` came from this list. No await may come in between. */
  written(): void;
  /** Records what was just applied, without an await since. Null for a body that must be parsed again. */
  applied(body: ReadBody | null): void;
  /** Ends the reading. Without `applied`, nothing is remembered. */
  end(): void;
}

/**
 * Remembers the last body of each source while parsing the same octets again would change nothing: no other code wrote its
 * rows, no item is missing, no brake is set, and the source is in the same place. A new process uses the stored bodies until it
 * has polled the source itself.
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

  /** What an earlier process read, until this one has finished a poll. */
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

  /** Stores a body for the next process, unless something in it must be reported again. */
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

  /** The number of tasks in a list whose subtasks are polled, with the date, as priorities depend on due dates. */
  #followed({ source }: Begun): string {
    const { sources, clock } = this.#deps;
    const parents = source.kind === "tasks" ? sources.parentsIn(source.listId).length : 0;
    if (parents === 0) return "";
    return `${parents} on ${clock().toZonedDateTimeISO("UTC").toPlainDate().toString()}`;
  }
}
