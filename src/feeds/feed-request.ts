import { readColour } from "../domain/colour.ts";
import { type FeedFilter, type FeedKind, feedKinds, privateModes } from "../domain/feed-filter.ts";
import { isId, type LabelId, type PersonId, type ProjectId, projectId } from "../domain/ids.ts";
import type { SpokenKind } from "../domain/item.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Viewer } from "../domain/visibility.ts";
import { seesProject } from "../domain/visibility.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import type { FeedChange, FeedWish, PublishedFeed } from "./published-feeds.ts";

/** A problem of a request for a feed: the field, as in `filter.labels`, and what it must be. */
export interface FeedProblem {
  readonly field: string;
  readonly message: string;
  /** True if it names something that does not exist. */
  readonly isUnknown: boolean;
}

interface Asking {
  readonly directory: Store["directory"];
  /** Who requests it: a person only gets feeds with their own permissions. */
  readonly viewer: Viewer;
}

/**
 * Parses a request for a new feed, as for `POST /api/feeds`. Unknown keys, missing names and impossible choices are all
 * reported, by field.
 */
export function readFeedWish(
  body: unknown,
  { directory, viewer }: Asking,
): Result<FeedWish, readonly FeedProblem[]> {
  const reading = startReading(directory);
  const { problem } = reading;
  const given = reading.object(body, { at: "", keys: wishKeys });
  const kind = kindOf(given, problem, viewer);
  const project = reading.project(given.get("projectId"), kind);
  const asked = reading.person(given.get("personId"), kind);
  const isOwn = viewer.kind === "person";
  if (isOwn && asked !== null && asked !== viewer.person) {
    problem("personId", say("feedFault.ownOnly"));
  }
  if (isOwn && kind === "all") problem("kind", say("feedFault.ownKind"));
  const person = isOwn ? viewer.person : asked;
  if (kind === "person" && person === null && !reading.hasProblem("personId")) {
    problem("personId", say("feedFault.whose"));
  }
  if (project !== null && person !== null && !seesProject(person, directory.project(project))) {
    problem(
      "projectId",
      say("feedFault.notOpen", { project: String(project), person: String(person) }),
    );
  }
  const filter = reading.filter(given.get("filter"), { kind, person });
  const wish: FeedWish = {
    kind,
    filter,
    projectId: project,
    personId: person,
    name: reading.name(given.get("name")) ?? null,
    colour:
      reading.colour(given.get("colour"), kind) ?? (given.has("colour") ? null : usualColour(kind)),
  };
  return reading.problems.length > 0 ? fail(reading.problems) : ok(wish);
}

/** Parses a change of an existing feed. A filter replaces the former one. */
export function readFeedChange(
  body: unknown,
  feed: PublishedFeed,
  directory: Store["directory"],
): Result<FeedChange, readonly FeedProblem[]> {
  const reading = startReading(directory);
  const { kind, personId: person } = feed;
  const given = reading.object(body, { at: "", keys: changeKeys });
  const name = reading.name(given.get("name"));
  const colour = reading.colour(given.get("colour"), kind);
  const filter = reading.filter(given.get("filter"), { kind, person });
  if (given.has("filter") && feed.automatic && filter !== null) {
    reading.problem("filter", say("feedFault.automatic"));
  }
  if (reading.problems.length > 0) return fail(reading.problems);
  return ok({
    ...(name !== undefined && { name }),
    ...(colour !== undefined && { colour }),
    ...(given.has("filter") && { filter }),
  });
}

/** All problems in one line. */
export const describeFeedProblems = (problems: readonly FeedProblem[]): string =>
  problems.map(({ field, message }) => `${field}: ${message}`).join("; ");

const longestName = 200;

/** Parses a feed's name. Fails with the rule it violates. */
export function readFeedName(text: unknown): Result<string, string> {
  const name = typeof text === "string" ? text.trim() : "";
  const isName = name !== "" && name.length <= longestName && !/\p{Cc}/u.test(name);
  return isName ? ok(name) : fail(say("feedFault.name", { most: longestName }));
}

