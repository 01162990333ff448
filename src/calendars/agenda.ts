import type { ItemKey, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import {
  canComplete,
  type Item,
  type Project,
  type SpokenKind,
  spokenKind,
  type Todolist,
} from "../domain/item.ts";
import { isPrivate, seesItem, seesProject } from "../domain/sight.ts";
import type { Store } from "../store/store.ts";
import type { DaySpan, ViewItem } from "../store/view/view.ts";

/** Whose eyes it is for; null: the operator's, who sees all that there is. */
export type Onlooker = PersonId | null;

/** What of the workspace is shown; empty sets mean everything. */
export interface AgendaFilter {
  readonly projects: ReadonlySet<ProjectId>;
  readonly kinds: ReadonlySet<SpokenKind>;
  /** Only what this person is assigned to; null: whoever is. */
  readonly assigned: PersonId | null;
  /** Whether what is done is shown as well. */
  readonly completed: boolean;
}

/** An item between the names that people know it by. */
export interface AgendaItem {
  readonly key: ItemKey;
  readonly uid: string;
  /** Names the version that is shown. */
  readonly sequence: number;
  /** Whether an edit of it is on its way to the service. */
  readonly pending: boolean;
  readonly item: Item;
  readonly project: Project | null;
  /** Of a task or subtask. */
  readonly list: Todolist | null;
  readonly private: boolean;
  readonly canComplete: boolean;
}

/** `isCut`: there are more than the most that are told at once; the first of them are here. */
export interface AgendaDays {
  readonly items: readonly AgendaItem[];
  readonly isCut: boolean;
}

/** What takes place on one day; an item of several days stands on the first of them that is listed. */
export interface AgendaDay {
  readonly day: Temporal.PlainDate;
  readonly items: readonly AgendaItem[];
}

/** `next`: the first day that was left out as there is more than enough before it; null where all are here. */
export interface AgendaListing {
  readonly days: readonly AgendaDay[];
  readonly next: Temporal.PlainDate | null;
  readonly isCut: boolean;
}

/** Steps of a look at many items, each short, and at last what was found. */
export type AgendaSteps<Found> = Generator<undefined, Found, undefined>;

/** What takes place in the workspace, for a page: for the operator all of it, for a person what that person may see. */
export interface Agenda {
  /** The first of them where there are too many. */
  days(
    span: DaySpan,
    about: { readonly onlooker: Onlooker; readonly filter: AgendaFilter },
  ): AgendaSteps<AgendaDays>;
  /** Day by day, each whole, until so many are told: items by the first of the days on which they are. */
  listing(
    span: DaySpan,
    about: {
      readonly onlooker: Onlooker;
      readonly filter: AgendaFilter;
      readonly enough: number;
    },
  ): AgendaSteps<AgendaListing>;
  /** Null where there is none, and where it is not for these eyes. */
  item(key: ItemKey, onlooker: Onlooker): AgendaItem | null;
  /** Projects in which the onlooker sees items. */
  projects(onlooker: Onlooker): readonly Project[];
  /** Lists of a project into which the onlooker may put tasks. */
  lists(project: ProjectId, onlooker: Onlooker): readonly Todolist[];
}

/** A browser shows no more at once in a way that anybody could read. */
const mostItems = 3000;

export function createAgenda({ view, directory }: Pick<Store, "view" | "directory">): Agenda {
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

  const told = ({ key, uid, sequence, pending, item }: ViewItem, placed: Placed): AgendaItem => ({
    ...{ key, uid, sequence, pending, item },
    project: placed.project,
    list: placed.list,
    private: isPrivate(item, placed.list),
    canComplete: canComplete(item),
  });

  /** What of an item is shown to an onlooker who asks for some of them; null where nothing is. */
  function showing({ onlooker, filter }: { onlooker: Onlooker; filter: AgendaFilter }) {
    const place = placing();
    return (viewed: ViewItem): AgendaItem | null => {
      if (!passes(viewed.item, filter)) return null;
      const placed = place(viewed.item);
      return sees(onlooker, placed) ? told(viewed, placed) : null;
    };
  }

  return {
    *days(span, about) {
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
    *listing(span, { enough, ...about }) {
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
    item(key, onlooker) {
      const viewed = view.get(key);
      if (!viewed) return null;
      const placed = placing()(viewed.item);
      return sees(onlooker, placed) ? told(viewed, placed) : null;
    },
    projects: (onlooker) =>
      directory
        .projects()
        .filter((project) =>
          onlooker === null ? !project.archived : seesProject(onlooker, project),
        ),
    lists: (project, onlooker) =>
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

function once<Key, Value>(known: Map<Key, Value>, key: Key, read: (key: Key) => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = read(key);
  known.set(key, value);
  return value;
}
