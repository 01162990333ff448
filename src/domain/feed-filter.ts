import type { LabelId, ListId, PersonId, ProjectId } from "./ids.ts";
import { type Item, type Project, type SpokenKind, spokenKind, type Todolist } from "./item.ts";
import { isAmongPrivate, isPartyTo } from "./visibility.ts";

export const feedKinds = ["project", "person", "all"] as const;
/** One project, one person's items in all projects, or everything. */
export type FeedKind = (typeof feedKinds)[number];

export const privateModes = ["omit", "busy", "show"] as const;

/** What a feed shows of its projects. An absent key means no restriction, or the configured value. */
export interface FeedFilter {
  readonly kinds?: readonly SpokenKind[];
  /** Only tasks and subtasks with one of these labels. Events have no labels. */
  readonly labels?: readonly LabelId[];
  /** `me`: the person of the feed (default for a person's feed); `anyone`: assigned or not. */
  readonly assigned?: "me" | "anyone" | readonly PersonId[];
  /** For a feed over several projects. */
  readonly projects?: readonly ProjectId[];
  /** How long completed items stay, as an ISO 8601 duration; `none` hides them at once. */
  readonly completed?: string;
  /**
   * For a feed with a person: how that person's own private items are shown. Other people's private items are never
   * shown.
   */
  readonly private?: (typeof privateModes)[number];
  /** True if events have alarms. */
  readonly reminders?: boolean;
}

/** What identifies the contents of a feed. */
export interface FeedChoice {
  readonly kind: FeedKind;
  readonly projectId: ProjectId | null;
  /** Whose permissions apply; null = only what everyone may see. */
  readonly personId: PersonId | null;
  readonly filter: FeedFilter | null;
}

/** True for a feed of a whole project without a filter. */
export const isPlainFeed = ({ kind, personId, filter }: FeedChoice): boolean =>
  kind === "project" && personId === null && filter === null;

/** Why a feed can show nothing. `closed`: its person has lost access; `emptied`: its projects or labels are gone. */
export interface FeedFault {
  readonly kind: "closed" | "emptied";
  /** A sentence without the full stop. */
  readonly reason: string;
}

/** The facts about the workspace that decide what a feed shows. */
export interface FeedFacts {
  /** All existing projects, including archived ones. */
  readonly projects: readonly Project[];
  readonly lists: readonly Todolist[];
  /** All existing labels. */
  readonly labels: ReadonlySet<LabelId>;
  /** True if the feed's person exists and is not suspended. */
  readonly hasPerson: boolean;
  /** Projects that the person's own key has no access to. */
  readonly closed: ReadonlySet<ProjectId>;
}

/** What a feed shows, with ids and defaults resolved. */
export interface FeedRules {
  readonly fault: FeedFault | null;
  /** Null = all that are not archived. */
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

/** Resolves what a feed shows in the present workspace. */
export function feedRules(choice: FeedChoice, facts: FeedFacts): FeedRules {
  const { personId: person, filter } = choice;
  const { kinds, labels } = filter ?? {};
  const projects = projectsOf(choice, facts);
  return {
    fault: faultOf(choice, facts, projects),
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

/** Why a feed does not contain an item, regardless of its dates. */
export type FeedExclusion =
  | "fault"
  | "project"
  | "completed"
  | "kind"
  | "assigned"
  | "label"
  | "archived"
  | "private";

/** The first reason why a feed does not contain an item, regardless of its dates; null if it does. */
export function exclusionOf(item: Item, rules: FeedRules): FeedExclusion | null {
  const { projects, person, assigned, kinds, labels } = rules;
  if (rules.fault) return "fault";
  if (projects && !projects.has(item.projectId)) return "project";
  if (!projects && rules.archived.has(item.projectId)) return "archived";
  if (!rules.withCompleted && item.completed) return "completed";
  if (kinds && !kinds.has(spokenKind(item))) return "kind";
  if (assigned && !item.assigned.some((id) => assigned.has(id))) return "assigned";
  if (labels && !(item.kind !== "event" && item.labels.some((id) => labels.has(id)))) {
    return "label";
  }
  if (person === null) return null;
  if (item.kind !== "event" && rules.archivedLists.has(item.listId)) return "archived";
  return isAmongPrivate(item, rules.privateLists) && !isPartyTo(person, item) ? "private" : null;
}

/** True if a feed contains an item, regardless of its dates. */
export const feedHolds = (item: Item, rules: FeedRules): boolean =>
  exclusionOf(item, rules) === null;

/** The people of whom one must be assigned; null = no restriction. */
export function assignedOf({ kind, personId, filter }: FeedChoice): ReadonlySet<PersonId> | null {
  const assigned = filter?.assigned ?? (kind === "person" ? "me" : "anyone");
  if (assigned === "anyone") return null;
  if (assigned === "me") return new Set(personId === null ? [] : [personId]);
  return new Set(assigned);
}

/** How a feed shows private items. `usual`: the configured mode. */
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
  // An empty list of members means that members are unknown. Then the person's own key may tell.
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
  facts: FeedFacts,
  projects: FeedRules["projects"],
): FeedFault | null {
  const there = new Set(facts.projects.map(({ id }) => id));
  const { labels, projects: chosen } = filter ?? {};
  if (personId !== null && !facts.hasPerson) {
    return { kind: "closed", reason: "the person whose feed this is has left the workspace" };
  }
  if (personId !== null && (kind === "project" || chosen) && projects?.size === 0) {
    return { kind: "closed", reason: "its person no longer has access to its projects" };
  }
  if (labels && !labels.some((id) => facts.labels.has(id))) {
    return { kind: "emptied", reason: "the labels it is filtered by were deleted" };
  }
  if (chosen && !chosen.some((id) => there.has(id))) {
    return { kind: "emptied", reason: "the projects it is filtered by were deleted" };
  }
  return null;
}
