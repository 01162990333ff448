import { oneLine } from "@dayferry/ical";
import { fingerprint } from "../domain/fingerprint.ts";
import type { PersonId, ProjectId, Revision } from "../domain/ids.ts";
import {
  type CollectionName,
  collectionOf,
  eventsOf,
  type Item,
  type Project,
  type Todolist,
  tasksOf,
} from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import { plainDescription } from "../domain/text.ts";
import { tintOf, tints } from "../domain/tints.ts";
import type { FeedRow } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import type { Calendar, CalendarKind, ObjectComponent } from "./calendar-types.ts";

/** A person's calendar with what decides about its members. */
export interface ScopedCalendar {
  readonly calendar: Calendar;
  readonly scope: CalendarScope;
  /** A hash of everything besides the items that decides what the person may see in it. */
  readonly access: string;
  /** Projects that must have been read first. */
  readonly projects: readonly ProjectId[];
}

interface PersonCalendarsDeps {
  readonly store: Store;
  /** True if milestones are offered as to-dos. */
  readonly milestones: boolean;
  /** People with read-only access. */
  readonly readOnly: ReadonlySet<PersonId>;
  /** Identifies how this build writes objects. */
  readonly format: () => string;
}

/**
 * A person's calendars by slug, in order: the events, milestones and task lists of each project they are a member of, and
 * everything assigned to them. Reloaded when names have changed.
 */
export function createPersonCalendars(deps: PersonCalendarsDeps) {
  const { store } = deps;
  const known = new Map<PersonId, ReadonlyMap<string, ScopedCalendar>>();
  let readAt = -1;
  let checkedAt = -1;

  function check(latest: Revision): void {
    if (latest === checkedAt) return;
    const present = store.changes.revisionOfDirectory();
    if (present !== readAt) known.clear();
    readAt = present;
    checkedAt = latest;
  }

  return {
    /** `latest`: the newest revision, so that names are only checked after a change. */
    of(person: PersonId, latest: Revision): ReadonlyMap<string, ScopedCalendar> {
      check(latest);
      const found = known.get(person) ?? calendarsOf(person, deps);
      known.set(person, found);
      return found;
    },
    /** Forgets cached data. */
    forget(): void {
      readAt = -1;
      checkedAt = -1;
    },
  };
}

function calendarsOf(
  person: PersonId,
  deps: PersonCalendarsDeps,
): ReadonlyMap<string, ScopedCalendar> {
  const { directory } = deps.store;
  const owner = directory.people().find(({ id }) => id === person);
  if (!owner || owner.suspended) return new Map();
  const closed = deps.store.keyAccess.closedFor(person);
  // An empty list of members means that members are unknown. Then the person's own key may tell.
  const projects = directory
    .projects()
    .filter(
      ({ id, archived, members }) =>
        !archived && (members.length === 0 ? !closed.has(id) : members.includes(person)),
    );
  const lists = Map.groupBy(
    directory.todolists().filter(({ archived }) => !archived),
    ({ projectId }) => projectId,
  );
  const visible = new Set<CollectionName>(
    projects.flatMap(({ id }) => [
      eventsOf(id),
      ...(lists.get(id) ?? []).map((list) => tasksOf(list.id)),
    ]),
  );
  const colours = feedColours(deps.store.feeds.all());
  const drafts = projects.flatMap((project) =>
    draftsOf(
      {
        ...project,
        color:
          colorOf(project.color) ??
          colours.ofProjects.get(project.id) ??
          tints[tintOf(project.id)] ??
          null,
      },
      { lists: lists.get(project.id) ?? [], milestones: deps.milestones },
    ),
  );
  const all = [...drafts, assignedDraft(projects, colours.ofPeople.get(person) ?? tints[0])];
  return new Map(
    all.map((draft, at) => [draft.slug, scoped(draft, { person, visible, order: at + 1, deps })]),
  );
}

type CalendarDraft = Pick<
  Calendar,
  | "slug"
  | "kind"
  | "projectId"
  | "listId"
  | "name"
  | "description"
  | "color"
  | "components"
  | "refusesNew"
> & {
  readonly collection: CollectionName | null;
  readonly isPrivate: boolean;
  readonly projects: readonly ProjectId[];
};

function draftsOf(
  project: Project,
  { lists, milestones }: { readonly lists: readonly Todolist[]; readonly milestones: boolean },
): readonly CalendarDraft[] {
  const title = oneLine(project.title) || `Project ${project.id}`;
  const common = {
    projectId: project.id,
    listId: null,
    color: colorOf(project.color),
    isPrivate: false,
    refusesNew: null,
    projects: [project.id],
    collection: eventsOf(project.id),
  };
  const events: CalendarDraft = {
    ...common,
    slug: `events-${project.id}`,
    kind: "events",
    name: title,
    description: plainDescription(project.description),
    components: ["VEVENT"],
  };
  const milestoneTodos: CalendarDraft = {
    ...common,
    slug: `milestones-${project.id}`,
    kind: "milestones",
    name: `${title}: milestones`,
    description: `Milestones of ${title} as to-dos`,
    components: ["VTODO"],
  };
  const tasks = lists.map((list): CalendarDraft => {
    const name = oneLine(list.title) || `List ${list.id}`;
    return {
      ...common,
      slug: `tasks-${list.id}`,
      kind: "tasks",
      listId: list.id,
      name: `${title}: ${name}`,
      description: `Tasks of the list ${name} of ${title}`,
      components: ["VTODO"],
      isPrivate: list.private,
      collection: tasksOf(list.id),
    };
  });
  return [events, ...tasks, ...(milestones ? [milestoneTodos] : [])];
}

