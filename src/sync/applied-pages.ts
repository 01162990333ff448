import { fingerprint } from "../domain/fingerprint.ts";
import { type ProjectId, type ServiceId, serviceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import { sourceOf } from "../domain/source.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { Store } from "../store/store.ts";
import type { TaskPage } from "../upstream/resources/task-page.ts";
import type { Element } from "./task-pages.ts";

interface AppliedPagesDeps {
  readonly store: Store;
  /** By what items are made of octets; nothing is kept unless given. */
  readonly reader?: string | undefined;
  /** The projects that pages are asked for; null = all that the service shows. */
  readonly projects: readonly ProjectId[] | null;
}

/** What a page is known to say without being read. */
export interface RecalledPage {
  readonly elements: readonly Element[];
  readonly items: readonly (TaskItem & { readonly id: ServiceId })[];
  /** How many elements there are on all pages, as it says. */
  readonly total: number;
  /** What each item says, as the mirror writes it. */
  readonly contents: ReadonlyMap<Item, string>;
}

/**
 * What each page of all tasks has said, by its hash, for a later reading of the same octets, also by a later process: where the rows
 * of all its elements are as it said, reading it would find nothing. That is asked of the mirror itself, so that whoever has written
 * a row meanwhile need not know of pages.
 */
export class AppliedPages {
  readonly #deps: AppliedPagesDeps;
  /** By what pages are read, of which projects; null where no later reading is to know. */
  readonly #reader: string | null;

  constructor(deps: AppliedPagesDeps) {
    const { reader, projects } = deps;
    this.#deps = deps;
    this.#reader = reader === undefined ? null : `${reader} ${projects?.join() ?? "all"}`;
  }

  /** Notes what a page has said, unless it leaves something open. `contents`: what of that was written already. */
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
    const said = saidBy(
      items.map((item) => ({
        source: sourceOf(item),
        content: contents?.get(item) ?? contentText(item),
      })),
    );
    const elements = items.map(pageElementOf);
    const reader = this.#reader;
    this.#deps.store.bodies.putPage(page, { reader, digest, total, elements, said });
  }

  /** What a page with this hash says, which is what the mirror has; null where that is not known, and it is to be read. */
  recall(page: number, digest: string): RecalledPage | null {
    const { mirror, bodies } = this.#deps.store;
    const known = this.#reader === null ? null : bodies.page(page);
    if (known?.digest !== digest || known.reader !== this.#reader) return null;
    const { elements, total } = known;
    const rows = elements.flatMap((element) => rowOf(mirror, element) ?? []);
    if (rows.length !== elements.length || saidBy(rows) !== known.said) return null;
    const shown = rows.flatMap(({ key, content }) => {
      const item = mirror.get(key)?.item;
      return item && isTask(item) ? [{ item, content }] : [];
    });
    if (shown.length !== elements.length) return null;
    const contents = new Map(shown.map(({ item, content }) => [item, content]));
    return { elements, total, items: shown.map(({ item }) => item), contents };
  }

  /** Lets each page be read the next time. */
  forget(): void {
    if (this.#reader !== null) this.#deps.store.bodies.forgetPages();
  }
}

/** Whether a page can be understood as a whole, and none of its elements leaves something out. */
export const isWhole = ({ items, partial, problems, received, remarks = [] }: TaskPage): boolean =>
  items.length === received && partial.size + problems.length + remarks.length === 0;

export const pageElementOf = ({ kind, id }: Pick<TaskItem, "kind" | "id">): Element =>
  (kind === "task" ? 1 : -1) * (id ?? 0);

/** An element as people call it. */
export const elementNameOf = (element: Element): string =>
  `${element > 0 ? "task" : "subtask"} ${Math.abs(element)}`;

/** The row of an element as it is stored; null where it is not mirrored now. */
export function rowOf(mirror: Store["mirror"], element: Element) {
  const kind = element > 0 ? "task" : "subtask";
  const stored = mirror.stored(kind, serviceId(Math.abs(element)));
  return stored?.row ? { key: stored.key, ...stored.row } : null;
}

/** What rows say together, in their order. */
const saidBy = (rows: readonly { readonly source: string; readonly content: string }[]): string =>
  fingerprint(rows.map(({ source, content }) => `${source} ${content}`).join("\n"));

const isTask = (item: Item): item is TaskItem & { readonly id: ServiceId } =>
  item.kind !== "event" && item.id !== null;
