import type { LabelId, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { Label, Person, Project, Todolist } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import { type Source, sourceName } from "../domain/source.ts";
import type { Store } from "../store/store.ts";
import type { Call, Snapshot } from "../upstream/client.ts";
import { type Absent, DirectoryAbsences, judgeLossOfPeople, mayBury } from "./absence.ts";
import { brakeOf, noticeMissing, stepBrake } from "./apply-snapshot.ts";
import type { DeletionChecks } from "./deletion-checks.ts";
import type { SyncEvent } from "./event.ts";
import type { FetchedNames } from "./fetch-source.ts";
import { isComplete } from "./plan-snapshot.ts";
import type { MirrorScope } from "./sources-in-scope.ts";
import type { SyncContext } from "./sync-context.ts";

interface DirectorySyncDeps extends SyncContext {
  readonly deletionChecks: DeletionChecks;
}

interface Answer<Kind, Value> {
  readonly kind: Kind;
  readonly snapshot: Snapshot<Value>;
  readonly absent: Absent<Value>;
}

/** A look-up's answer, with single answers for the entries it lacks. */
export type LookUpAnswer =
  | Answer<"projects", Project>
  | Answer<"people", Person>
  | Answer<"labels", Label>
  | Answer<"todolists", Todolist>;

interface Effect {
  readonly events: readonly SyncEvent[];
  /** What could not be read or removed, in sentences. */
  readonly gaps: readonly string[];
}

const nobody = { gone: [], present: [], unknown: [] };

/**
 * Updates the directory from look-ups. An entry missing from one is requested by itself first. It stays while it still exists,
 * while that is unknown, and while so many items would be removed with it that a person must agree.
 */
export class DirectorySync {
  readonly #deps: DirectorySyncDeps;
  readonly #missing: DirectoryAbsences;
  readonly #missingPeople = new MissingPeople();

  constructor(deps: DirectorySyncDeps) {
    this.#deps = deps;
    this.#missing = new DirectoryAbsences(deps);
  }

  /** Requests each entry that a snapshot lacks. Never rejects for an answer of the service. */
  async askForMissing(
    source: Source,
    { fetched, call }: { readonly fetched: FetchedNames; readonly call: Call },
  ): Promise<LookUpAnswer> {
    const { directory } = this.#deps.store;
    switch (fetched.kind) {
      case "projects": {
        const { snapshot } = fetched;
        const asks = this.#deps.scope.projects === "discover" && snapshot.received > 0;
        const known = asks ? directory.projects() : [];
        return { ...fetched, absent: await this.#missing.projects(known, { snapshot, call }) };
      }
      case "people":
        return { ...fetched, absent: nobody };
      case "labels": {
        const { snapshot } = fetched;
        const known = directory.labels();
        return { ...fetched, absent: await this.#missing.labels(known, { snapshot, call }) };
      }
      case "todolists": {
        const { snapshot } = fetched;
        const known = this.#listsOf(source).filter(({ archived }) => !archived);
        return { ...fetched, absent: await this.#missing.todolists(known, { snapshot, call }) };
      }
      default:
        return unreachable(fetched);
    }
  }

  /** Writes an answer. Call inside a transaction. */
  apply(source: Source, answer: LookUpAnswer): Effect {
    switch (answer.kind) {
      case "projects":
        return this.#applyProjects(answer);
      case "people":
        return this.#applyPeople(answer);
      case "labels":
        return this.#applyLabels(answer);
      case "todolists":
        return this.#applyTodolists(source, answer);
      default:
        return unreachable(answer);
    }
  }

  #applyProjects({ snapshot, absent }: Answer<"projects", Project>): Effect {
    const { store, scope } = this.#deps;
    const known = scope.projects === "discover" ? store.directory.projects() : [];
    if (snapshot.received === 0 && known.length > 0) {
      return {
        events: [],
        gaps: ["the service lists no projects, although there were some before"],
      };
    }
    const weigh = (projects: readonly Project[]) =>
      projects.reduce((sum, { id }) => sum + store.view.ofProject(id).length, 0);
    const lacks = absent.gone.length + absent.unknown.length > 0;
    const events = stepBrake(store, {
      source: "projects",
      missing: lacks ? weigh([...absent.gone, ...absent.unknown]) : 0,
      total: lacks ? weigh(known) : 0,
    });
    const isFree = mayBury(brakeOf(store, "projects"), absent.unknown.length);
    if (scope.projects === "discover") {
      const projects = [...snapshot.items, ...stayingOf(absent, isFree)];
      store.directory.putProjects(projects, isComplete(snapshot));
    } else putConfigured(store, scope, snapshot.items);
    return { events, gaps: gapsOf("project", absent, isFree) };
  }

  /** A single person cannot be looked up: a missing one stays until a later look-up confirms it, many until somebody agrees. */
  #applyPeople({ snapshot }: Answer<"people", Person>): Effect {
    const { store, scope, clock } = this.#deps;
    this.#missingPeople.named(snapshot.items);
    const complete = isComplete(snapshot);
    const put = (staying: readonly Person[]) =>
      putPeople(store, scope, { found: [...snapshot.items, ...staying], complete });
    if (!complete) {
      put([]);
      return { events: [], gaps: [] };
    }
    const kept = new Set([...scope.people, ...snapshot.items].map(({ id }) => id));
    const known = store.directory.people();
    const missing = known.filter(({ id }) => !kept.has(id));
    const loss = { missing: missing.length, total: known.length };
    const events = stepBrake(store, { source: "people", ...loss, judge: judgeLossOfPeople });
    const brake = brakeOf(store, "people");
    const isStopped = brake ? brake.releasedAt === null : snapshot.received === 0;
    if (isStopped || brake) {
      this.#missingPeople.forget();
      put(isStopped ? missing : []);
      const { length } = missing;
      const gap = `${length} of ${known.length} known people are no longer listed; they are kept for now`;
      return { events, gaps: isStopped && length > 0 ? [gap] : [] };
    }
    const staying = this.#missingPeople.staying(missing, clock());
    put(staying);
    const wait = `at least ${apart.minutes} minutes later`;
    const gaps = staying.map(
      ({ id, name }) =>
        `person ${id} (${name}) is no longer listed; they stay until a look-up ${wait} confirms it`,
    );
    return { events, gaps };
  }

  /** Without its name, a label that items still have would be created a second time. */
  #applyLabels({ snapshot, absent }: Answer<"labels", Label>): Effect {
    const { store } = this.#deps;
    const used = absent.gone.length > 0 ? store.directory.labelsInUse() : new Set<LabelId>();
    const inUse = absent.gone.filter(({ id }) => used.has(id));
    const labels = [...snapshot.items, ...stayingOf(absent), ...inUse];
    store.directory.putLabels(labels, isComplete(snapshot));
    const gaps = inUse.map(
      ({ id, name }) => `label ${id} (${name}) is gone, but it stays while items have it`,
    );
    return { events: [], gaps: [...gapsOf("label", absent), ...gaps] };
  }

  /** Tasks of a deleted list count as missing, as if the list had been read and was empty. */
  #applyTodolists(source: Source, { snapshot, absent }: Answer<"todolists", Todolist>): Effect {
    if (source.kind !== "todolists") return { events: [], gaps: [] };
    const { store, deletionChecks } = this.#deps;
    const name = sourceName(source);
    const tasksOf = ({ id }: Todolist) => [...store.mirror.keys(`tasks:${id}`).values()];
    const missing = [...absent.gone, ...absent.unknown].flatMap(tasksOf).length;
    const events = stepBrake(store, { source: name, missing, total: missing });
    const isFree = mayBury(brakeOf(store, name), absent.unknown.length);
    const named = new Set(snapshot.items.map(({ id }) => id));
    const archivedLists = this.#listsOf(source).filter(
      ({ id, archived }) => archived && !named.has(id),
    );
    const lists = [...snapshot.items, ...stayingOf(absent, isFree)];
    store.directory.putTodolists(source.projectId, lists, isComplete(snapshot));

    const askedOf = (list: Todolist) => new Set(store.absences.ofSource(`tasks:${list.id}`).keys());
    // These lists are not polled any more. Their tasks may have been found in an outdated answer.
    for (const list of store.directory.goneListsWithTasks(source.projectId)) {
      const [tasks, asked] = [tasksOf(list), askedOf(list)];
      const alive = deletionChecks.aliveOf(`tasks:${list.id}`, new Set(tasks));
      const lacking = tasks.filter((key) => !asked.has(key) && !alive.has(key));
      deletionChecks.noticed(lacking, asked);
      // A person has agreed to the look-up's brake, so all are missing.
      for (const key of lacking) store.absences.notice(key, `tasks:${list.id}`);
    }
    const noticed = (isComplete(snapshot) ? archivedLists : []).flatMap((list) => {
      const tasks = tasksOf(list);
      const asked = askedOf(list);
      deletionChecks.noticed(tasks, asked);
      return noticeMissing(store, {
        source: `tasks:${list.id}`,
        missing: tasks,
        total: tasks.length,
        asked,
      });
    });
    return { events: [...events, ...noticed], gaps: gapsOf("list", absent, isFree) };
  }

  #listsOf(source: Source): readonly Todolist[] {
    if (source.kind !== "todolists") return [];
    const lists = this.#deps.store.directory.todolists();
    return lists.filter(({ projectId }) => projectId === source.projectId);
  }
}

