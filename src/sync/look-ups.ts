import { later } from "../domain/backoff.ts";
import type { Item } from "../domain/item.ts";
import { type Source, sourceName } from "../domain/source.ts";
import { sourcesInScope } from "./sources-in-scope.ts";
import type { SyncContext } from "./sync-context.ts";

const politePause = Temporal.Duration.from({ minutes: 1 });

/** Look-ups: which sources they reveal, how often and when they are polled, and how their refusal is reported. */
export class LookUps {
  readonly #context: SyncContext;
  /** Look-ups whose refusal has been reported. */
  readonly #reportedRefusals = new Set<string>();

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /** Updates the source list from the directory. */
  updateScope(): void {
    const { store, scope, sources } = this.#context;
    const { directory } = store;
    sources.settleScope(
      sourcesInScope(scope, { projects: directory.projects(), todolists: directory.todolists() }),
    );
  }

  /** Updates the source list after a look-up: after one of lists, only the project's, which costs nothing for the others. */
  read(source: Source): void {
    this.#reportedRefusals.delete(sourceName(source));
    if (source.kind === "projects") this.updateScope();
    if (source.kind !== "todolists") return;
    const { store, scope, sources } = this.#context;
    const { projectId } = source;
    const project = store.directory.project(projectId);
    const known = {
      projects: project ? [project] : [],
      todolists: store.directory.todolistsOf(projectId),
    };
    const present = sourcesInScope(scope, known).filter(
      (one) => one.kind === "tasks" && one.projectId === projectId,
    );
    sources.settleLists(projectId, present);
  }

  /** Time until a look-up is polled again. Each project has one, and the account two: projects and people. */
  rest(): Temporal.Duration {
    const { sources, maxAge, pace } = this.#context;
    return restOfLookUp({ maxAge, lookUps: sources.countOf("todolists") + 2, pace: pace() });
  }

  /** Reports once that a look-up does not exist in this service. */
  refused(source: Source, problem: string): void {
    const name = sourceName(source);
    if (this.#reportedRefusals.has(name)) return;
    this.#reportedRefusals.add(name);
    const { store, scope, report } = this.#context;
    const lists = store.directory.todolists();
    const [setting, needed] =
      source.kind === "projects"
        ? ["projects", scope.projects === "discover"]
        : source.kind === "todolists"
          ? ["projects[].todolists", !lists.some((list) => list.projectId === source.projectId)]
          : ["people", false];
    report({ kind: "look-up-refused", source: name, problem, setting, needed });
  }

  /** A list that answers 404 may be gone or have moved, so the one above it is polled soon. */
  hurryAbove(source: Source): void {
    if (source.kind === "subtasks") this.#hurry(`tasks:${source.listId}`);
    else if (source.kind === "tasks") this.#hurry(`todolists:${source.projectId}`);
    else if (source.kind === "events") this.#hurry("projects");
  }

  /** Unknown people and labels in items are new, so their look-ups are polled soon. */
  hurryNamesIn(items: readonly Item[]): void {
    if (items.length === 0) return;
    const { directory } = this.#context.store;
    const people = directory.personNames();
    if (items.some(({ assigned }) => assigned.some((id) => !people.has(id)))) this.#hurry("people");
    const labels = directory.labelNames();
    const named = items.flatMap((item) => (item.kind === "event" ? [] : item.labels));
    if (named.some((id) => !labels.has(id))) this.#hurry("labels");
  }

  /** Hurries a source that has answered before and was not polled within the last minute. */
  #hurry(name: string): void {
    const { sources, clock } = this.#context;
    const entry = sources.get(name);
    if (!entry?.read || entry.underWay || !entry.attemptedAt) return;
    const soonest = later(entry.attemptedAt, politePause);
    if (Temporal.Instant.compare(soonest, clock()) <= 0) sources.hurry(name);
  }
}

/** Look-ups take at most this share of all requests. */
const lookUpPart = 0.1;

/**
 * Rest of a look-up after it was read: a third of `maxAge`; longer, up to `maxAge`, if there are many, so that they leave the
 * requests to lists with changes. `pace`: requests per second for polls.
 */
export function restOfLookUp({
  maxAge,
  lookUps,
  pace,
}: {
  readonly maxAge: Temporal.Duration;
  readonly lookUps: number;
  readonly pace: number;
}): Temporal.Duration {
  const longest = maxAge.total("milliseconds");
  const affordable = (1000 * lookUps) / (lookUpPart * pace);
  const rest = Math.min(longest, Math.max(longest / 3, affordable));
  return Temporal.Duration.from({ milliseconds: Math.round(rest) });
}
