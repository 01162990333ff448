import type { LabelId, PersonId } from "../domain/ids.ts";
import type { Label, Person, Project, Todolist } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import { type Source, sourceName } from "../domain/source.ts";
import type { Call, Snapshot } from "../upstream/client.ts";
import { type Absent, Absentees, type AbsenteesDeps } from "./absence.ts";
import { brakeOf, noticeMissing, stepBrake } from "./apply-snapshot.ts";
import { judgeLeavers, mayBury } from "./brake.ts";
import type { SyncEvent } from "./event.ts";
import { applyLabels, applyPeople, applyProjects, applyTodolists, isComplete } from "./look-ups.ts";
import type { Fetched } from "./poller.ts";
import type { Questions } from "./questions.ts";
import type { Scope } from "./sources-in-scope.ts";

interface NamesDeps extends AbsenteesDeps {
  readonly scope: Scope;
  readonly questions: Questions;
}

interface Heard<Kind, Value> {
  readonly kind: Kind;
  readonly snapshot: Snapshot<Value>;
  readonly absent: Absent<Value>;
}

/** A look-up's answer, with what those have said that it lacks. */
export type HeardNames =
  | Heard<"projects", Project>
  | Heard<"people", Person>
  | Heard<"labels", Label>
  | Heard<"todolists", Todolist>;

type Names = Exclude<Fetched, { readonly kind: "items" }>;

interface Outcome {
  readonly told: readonly SyncEvent[];
  /** What the look-up leaves open, in sentences. */
  readonly doubts: readonly string[];
}

const nobody = { gone: [], there: [], unclear: [] };

/**
 * Brings the directory up to date with its look-ups. What one of them lacks is asked for by itself first, and stays while
 * it answers, while nothing is known of it, and while so much hangs on it that a person has to agree.
 */
export class NameKeeper {
  readonly #deps: NamesDeps;
  readonly #absentees: Absentees;
  readonly #leavers = new Leavers();

  constructor(deps: NamesDeps) {
    this.#deps = deps;
    this.#absentees = new Absentees(deps);
  }

  /** Asks for what a snapshot lacks. Never rejects for what the service answers. */
  async hear(
    source: Source,
    { fetched, call }: { readonly fetched: Names; readonly call: Call },
  ): Promise<HeardNames> {
    const { directory } = this.#deps.store;
    switch (fetched.kind) {
      case "projects": {
        const { snapshot } = fetched;
        const asks = this.#deps.scope.projects === "discover" && snapshot.received > 0;
        const known = asks ? directory.projects() : [];
        return { ...fetched, absent: await this.#absentees.projects(known, { snapshot, call }) };
      }
      case "people":
        return { ...fetched, absent: nobody };
      case "labels": {
        const { snapshot } = fetched;
        const known = directory.labels();
        return { ...fetched, absent: await this.#absentees.labels(known, { snapshot, call }) };
      }
      case "todolists": {
        const { snapshot } = fetched;
        const known = this.#listsOf(source).filter(({ archived }) => !archived);
        return { ...fetched, absent: await this.#absentees.todolists(known, { snapshot, call }) };
      }
      default:
        return unreachable(fetched);
    }
  }

  /** Writes what was heard. Belongs inside the caller's transaction. */
  apply(source: Source, heard: HeardNames): Outcome {
    switch (heard.kind) {
      case "projects":
        return this.#applyProjects(heard);
      case "people":
        return this.#applyPeople(heard);
      case "labels":
        return this.#applyLabels(heard);
      case "todolists":
        return this.#applyTodolists(source, heard);
      default:
        return unreachable(heard);
    }
  }

  #applyProjects({ snapshot, absent }: Heard<"projects", Project>): Outcome {
    const { store, scope } = this.#deps;
    const known = scope.projects === "discover" ? store.directory.projects() : [];
    if (snapshot.received === 0 && known.length > 0) {
      return { told: [], doubts: ["the service names no project at all, where there were some"] };
    }
    const weigh = (projects: readonly Project[]) =>
      projects.reduce((sum, { id }) => sum + store.view.ofProject(id).length, 0);
    const lacks = absent.gone.length + absent.unclear.length > 0;
    const told = stepBrake(store, {
      source: "projects",
      missing: lacks ? weigh([...absent.gone, ...absent.unclear]) : 0,
      total: lacks ? weigh(known) : 0,
    });
    const isFree = mayBury(brakeOf(store, "projects"), absent.unclear.length);
    applyProjects(store, { scope, snapshot, staying: stayingOf(absent, isFree) });
    return { told, doubts: doubtsOf("project", absent, isFree) };
  }

  /** A single person cannot be asked for: who is lacked stays until a later look-up says so too, many until somebody agrees. */
  #applyPeople({ snapshot }: Heard<"people", Person>): Outcome {
    const { store, scope, clock } = this.#deps;
    this.#leavers.named(snapshot.items);
    if (!isComplete(snapshot)) {
      applyPeople(store, { scope, snapshot, staying: [] });
      return { told: [], doubts: [] };
    }
    const kept = new Set([...scope.people, ...snapshot.items].map(({ id }) => id));
    const known = store.directory.people();
    const missing = known.filter(({ id }) => !kept.has(id));
    const loss = { missing: missing.length, total: known.length };
    const told = stepBrake(store, { source: "people", ...loss, judge: judgeLeavers });
    const brake = brakeOf(store, "people");
    const isHeld = brake ? brake.releasedAt === null : snapshot.received === 0;
    if (isHeld || brake) {
      this.#leavers.forget();
      applyPeople(store, { scope, snapshot, staying: isHeld ? missing : [] });
      const { length } = missing;
      const held = `${length} of ${known.length} known people are not named any more; they stay for now`;
      return { told, doubts: isHeld && length > 0 ? [held] : [] };
    }
    const staying = this.#leavers.staying(missing, clock());
    applyPeople(store, { scope, snapshot, staying });
    const wait = `at least ${apart.minutes} minutes later`;
    const doubts = staying.map(
      ({ id, name }) =>
        `person ${id} (${name}) is not named any more: they stay until an answer ${wait} says the same`,
    );
    return { told, doubts };
  }

  /** Without its name a label that items still have would be made a second time. */
  #applyLabels({ snapshot, absent }: Heard<"labels", Label>): Outcome {
    const { store } = this.#deps;
    const used = absent.gone.length > 0 ? store.directory.labelsInUse() : new Set<LabelId>();
    const worn = absent.gone.filter(({ id }) => used.has(id));
    applyLabels(store, { snapshot, staying: [...stayingOf(absent), ...worn] });
    const doubts = worn.map(
      ({ id, name }) => `label ${id} (${name}) is gone, but items still have it: it stays`,
    );
    return { told: [], doubts: [...doubtsOf("label", absent), ...doubts] };
  }

