import { type Element, rowOf } from "./all-tasks.ts";
import type { SyncContext } from "./sync-context.ts";
import type { TaskPages } from "./task-pages.ts";

interface PageCheckDeps extends SyncContext {
  readonly pages: TaskPages;
}

/** The next step of a check. */
export type CheckStep =
  /** Requests in progress must finish first. */
  | { readonly kind: "wait" }
  /** Request one more page. */
  | { readonly kind: "page" }
  /** All pages once more, as elements may have moved between pages meanwhile; these lists first. */
  | { readonly kind: "again"; readonly lists: ReadonlySet<string> }
  | { readonly kind: "agrees" }
  | { readonly kind: "differs"; readonly reason: string };

/** A page must replace at least this many lists. */
const leastGain = 2;
/** If more tasks differ, lists must be read first, as after a pause. */
const mostOpen = 500;
/** Lists compared with pages at once, or parts of long ones. */
const partsAtOnce = 50;

/**
 * Compares the account-wide list of tasks with the lists before it is used: each element must be on one page as mirrored, each
 * element of a list on some page, and their number must match the total. Takes at most two passes.
 */
export class PageCheck {
  readonly #deps: PageCheckDeps;
  #pass = 1;
  /** Elements missing from the pages in the first pass; null during that pass. */
  #lacking: ReadonlySet<Element> | null = null;
  /** Number of readings until the check is given up; null before the number of pages is known. */
  #left: number | null = null;
  /** Elements of lists still to be looked for, and those that were on no page. */
  #unverified: Iterator<readonly Element[], undefined> | null = null;
  #missing = new Set<Element>();

  constructor(deps: PageCheckDeps) {
    this.#deps = deps;
  }

  /** Records that a page was read; returns why the check ends, null while it continues. */
  pageRead(): string | null {
    const { pages, sources } = this.#deps;
    if (this.#left === null) {
      const lists = sources.countOf("tasks") + sources.countOf("subtasks");
      this.#left = 4 * pages.count + 100;
      return pages.count * leastGain > lists
        ? `its ${pages.count} pages would save too little`
        : null;
    }
    this.#left -= 1;
    return this.#left > 0 ? null : "it does not agree with the lists";
  }

  /** `asked`: requested pages; `mismatches`: elements on which a page and the mirror disagree. */
  next({ asked, mismatches }: { readonly asked: number; readonly mismatches: number }): CheckStep {
    const { pages } = this.#deps;
    if (mismatches > mostOpen) return { kind: "wait" };
    if (asked < pages.count) return { kind: "page" };
    if (pages.unread !== null || asked === 0 || mismatches > 0) return { kind: "wait" };
    const { total, known, wanted } = pages;
    if (total !== known) {
      if (wanted !== null) return { kind: "wait" };
      return this.#pass > 1
        ? { kind: "differs", reason: `it counts ${total} tasks and shows ${known}` }
        : this.#again([]);
    }
    return this.#verify() ? this.#judge() : { kind: "wait" };
  }

  #judge(): CheckStep {
    const before = this.#lacking;
    const lacking = [...this.#missing].filter((element) => !before || before.has(element));
    if (lacking.length === 0) return { kind: "agrees" };
    if (this.#pass > 1 || lacking.length > this.#deps.pages.known / 20 + 20) {
      const reason = `${lacking.length} tasks in the lists are on none of its pages`;
      return { kind: "differs", reason };
    }
    return this.#again(lacking);
  }

  #again(lacking: readonly Element[]): CheckStep {
    const { mirror } = this.#deps.store;
    this.#pass += 1;
    this.#lacking = new Set(lacking);
    this.#unverified = null;
    const lists = lacking.flatMap((element) => rowOf(mirror, element)?.source ?? []);
    return { kind: "again", lists: new Set(lists) };
  }

  /** Looks for elements of lists among the pages, some at a time; returns whether all is done. */
  #verify(): boolean {
    if (!this.#unverified) {
      this.#missing = new Set();
      this.#unverified = this.#shownByLists();
    }
    for (let parts = 0; parts < partsAtOnce; parts += 1) {
      const { value: elements } = this.#unverified.next();
      if (!elements) return true;
      for (const element of elements) {
        if (this.#deps.pages.pageOf(element) === null) this.#missing.add(element);
      }
    }
    return false;
  }

  /** The elements of all lists of tasks and subtasks, long lists in parts. */
  *#shownByLists(): Generator<readonly Element[], undefined> {
    const { sources, store } = this.#deps;
    for (const { name } of [...sources.ofKind("tasks"), ...sources.ofKind("subtasks")]) {
      const sign = name.startsWith("tasks:") ? 1 : -1;
      const parts = store.mirror.keysInParts(name);
      for (const keys of parts) yield [...keys.keys()].map((id) => sign * id);
    }
  }
}
