import type { LabelId, ListId, PersonId, ProjectId } from "./ids.ts";
import { type Item, type Project, type SpokenKind, spokenKind, type Todolist } from "./item.ts";
import { isAmongPrivate, isPartyTo } from "./sight.ts";

export const feedKinds = ["project", "person", "all"] as const;
/** A project, what concerns one person in all projects, or everything. */
export type FeedKind = (typeof feedKinds)[number];

export const privateModes = ["omit", "busy", "show"] as const;

/** What of its projects a feed shows; a key that is absent narrows nothing, or follows the configuration. */
export interface FeedFilter {
  readonly kinds?: readonly SpokenKind[];
  /** Tasks and subtasks with one of them; events have no labels. */
  readonly labels?: readonly LabelId[];
  /** `me`: the person of the feed, which a person's feed shows unless it says otherwise; `anyone`: assigned or not. */
  readonly assigned?: "me" | "anyone" | readonly PersonId[];
  /** Of a feed over several projects. */
  readonly projects?: readonly ProjectId[];
  /** For how long after its completion an item stays, as an ISO 8601 duration; `none`: not at all. */
  readonly completed?: string;
  /** Of a feed with a person: what becomes of that person's own private items; those of others never show. */
  readonly private?: (typeof privateModes)[number];
  /** Whether events carry alarms. */
  readonly reminders?: boolean;
}

/** What makes one feed another than the next. */
export interface FeedChoice {
  readonly kind: FeedKind;
  readonly projectId: ProjectId | null;
  /** Through whose eyes it is seen; null = everybody's. */
  readonly personId: PersonId | null;
  readonly filter: FeedFilter | null;
}

/** Whether a feed is that of a whole project, with nothing chosen. */
export const isPlainFeed = ({ kind, personId, filter }: FeedChoice): boolean =>
  kind === "project" && personId === null && filter === null;

/** Why a feed has nothing to say any more. `closed`: to whom it was given may not see it; `emptied`: nothing is left that it could show. */
export interface FeedFault {
  readonly kind: "closed" | "emptied";
  /** A sentence without its end. */
  readonly reason: string;
}

/** The workspace as far as it decides what a feed shows. */
export interface FeedFacts {
  /** Those that are there; archived ones too. */
  readonly projects: readonly Project[];
  readonly lists: readonly Todolist[];
  /** The labels that are there. */
  readonly labels: ReadonlySet<LabelId>;
  /** Whether the person of the feed is there and not suspended. */
  readonly hasPerson: boolean;
  /** Projects that the person's own key does not open. */
  readonly closed: ReadonlySet<ProjectId>;
}

/** What a feed shows, with everything looked up. */
export interface FeedRules {
  readonly fault: FeedFault | null;
  /** Null = every one but those that are archived. */
  readonly projects: ReadonlySet<ProjectId> | null;
  readonly archived: ReadonlySet<ProjectId>;
  readonly archivedLists: ReadonlySet<ListId>;
  readonly privateLists: ReadonlySet<ListId>;
  readonly person: PersonId | null;
  readonly assigned: ReadonlySet<PersonId> | null;
  readonly kinds: ReadonlySet<SpokenKind> | null;
  readonly labels: ReadonlySet<LabelId> | null;
  readonly withCompleted: boolean;
}

/** Looks up what a feed shows as the workspace is now. */
export function feedRules(choice: FeedChoice, facts: FeedFacts): FeedRules {
  const { personId: person, filter } = choice;
  const { kinds, labels } = filter ?? {};
  const projects = projectsOf(choice, facts);
  return {
    fault: faultOf(choice, { facts, projects }),
    projects,
    archived: new Set(facts.projects.filter(({ archived }) => archived).map(({ id }) => id)),
    archivedLists: new Set(
      person === null ? [] : facts.lists.filter(({ archived }) => archived).map(({ id }) => id),
    ),
    privateLists: new Set(facts.lists.filter((list) => list.private).map(({ id }) => id)),
    person,
    assigned: assignedOf(choice),
    kinds: kinds ? new Set(kinds) : null,
    labels: labels ? new Set(labels) : null,
    withCompleted: filter?.completed !== "none",
  };
}

/** Whether a feed shows an item, wherever its dates are. */
export function feedHolds(item: Item, rules: FeedRules): boolean {
  const { projects, person, assigned, kinds, labels } = rules;
  if (rules.fault) return false;
  if (projects ? !projects.has(item.projectId) : rules.archived.has(item.projectId)) return false;
  if (!rules.withCompleted && item.completed) return false;
  if (kinds && !kinds.has(spokenKind(item))) return false;
  if (assigned && !item.assigned.some((id) => assigned.has(id))) return false;
  if (labels && !(item.kind !== "event" && item.labels.some((id) => labels.has(id)))) return false;
  if (person === null) return true;
  if (item.kind !== "event" && rules.archivedLists.has(item.listId)) return false;
  return !isAmongPrivate(item, rules.privateLists) || isPartyTo(person, item);
}

/** Of whom one has to be assigned; null = nobody has to. */
export function assignedOf({ kind, personId, filter }: FeedChoice): ReadonlySet<PersonId> | null {
  const assigned = filter?.assigned ?? (kind === "person" ? "me" : "anyone");
  if (assigned === "anyone") return null;
  if (assigned === "me") return new Set(personId === null ? [] : [personId]);
  return new Set(assigned);
}

/** What a feed does with private items that it holds. `usual`: as the configuration says. */
export const privateModeOf = (
  { personId, filter }: FeedChoice,
  usual: (typeof privateModes)[number],
): (typeof privateModes)[number] => filter?.private ?? (personId === null ? usual : "show");

function projectsOf(
  { kind, projectId, personId, filter }: FeedChoice,
  { projects, closed }: FeedFacts,
): ReadonlySet<ProjectId> | null {
  const chosen = kind === "project" ? [projectId] : filter?.projects;
  if (personId === null) return chosen ? new Set(chosen.filter((id) => id !== null)) : null;
  // An empty list of members says that they are not known; then the person's own key may tell.
  const seen = projects.filter(
    ({ id, archived, members }) =>
      !archived &&
      (members.length === 0 ? !closed.has(id) : members.includes(personId)) &&
      (!chosen || chosen.includes(id)),
  );
  return new Set(seen.map(({ id }) => id));
}

function faultOf(
  { kind, personId, filter }: FeedChoice,
  { facts, projects }: { readonly facts: FeedFacts; readonly projects: FeedRules["projects"] },
): FeedFault | null {
  const there = new Set(facts.projects.map(({ id }) => id));
  const { labels, projects: chosen } = filter ?? {};
  if (personId !== null && !facts.hasPerson) {
    return { kind: "closed", reason: "the person whose feed this is has left the workspace" };
  }
  if (personId !== null && (kind === "project" || chosen) && projects?.size === 0) {
    return { kind: "closed", reason: "its projects are not open to its person any more" };
  }
  if (labels && !labels.some((id) => facts.labels.has(id))) {
    return { kind: "emptied", reason: "the labels that it is narrowed to were deleted" };
  }
  if (chosen && !chosen.some((id) => there.has(id))) {
    return { kind: "emptied", reason: "the projects that it is narrowed to were deleted" };
  }
  return null;
}