const stayingOf = <Value>(absent: Absent<Value>, isFree = true): readonly Value[] => [
  ...absent.present,
  ...absent.unknown,
  ...(isFree ? [] : absent.gone),
];

type Named = { readonly id: number; readonly archived?: boolean } & (
  | { readonly title: string }
  | { readonly name: string }
);

function gapsOf(
  kind: string,
  { present, unknown, gone }: Absent<Named>,
  isFree = true,
): readonly string[] {
  const say = (values: readonly Named[], what: string) =>
    values.map((value) => {
      const name = "title" in value ? value.title : value.name;
      return `${kind} ${value.id} (${name}) is no longer listed${what}`;
    });
  return [
    ...say(
      present.filter(({ archived }) => archived !== true),
      ", but still exists; it stays",
    ),
    ...say(unknown, "; it stays until the service says whether it is gone"),
    ...say(
      isFree ? [] : gone,
      " and is gone; as many items would be removed with it, it stays until a person agrees",
    ),
  ];
}

/**
 * Writes the configured projects, lists and people into the directory, with the known names where it gives none. Entries that
 * look-ups reveal stay as they are.
 */
export function applyScope(store: Store, scope: MirrorScope): void {
  const { directory } = store;
  if (scope.projects !== "discover") {
    putConfigured(store, scope, []);
    for (const { id, todolists } of scope.projects) {
      if (todolists === "discover") continue;
      const lists = todolists.map((list) => configuredList(store, list, id));
      directory.putTodolists(id, lists, true);
    }
  }
  const people = overlaid(scope.people, directory.people());
  directory.putPeople(scope.discoverPeople ? people : scope.people, !scope.discoverPeople);
}