const assignedDraft = (projects: readonly Project[], color: string | null): CalendarDraft => ({
  slug: "assigned",
  kind: "assigned",
  projectId: null,
  listId: null,
  name: "Assigned to me",
  description: "Events and tasks of all projects that are assigned to me",
  color,
  components: ["VEVENT", "VTODO"],
  refusesNew: "create a new item in the calendar of its project or list",
  collection: null,
  isPrivate: false,
  projects: projects.map(({ id }) => id),
});

function scoped(
  { collection, isPrivate, projects, ...draft }: CalendarDraft,
  about: {
    readonly person: PersonId;
    readonly visible: ReadonlySet<CollectionName>;
    readonly order: number;
    readonly deps: PersonCalendarsDeps;
  },
): ScopedCalendar {
  const { person, visible, order, deps } = about;
  const { kind, slug } = draft;
  const isReadOnly = deps.readOnly.has(person);
  const refusesNew = isReadOnly ? "your calendars are read-only" : draft.refusesNew;
  const own = collection === null ? [...visible].toSorted() : [];
  const decides = [deps.store.meta.epoch, deps.format(), person, slug, kind, isPrivate, own];
  return {
    calendar: { ...draft, person, order, access: isReadOnly ? "read" : "write", refusesNew },
    scope: { person, kind, collection, visible, isPrivate },
    access: fingerprint(JSON.stringify(decides)),
    projects,
  };
}

/** Colours of open feeds, used for calendars without one: of projects, and of people over all projects. */
function feedColours(feeds: readonly FeedRow[]) {
  const coloured = feeds.filter(
    ({ revokedAt, colour }) => revokedAt === null && colour?.startsWith("#"),
  );
  const ofProjects = new Map<ProjectId, string>();
  const ofPeople = new Map<PersonId, string>();
  for (const { kind, projectId: project, personId: person, colour } of coloured) {
    if (colour === null) continue;
    if (project !== null && person === null) ofProjects.set(project, colour);
    if (kind === "person" && person !== null) ofPeople.set(person, colour);
  }
  return { ofProjects, ofPeople };
}

/** `#RRGGBB` from the service's notations; null for anything else. */
function colorOf(color: string | null): string | null {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color?.trim() ?? "")?.[1];
  if (digits === undefined) return null;
  const long = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  return `#${long.toUpperCase()}`;
}

/** What decides in which calendars an item is. */
export interface Facts {
  readonly collection: CollectionName;
  readonly isEvent: boolean;
  readonly isMilestone: boolean;
  /** A private event, visible to its creator and assignees only. */
  readonly isPrivate: boolean;
  readonly assigned: readonly PersonId[];
  readonly creatorId: PersonId | null;
}

export function factsOf(item: Item): Facts {
  const { assigned, creatorId } = item;
  const isEvent = item.kind === "event";
  return {
    collection: collectionOf(item),
    isEvent,
    isMilestone: isEvent && item.milestone,
    isPrivate: isEvent && item.private,
    assigned,
    creatorId,
  };
}

/** What a person's calendar contains. */
export interface CalendarScope {
  readonly person: PersonId;
  readonly kind: CalendarKind;
  /** Null for `assigned`. */
  readonly collection: CollectionName | null;
  /** Collections visible to the person. */
  readonly visible: ReadonlySet<CollectionName>;
  /** A private task list, visible to its tasks' creators and assignees only. */
  readonly isPrivate: boolean;
}

/** True if an item is in such a calendar for anybody. */
export function holds({ kind, collection, person }: CalendarScope, facts: Facts): boolean {
  switch (kind) {
    case "events":
    case "tasks":
      return facts.collection === collection;
    case "milestones":
      return facts.collection === collection && facts.isMilestone;
    case "assigned":
      return facts.assigned.includes(person);
    default:
      return unreachable(kind);
  }
}

/** True if the person may see an item of the calendar. */
export function sees({ person, visible, isPrivate }: CalendarScope, facts: Facts): boolean {
  if (!visible.has(facts.collection)) return false;
  if (!(isPrivate || facts.isPrivate)) return true;
  return facts.creatorId === person || facts.assigned.includes(person);
}

/** The component of an item there. */
export function componentIn(kind: CalendarKind, { isEvent }: Facts): ObjectComponent {
  if (kind === "milestones") return "VTODO";
  return isEvent ? "VEVENT" : "VTODO";
}