  /** The tasks of a list that is gone are questions, as if the list had been read and were empty. */
  #applyTodolists(source: Source, { snapshot, absent }: Heard<"todolists", Todolist>): Outcome {
    if (source.kind !== "todolists") return { told: [], doubts: [] };
    const { store, questions } = this.#deps;
    const name = sourceName(source);
    const tasksOf = ({ id }: Todolist) =>
      [...store.mirror.contents(`tasks:${id}`).values()].map(({ key }) => key);

    const missing = [...absent.gone, ...absent.unclear].flatMap(tasksOf).length;
    const told = stepBrake(store, { source: name, missing, total: missing });
    const isFree = mayBury(brakeOf(store, name), absent.unclear.length);
    const named = new Set(snapshot.items.map(({ id }) => id));
    const shelved = this.#listsOf(source).filter(({ id, archived }) => archived && !named.has(id));
    applyTodolists(store, {
      project: source.projectId,
      snapshot,
      staying: stayingOf(absent, isFree),
    });

    for (const list of isFree ? absent.gone : []) {
      const tasks = tasksOf(list);
      questions.noticed(tasks);
      // The brake on the look-up has let them all go.
      for (const key of tasks) store.absences.notice(key, `tasks:${list.id}`);
    }
    const noticed = (isComplete(snapshot) ? shelved : []).flatMap((list) => {
      const tasks = tasksOf(list);
      questions.noticed(tasks);
      return noticeMissing(store, {
        source: `tasks:${list.id}`,
        missing: tasks,
        total: tasks.length,
      });
    });
    return { told: [...told, ...noticed], doubts: doubtsOf("list", absent, isFree) };
  }

  #listsOf(source: Source): readonly Todolist[] {
    if (source.kind !== "todolists") return [];
    const lists = this.#deps.store.directory.todolists();
    return lists.filter(({ projectId }) => projectId === source.projectId);
  }
}

const stayingOf = <Value>(absent: Absent<Value>, isFree = true): readonly Value[] => [
  ...absent.there,
  ...absent.unclear,
  ...(isFree ? [] : absent.gone),
];

type Named = { readonly id: number; readonly archived?: boolean } & (
  | { readonly title: string }
  | { readonly name: string }
);

function doubtsOf(
  kind: string,
  { there, unclear, gone }: Absent<Named>,
  isFree = true,
): readonly string[] {
  const say = (values: readonly Named[], what: string) =>
    values.map((value) => {
      const name = "title" in value ? value.title : value.name;
      return `${kind} ${value.id} (${name}) is not named any more, ${what}`;
    });
  return [
    ...say(
      there.filter(({ archived }) => archived !== true),
      "but answers by itself: it stays",
    ),
    ...say(unclear, "and has not said yet whether it is gone: it stays for now"),
    ...say(
      isFree ? [] : gone,
      "and is gone, but too much hangs on it: it stays while the brake holds",
    ),
  ];
}

/** How far apart two look-ups have to lie that lack somebody, before they have left: a fault may last for several. */
const apart = Temporal.Duration.from({ minutes: 5 });

/**
 * Whom the people's look-up lacks, and since when. The service cannot be asked for a single person, so one answer is not
 * believed. Source: service-api.md, which shows no request for people.
 */
class Leavers {
  readonly #lackedAt = new Map<PersonId, Temporal.Instant>();

  /** Of those whom a complete look-up of this moment lacks, who stays for now; the others have left. */
  staying(missing: readonly Person[], now: Temporal.Instant): readonly Person[] {
    this.#keep(new Set(missing.map(({ id }) => id)));
    return missing.filter(({ id }) => {
      const since = this.#lackedAt.get(id);
      // A clock that was set back would let them wait for as long.
      const isFirst = !since || Temporal.Instant.compare(now, since) < 0;
      if (isFirst) this.#lackedAt.set(id, now);
      return isFirst || Temporal.Duration.compare(since.until(now), apart) < 0;
    });
  }

  /** These have been named, also if by an answer that is not complete. */
  named(people: readonly Person[]): void {
    for (const { id } of people) this.#lackedAt.delete(id);
  }

  /** An answer that lacks nearly everybody is no word about anyone. */
  forget(): void {
    this.#lackedAt.clear();
  }

  #keep(missing: ReadonlySet<PersonId>): void {
    for (const id of this.#lackedAt.keys()) if (!missing.has(id)) this.#lackedAt.delete(id);
  }
}