const wishKeys = ["kind", "projectId", "personId", "name", "filter", "colour"];
const changeKeys = ["name", "colour", "filter"];
const filterKeys = ["kinds", "labels", "assigned", "projects", "completed", "private", "reminders"];
const spokenKinds: readonly SpokenKind[] = ["event", "milestone", "task", "subtask"];

const usualColour = (kind: FeedKind): string | null => (kind === "project" ? "project" : null);

function kindOf(given: ReadonlyMap<string, unknown>, problem: Tell, viewer: Viewer): FeedKind {
  const named = given.get("kind");
  const kind = feedKinds.find((one) => one === named);
  if (kind) return kind;
  const implied = given.has("projectId")
    ? "project"
    : given.has("personId") || viewer.kind === "person"
      ? "person"
      : null;
  if (named === undefined && implied) return implied;
  problem("kind", say("feedFault.oneOf", { choices: listed(feedKinds) }));
  return "all";
}

type Tell = (field: string, message: string, isUnknown?: boolean) => void;

interface Of {
  readonly kind: FeedKind;
  readonly person: PersonId | null;
}

/** Parses the fields of one request, and collects problems. */
function startReading(directory: Store["directory"]) {
  const problems: FeedProblem[] = [];
  const problem: Tell = (field, message, isUnknown = false) =>
    void problems.push({ field, message, isUnknown });

  function object(
    value: unknown,
    { at, keys }: { readonly at: string; readonly keys: readonly string[] },
  ): ReadonlyMap<string, unknown> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      problem(at === "" ? "body" : at, say("feedFault.object"));
      return new Map();
    }
    const given = new Map<string, unknown>(Object.entries(value));
    for (const key of given.keys()) {
      const field = at === "" ? key : `${at}.${key}`;
      if (!keys.includes(key))
        problem(field, say("feedFault.unknownKey", { choices: listed(keys) }));
    }
    return given;
  }

  function list<Value>(
    value: unknown,
    { field, read }: { readonly field: string; readonly read: (one: unknown) => Value | null },
  ): readonly Value[] {
    if (!Array.isArray(value) || value.length === 0) {
      problem(field, say("feedFault.emptyList"));
      return [];
    }
    return [...new Set(value.map(read).filter((one) => one !== null))];
  }

  function label(value: unknown): readonly LabelId[] {
    const labels = directory.labels();
    const byId = labels.filter(({ id }) => id === value);
    const wanted = String(value).trim().toLowerCase();
    const found =
      byId.length > 0 ? byId : labels.filter(({ name }) => name.trim().toLowerCase() === wanted);
    if (found.length === 0)
      problem("filter.labels", say("feedFault.noLabel", { name: JSON.stringify(value) }), true);
    return found.map(({ id }) => id);
  }

  function knownPerson(value: unknown, field: string): PersonId | null {
    const found = directory.people().find(({ id }) => id === value);
    if (!found || found.suspended) {
      problem(
        field,
        isId(value) ? say("feedFault.noPerson", { id: String(value) }) : say("feedFault.personId"),
        isId(value),
      );
      return null;
    }
    return found.id;
  }

  function knownProject(value: unknown, field: string): ProjectId | null {
    const found = isId(value) ? directory.project(projectId(value)) : null;
    if (found) return found.id;
    problem(
      field,
      isId(value) ? say("feedFault.noProject", { id: String(value) }) : say("feedFault.projectId"),
      isId(value),
    );
    return null;
  }

  function assigned(value: unknown, { person }: Of): FeedFilter["assigned"] {
    if (value === "anyone") return value;
    if (value === "me") {
      if (person === null) problem("filter.assigned", say("feedFault.meWhose"));
      return value;
    }
    if (Array.isArray(value)) {
      const read = (one: unknown) => knownPerson(one, "filter.assigned");
      return list(value, { field: "filter.assigned", read });
    }
    problem("filter.assigned", say("feedFault.assigned"));
    return undefined;
  }

  function completed(value: unknown): string | undefined {
    if (value === "none") return value;
    const length = durationOf(value);
    if (length === null) {
      problem("filter.completed", say("feedFault.completed"));
      return undefined;
    }
    return length.toString();
  }

  function filter(value: unknown, of: Of): FeedFilter | null {
    if (value === undefined || value === null) return null;
    const given = object(value, { at: "filter", keys: filterKeys });
    const when = <Value>(key: string, read: (one: unknown) => Value | undefined) => {
      const one = given.get(key);
      const made = one === undefined || one === null ? undefined : read(one);
      return made === undefined ? {} : { [key]: made };
    };
    const kinds = (one: unknown) =>
      list(one, {
        field: "filter.kinds",
        read(named) {
          const kind = spokenKinds.find((known) => known === named);
          if (!kind)
            problem(
              "filter.kinds",
              say("feedFault.noKind", {
                name: JSON.stringify(named),
                choices: listed(spokenKinds),
              }),
            );
          return kind ?? null;
        },
      });
    const projects = (one: unknown) => {
      if (of.kind === "project") {
        problem("filter.projects", say("feedFault.ownProject"));
        return undefined;
      }
      return list(one, {
        field: "filter.projects",
        read: (named) => knownProject(named, "filter.projects"),
      });
    };
    const made: FeedFilter = {
      ...when("kinds", kinds),
      ...when("labels", (one) => [
        ...new Set(list(one, { field: "filter.labels", read: label }).flat()),
      ]),
      ...when("assigned", (one) => assigned(one, of)),
      ...when("projects", projects),
      ...when("completed", completed),
      ...when("private", (one) => {
        const mode = privateModes.find((known) => known === one);
        if (!mode)
          problem("filter.private", say("feedFault.oneOf", { choices: listed(privateModes) }));
        return mode;
      }),
      ...when("reminders", (one) => {
        if (typeof one === "boolean") return one;
        problem("filter.reminders", say("feedFault.trueOrFalse"));
        return undefined;
      }),
    };
    checkTogether(made, problem);
    return Object.keys(made).length === 0 ? null : made;
  }

  return {
    problems,
    problem,
    object,
    filter,
    hasProblem: (field: string) => problems.some((one) => one.field === field),
    project(value: unknown, kind: FeedKind): ProjectId | null {
      if (kind === "project") return knownProject(value, "projectId");
      if (value === undefined || value === null) return null;
      problem("projectId", say("feedFault.projectOnly"));
      return null;
    },
    person(value: unknown, kind: FeedKind): PersonId | null {
      if (value === undefined || value === null) return null;
      if (kind !== "all") return knownPerson(value, "personId");
      problem("personId", say("feedFault.personOnly"));
      return null;
    },
    name(value: unknown): string | null | undefined {
      if (value === undefined || value === null) return value;
      const name = readFeedName(value);
      if (name.ok) return name.value;
      problem("name", say("feedFault.nameOrNull", { rule: name.failure }));
      return null;
    },
    colour(value: unknown, kind: FeedKind): string | null | undefined {
      if (value === undefined || value === null) return value;
      if (value === "project" && kind === "project") return value;
      const colour = typeof value === "string" ? readColour(value) : null;
      if (colour) return colour.hex;
      problem("colour", say(kind === "project" ? "feedFault.projectColour" : "feedFault.colour"));
      return null;
    },
  };
}

/** Choices that no item could meet together. */
function checkTogether({ kinds, labels }: FeedFilter, problem: Tell): void {
  if (labels?.length && kinds?.length && !kinds.includes("task") && !kinds.includes("subtask")) {
    problem("filter.labels", say("feedFault.labelsOfTasks"));
  }
}

function durationOf(value: unknown): Temporal.Duration | null {
  if (typeof value !== "string") return null;
  try {
    const length = Temporal.Duration.from(value);
    const isOfDays = length.years + length.months + length.weeks + length.days > 0;
    return length.sign > 0 && isOfDays && longest(length) ? length : null;
  } catch {
    return null;
  }
}

/** Days beyond the supported range. */
const longest = (length: Temporal.Duration): boolean =>
  length.total({ unit: "days", relativeTo: new Temporal.PlainDate(2026, 1, 1) }) <= 36_600;

const listed = (words: readonly string[]): string => words.join(", ");