/** Writes people from a look-up, with listed people applied. */
function putPeople(
  store: Store,
  scope: MirrorScope,
  { found, complete }: { readonly found: readonly Person[]; readonly complete: boolean },
): void {
  const people = overlaid(scope.people, found);
  const listed = new Set(people.map(({ id }) => id));
  store.directory.putPeople([...found.filter(({ id }) => !listed.has(id)), ...people], complete);
}

function putConfigured(store: Store, scope: MirrorScope, found: readonly Project[]): void {
  if (scope.projects === "discover") return;
  const shown = new Map(found.map((project) => [project.id, project]));
  const projects = scope.projects.map(({ id, name }): Project => {
    const known = shown.get(id) ?? store.directory.project(id);
    const blank = { id, description: null, color: null, archived: false, members: [] };
    return { ...(known ?? blank), title: name ?? known?.title ?? `Project ${id}` };
  });
  store.directory.putProjects(projects, true);
}

function configuredList(store: Store, list: ListId, project: ProjectId): Todolist {
  const known = store.directory.todolist(list);
  const blank = { id: list, title: `List ${list}`, archived: false, private: false };
  return { ...(known ?? blank), projectId: project };
}

/** Listed people, completed from those found. */
function overlaid(listed: readonly Person[], found: readonly Person[]): readonly Person[] {
  const known = new Map(found.map((person) => [person.id, person]));
  return listed.map((person) => {
    const other = known.get(person.id);
    if (!other) return person;
    return {
      id: person.id,
      name: person.name === `Person ${person.id}` ? other.name : person.name,
      email: person.email ?? other.email,
      timeZone: person.timeZone ?? other.timeZone,
      suspended: person.suspended || other.suspended,
    };
  });
}

/** Time between two look-ups that must both lack a person, as an error may affect several in a row. */
const apart = Temporal.Duration.from({ minutes: 5 });

/**
 * People missing from the people's look-up, and since when. The service cannot look up a single person, so one answer is not
 * believed. Source: service-api.md, which shows no request for people.
 */
class MissingPeople {
  readonly #lackedAt = new Map<PersonId, Temporal.Instant>();

  /** Of those missing from a complete look-up, the people who stay for now; the others have left. */
  staying(missing: readonly Person[], now: Temporal.Instant): readonly Person[] {
    this.#keep(new Set(missing.map(({ id }) => id)));
    return missing.filter(({ id }) => {
      const since = this.#lackedAt.get(id);
      // If the clock was set back, they would wait too long.
      const isFirst = !since || Temporal.Instant.compare(now, since) < 0;
      if (isFirst) this.#lackedAt.set(id, now);
      return isFirst || Temporal.Duration.compare(since.until(now), apart) < 0;
    });
  }

  /** These people are in a look-up, even an incomplete one. */
  named(people: readonly Person[]): void {
    for (const { id } of people) this.#lackedAt.delete(id);
  }

  /** Call after a look-up that lacks most people, which proves nothing. */
  forget(): void {
    this.#lackedAt.clear();
  }

  #keep(missing: ReadonlySet<PersonId>): void {
    for (const id of this.#lackedAt.keys()) if (!missing.has(id)) this.#lackedAt.delete(id);
  }
}
