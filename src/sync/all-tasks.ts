import { fingerprint } from "../domain/fingerprint.ts";
import { serviceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import { sourceOf } from "../domain/source.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { Store } from "../store/store.ts";
import type { TaskPage } from "../upstream/resources/task-page.ts";
import { type Identified, isIdentified } from "./plan-snapshot.ts";
import { configuredProjects } from "./sources-in-scope.ts";
import type { SyncContext } from "./sync-context.ts";

/** Name of the account-wide list of tasks in events. */
export const allTasksName = "alltodo";

/** The service's maximum. Source: beyond-the-document.md, Look-ups. */
export const pageSize = 100;

/** The service's times are in whole seconds, as is its Date header. */
export const clockMargin = Temporal.Duration.from({ seconds: 2 });

/** A task by its id, a subtask by its negated id: both in one number, as an account may have hundreds of thousands. */
export type Element = number;

/** Requests one page of the tasks and subtasks of all mirrored projects. */
export function requestPage(
  { upstream, scope }: Pick<SyncContext, "upstream" | "scope">,
  page: number,
  signal: AbortSignal,
) {
  const projectIds = configuredProjects(scope);
  return upstream.workspace.allTasks(
    { start: page * pageSize, limit: pageSize, ...(projectIds && { projectIds }) },
    { priority: "sweep", signal },
  );
}

/** Why an answer cannot be this page; null for an ordinary page. */
export function pageFault(
  page: number,
  { problems, received, total }: Pick<TaskPage, "problems" | "received" | "total">,
): string | null {
  const [problem] = problems;
  if (problem !== undefined) return problem;
  const expected = Math.min(pageSize, Math.max(0, total - page * pageSize));
  if (received === expected) return null;
  return `page ${page + 1} has ${received} tasks of ${total}, where ${expected} were expected`;
}

/** True if a page is complete and none of its elements omits a field. */
export const isWhole = ({ items, partial, problems, received, remarks = [] }: TaskPage): boolean =>
  items.length === received && partial.size + problems.length + remarks.length === 0;

export const elementOf = ({ kind, id }: Pick<TaskItem, "kind" | "id">): Element =>
  (kind === "task" ? 1 : -1) * (id ?? 0);

/** An element in words. */
export const elementNameOf = (element: Element): string =>
  `${element > 0 ? "task" : "subtask"} ${Math.abs(element)}`;

/** The stored row of an element; null if it is not mirrored now. */
export function rowOf(mirror: Store["mirror"], element: Element) {
  const kind = element > 0 ? "task" : "subtask";
  const stored = mirror.stored(kind, serviceId(Math.abs(element)));
  return stored?.row ? { key: stored.key, ...stored.row } : null;
}

export const isTask = (item: Item): item is Identified & TaskItem =>
  item.kind !== "event" && isIdentified(item);

type AppliedPagesDeps = Pick<SyncContext, "store" | "scope" | "reader">;

/** A page whose contents are known without parsing it. */
export interface RecalledPage {
  readonly elements: readonly Element[];
  readonly items: readonly (Identified & TaskItem)[];
  /** Number of elements on all pages, according to it. */
  readonly total: number;
  /** The stored content of each item. */
  readonly contents: ReadonlyMap<Item, string>;
}

/**
 * Stores a hash of each page of all tasks and of its contents, also for later processes. A page with the same octets need not
 * be parsed again while the mirror's rows still have these contents. The mirror itself is compared, so that code that writes
 * rows need not know of pages.
 */
export class AppliedPages {
  readonly #deps: AppliedPagesDeps;
  /** What pages are parsed with, and of which projects; null if they are not stored. */
  readonly #reader: string | null;

  constructor(deps: AppliedPagesDeps) {
    const { reader, scope } = deps;
    const projects = configuredProjects(scope)?.join() ?? "all";
    this.#deps = deps;
    this.#reader = reader === undefined ? null : `${reader} ${projects}`;
  }

  /** Stores a page's contents, unless the page is incomplete. `contents`: content that is serialised already. */
  note(
    page: number,
    {
      digest,
      answer,
      contents,
    }: {
      readonly digest: string;
      readonly answer: TaskPage;
      readonly contents?: ReadonlyMap<Item, string>;
    },
  ): void {
    const { items, total } = answer;
    if (this.#reader === null || !isWhole(answer)) return;
    const said = hashOf(
      items.map((item) => ({
        source: sourceOf(item),
        content: contents?.get(item) ?? contentText(item),
      })),
    );
    const elements = items.map(elementOf);
    const reader = this.#reader;
    this.#deps.store.bodies.putPage(page, { reader, digest, total, elements, said });
  }

  /** The contents of a page with this hash, if the mirror still has them; null if the page must be parsed. */
  recall(page: number, digest: string): RecalledPage | null {
    const { mirror, bodies } = this.#deps.store;
    const known = this.#reader === null ? null : bodies.page(page);
    if (known?.digest !== digest || known.reader !== this.#reader) return null;
    const { elements, total } = known;
    const rows = elements.flatMap((element) => rowOf(mirror, element) ?? []);
    if (rows.length !== elements.length || hashOf(rows) !== known.said) return null;
    const shown = rows.flatMap(({ key, content }) => {
      const item = mirror.get(key)?.item;
      return item && isTask(item) ? [{ item, content }] : [];
    });
    if (shown.length !== elements.length) return null;
    const contents = new Map(shown.map(({ item, content }) => [item, content]));
    return { elements, total, items: shown.map(({ item }) => item), contents };
  }

  /** Makes each page be parsed the next time. */
  forget(): void {
    if (this.#reader !== null) this.#deps.store.bodies.forgetPages();
  }
}

/** A hash of rows, in order. */
const hashOf = (rows: readonly { readonly source: string; readonly content: string }[]): string =>
  fingerprint(rows.map(({ source, content }) => `${source} ${content}`).join("\n"));
