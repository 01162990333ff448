import type { ItemKey, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import {
  canComplete,
  type Item,
  type Project,
  type SpokenKind,
  spokenKind,
  type Todolist,
} from "../domain/item.ts";
import { hasWords } from "../domain/searched-words.ts";
import { plainDescription } from "../domain/text.ts";
import { isPrivate, seesItem, seesProject } from "../domain/visibility.ts";
import type { Store } from "../store/store.ts";
import type { DaySpan, ViewItem } from "../store/view/view.ts";

/** Whose permissions apply; null: the operator's, who sees everything. */
export type Onlooker = PersonId | null;

/** Filter of the agenda; empty sets mean everything. */
export interface AgendaFilter {
  readonly projects: ReadonlySet<ProjectId>;
  readonly kinds: ReadonlySet<SpokenKind>;
  /** Only items assigned to this person; null: all. */
  readonly assigned: PersonId | null;
  /** True if completed items are included. */
  readonly completed: boolean;
}

/** An item with the names of its project and list. */
export interface AgendaItem {
  readonly key: ItemKey;
  readonly uid: string;
  /** The displayed version. */
  readonly sequence: number;
  /** True if an edit of it is pending. */
  readonly pending: boolean;
  readonly item: Item;
  readonly project: Project | null;
  /** For a task or subtask. */
  readonly list: Todolist | null;
  readonly private: boolean;
  readonly canComplete: boolean;
}

/** `isCut`: the limit was exceeded, and only the first items are included. */
export interface AgendaDays {
  readonly items: readonly AgendaItem[];
  readonly isCut: boolean;
}

/** One day; an item of several days appears on the first of them that is listed. */
export interface AgendaDay {
  readonly day: Temporal.PlainDate;
  readonly items: readonly AgendaItem[];
}

/** `next`: the first day left out because of the limit; null if all are included. */
export interface AgendaListing {
  readonly days: readonly AgendaDay[];
  readonly next: Temporal.PlainDate | null;
  readonly isCut: boolean;
}

/** Short steps over many items, and finally the result. */
export type AgendaSteps<Found> = Generator<undefined, Found, undefined>;

/** The best results of a search; `isCut`: there are more. */
export interface FoundItems {
  readonly items: readonly AgendaItem[];
  readonly isCut: boolean;
}

/** More would not be readable in a browser. */
const mostItems = 3000;
/** A search stops after this many results, and sorts them. */
const mostFound = 200;

/** The agenda of a page: for the operator everything, for a person what they may see. */
export function createAgenda({
  view,
  directory,
  itemSearch,
}: Pick<Store, "view" | "directory" | "itemSearch">) {
  const sees = (onlooker: Onlooker, placed: Placed): boolean =>
    onlooker === null
      ? placed.project?.archived !== true && placed.list?.archived !== true
      : seesItem(onlooker, placed);

  /** Reads each project and list once for all items of an answer. */
  function placing(): (item: Item) => Placed {
    const projects = new Map<ProjectId, Project | null>();
    const lists = new Map<ListId, Todolist | null>();
    return (item) => ({
      item,
      project: once(projects, item.projectId, (id) => directory.project(id)),
      list: item.kind === "event" ? null : once(lists, item.listId, (id) => directory.todolist(id)),
    });
  }

  const projectsOf = (onlooker: Onlooker): readonly Project[] =>
    directory
      .projects()
      .filter((project) =>
        onlooker === null ? !project.archived : seesProject(onlooker, project),
      );

  const agendaItemOf = (
    { key, uid, sequence, pending, item }: ViewItem,
    placed: Placed,
  ): AgendaItem => ({
    ...{ key, uid, sequence, pending, item },
    project: placed.project,
    list: placed.list,
    private: isPrivate(item, placed.list),
    canComplete: canComplete(item),
  });

  /** What of an item is visible with a filter; null if nothing. */
  function showing({ onlooker, filter }: { onlooker: Onlooker; filter: AgendaFilter }) {
    const place = placing();
    return (viewed: ViewItem): AgendaItem | null => {
      if (!passes(viewed.item, filter)) return null;
      const placed = place(viewed.item);
      return sees(onlooker, placed) ? agendaItemOf(viewed, placed) : null;
    };
  }

  return {
    /** Only the first items if there are too many. */
    *days(
      span: DaySpan,
      about: { readonly onlooker: Onlooker; readonly filter: AgendaFilter },
    ): AgendaSteps<AgendaDays> {
      const show = showing(about);
      const items: AgendaItem[] = [];
      for (const { key } of view.daysBetween(span)) {
        yield;
        const viewed = view.get(key);
        const shown = viewed && show(viewed);
        if (!shown) continue;
        if (items.length === mostItems) return { items, isCut: true };
        items.push(shown);
      }
      return { items, isCut: false };
    },
    /** Whole days up to a limit of items, each on the first of its days. */
    *listing(
      span: DaySpan,
      {
        enough,
        ...about
      }: {
        readonly onlooker: Onlooker;
        readonly filter: AgendaFilter;
        readonly enough: number;
      },
    ): AgendaSteps<AgendaListing> {
      const show = showing(about);
      const days: { day: Temporal.PlainDate; items: AgendaItem[] }[] = [];
      let count = 0;
      for (const { key, day } of view.daysBetween(span)) {
        const last = days.at(-1);
        const isSame = last?.day.equals(day) === true;
        if (!isSame && count >= enough) return { days, next: day, isCut: false };
        if (count === mostItems) return { days, next: day.add({ days: 1 }), isCut: true };
        yield;
        const viewed = view.get(key);
        const shown = viewed && show(viewed);
        if (!shown) continue;
        count += 1;
        if (isSame) last.items.push(shown);
        else days.push({ day, items: [shown] });
      }
      return { days, next: null, isCut: false };
    },
    /**
     * Items with the words of a text, at most `limit`: those with the text in the title, then open ones, then those with the
     * date nearest to today.
     */
    *search(
      text: string,
      {
        onlooker,
        limit,
        today,
      }: {
        readonly onlooker: Onlooker;
        readonly limit: number;
        readonly today: Temporal.PlainDate;
      },
    ): AgendaSteps<FoundItems> {
      const place = placing();
      const seen = onlooker === null ? null : projectsOf(onlooker).map(({ id }) => id);
      const found: AgendaItem[] = [];
      for (const keys of itemSearch.find(text, seen)) {
        yield;
        for (const viewed of keys.flatMap((key) => view.get(key) ?? [])) {
          const placed = place(viewed.item);
          if (!sees(onlooker, placed) || !matches(viewed.item, text)) continue;
          found.push(agendaItemOf(viewed, placed));
        }
        if (found.length >= mostFound) break;
      }
      const items = found.toSorted(byRelevance(text, today)).slice(0, limit);
      return { items, isCut: found.length > items.length };
    },
    /** Null if it does not exist or is not visible. */
    item(key: ItemKey, onlooker: Onlooker): AgendaItem | null {
      const viewed = view.get(key);
      if (!viewed) return null;
      const placed = placing()(viewed.item);
      return sees(onlooker, placed) ? agendaItemOf(viewed, placed) : null;
    },
    /** Projects with items visible to the onlooker. */
    projects: projectsOf,
    /** Lists of a project to which the onlooker may add tasks. */
    lists: (project: ProjectId, onlooker: Onlooker): readonly Todolist[] =>
      directory
        .todolistsOf(project)
        .filter((list) => !list.archived && (onlooker === null || !list.private)),
  };
}

interface Placed {
  readonly item: Item;
  readonly project: Project | null;
  readonly list: Todolist | null;
}

function passes(item: Item, { projects, kinds, assigned, completed }: AgendaFilter): boolean {
  if (projects.size > 0 && !projects.has(item.projectId)) return false;
  if (kinds.size > 0 && !kinds.has(spokenKind(item))) return false;
  if (!completed && item.completed) return false;
  return assigned === null || item.assigned.includes(assigned);
}

/** The index knows the markup of descriptions as words too; only readable text counts. */
function matches(item: Item, text: string): boolean {
  if (item.title.toLowerCase().includes(text.trim().toLowerCase())) return true;
  const ticket = item.kind === "event" ? null : item.ticket;
  return hasWords(`${item.title} ${plainDescription(item.description)} ${ticket ?? ""}`, text);
}

function byRelevance(text: string, today: Temporal.PlainDate) {
  const rank = ({ item }: AgendaItem): readonly number[] => {
    const day = dayOf(item);
    return [
      hasWords(item.title, text) ? 0 : 1,
      item.completed ? 1 : 0,
      day === null ? Number.POSITIVE_INFINITY : Math.abs(today.until(day).days),
    ];
  };
  return (a: AgendaItem, b: AgendaItem): number => {
    const [left, right] = [rank(a), rank(b)];
    const index = left.findIndex((value, at) => value !== right[at]);
    return index === -1 ? b.key - a.key : (left[index] ?? 0) - (right[index] ?? 0);
  };
}

/** The day when it starts or is due, in the account's zone; null without one. */
function dayOf(item: Item): Temporal.PlainDate | null {
  if (item.kind !== "event") return item.dueOn;
  return item.when.kind === "dates" ? item.when.start : item.when.start.toPlainDate();
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, read: (key: Key) => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = read(key);
  known.set(key, value);
  return value;
}
