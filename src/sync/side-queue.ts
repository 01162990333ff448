import { isRecent } from "../domain/backoff.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import type { ServiceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import { toPlain } from "../domain/plain-item.ts";
import { type SideSource, sideName } from "../domain/source.ts";
import type { Store } from "../store/store.ts";

/** What is mirrored beside the items. */
export interface SideWishes {
  readonly comments: boolean;
  readonly history: boolean;
  readonly files: boolean;
}

/** A side source that is to be read. */
export interface Wanted {
  readonly name: string;
  readonly source: SideSource;
  /** What is known of the task now; null for folders and files. */
  readonly seen: string | null;
  /** When the task last changed, so that the newest goes first. */
  readonly changedAt: number;
  readonly failures: number;
  readonly notBefore: Temporal.Instant | null;
}

export interface SideQueueDeps {
  readonly store: Store;
  readonly clock: () => Temporal.Instant;
  readonly wishes: SideWishes;
}

const ranks: Readonly<Record<SideSource["kind"], number>> = {
  comments: 0,
  folders: 1,
  files: 2,
  history: 3,
};

/**
 * What of the side sources is to be read, and what comes first. Comments and history of a task are wanted when what its
 * list says of the task differs from what it said when they were last read; folders and files when they get old. What
 * was read is in the store; here is only what is still open.
 */
export class SideQueue {
  readonly #deps: SideQueueDeps;
  readonly #wanted = new Map<string, Wanted>();
  /** What was seen of tasks whose comments or history were read, by the source's name. */
  readonly #seen: Map<string, string | null>;
  readonly #readAt: Map<string, Temporal.Instant>;

  constructor(deps: SideQueueDeps) {
    this.#deps = deps;
    deps.store.sideSources.prune();
    const states = deps.store.sideSources.all();
    this.#seen = new Map(states.map(({ name, seen }) => [name, seen]));
    this.#readAt = new Map(
      states.flatMap(({ name, succeededAt }) => (succeededAt ? [[name, succeededAt]] : [])),
    );
  }

  /** Looks at tasks that a list has just shown. */
  follow(items: readonly Item[]): void {
    const { wishes } = this.#deps;
    for (const item of items) {
      if (item.kind !== "task" || item.id === null) continue;
      if (wishes.comments) this.#followComments(item, item.id);
      if (wishes.history) this.#followHistory(item, item.id);
    }
  }

  /** Wants a source that was not read within `maxAge`. */
  refresh(source: SideSource, maxAge: Temporal.Duration): void {
    const { clock } = this.#deps;
    const name = sideName(source);
    const readAt = this.#readAt.get(name);
    if (readAt && isRecent(readAt, { length: maxAge, now: clock() })) return;
    this.#want({ name, source, seen: null, changedAt: 0 });
  }

  /** The best that may be read now; null when nothing may. */
  next(): Wanted | null {
    const now = this.#deps.clock();
    let best: Wanted | null = null;
    for (const wanted of this.#wanted.values()) {
      const rests = wanted.notBefore && Temporal.Instant.compare(wanted.notBefore, now) > 0;
      if (!rests && (!best || isBefore(wanted, best))) best = wanted;
    }
    return best;
  }

  /** It was read whole as it was wanted. Should the task have moved on meanwhile, it is still wanted. */
  done({ name, seen }: Wanted): void {
    this.#seen.set(name, seen);
    this.#readAt.set(name, this.#deps.clock());
    if (this.#wanted.get(name)?.seen === seen) this.#wanted.delete(name);
  }

  /** It could not be read. */
  putOff({ name, failures }: Wanted, notBefore: Temporal.Instant): void {
    const now = this.#wanted.get(name);
    if (now) this.#wanted.set(name, { ...now, failures: failures + 1, notBefore });
  }

  /** There is nothing to read any more. */
  drop({ name }: Wanted): void {
    this.#wanted.delete(name);
    this.#seen.delete(name);
    this.#readAt.delete(name);
  }

  /** A comment may be changed without being counted, so the time of the task counts as well where there are some. */
  #followComments(item: TaskItem, taskId: ServiceId): void {
    const source: SideSource = { kind: "comments", taskId };
    const name = sideName(source);
    const updatedAt = item.updatedAt?.toString() ?? "";
    const seen = item.commentCount === 0 ? "0" : `${item.commentCount} ${updatedAt}`;
    const before = this.#seen.get(name) ?? "0";
    if (before === seen) this.#wanted.delete(name);
    else this.#want({ name, source, seen, changedAt: momentOf(item) });
  }

  /** The service's times have whole seconds, so the content counts as well. */
  #followHistory(item: TaskItem, taskId: ServiceId): void {
    const source: SideSource = { kind: "history", taskId };
    const name = sideName(source);
    const seen = fingerprint(
      `${item.updatedAt?.toString() ?? ""} ${JSON.stringify(toPlain(item))}`,
    );
    if (this.#seen.get(name) === seen) this.#wanted.delete(name);
    else this.#want({ name, source, seen, changedAt: momentOf(item) });
  }

  #want(wish: Pick<Wanted, "name" | "source" | "seen" | "changedAt">): void {
    const known = this.#wanted.get(wish.name);
    this.#wanted.set(wish.name, {
      ...wish,
      failures: known?.failures ?? 0,
      notBefore: known?.notBefore ?? null,
    });
  }
}

const momentOf = ({ updatedAt }: TaskItem): number => updatedAt?.epochMilliseconds ?? 0;

function isBefore(a: Wanted, b: Wanted): boolean {
  const rank = ranks[a.source.kind] - ranks[b.source.kind];
  return rank === 0 ? a.changedAt > b.changedAt : rank < 0;
}
