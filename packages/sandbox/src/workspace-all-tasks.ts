import { type Caller, seesProject } from "./access-checks.ts";
import type { PersonRecord } from "./records.ts";
import { ifAllowed, refuse } from "./refusal.ts";
import type { Setting } from "./setting.ts";
import { showWork } from "./work-item.ts";
import { showTask } from "./workspace-tasks.ts";

export interface AllTasksQuery {
  readonly start?: string | null;
  readonly limit?: string | null;
  readonly projects?: string | null;
  readonly include_subtasks?: string | null;
  readonly completed?: string | null;
}

export interface AllTasksView {
  readonly total_count: number;
  readonly todos: readonly object[];
}

/**
 * How the list of all tasks may differ from what clients expect, because it is not documented. By default it is in id order,
 * obeys the query, and shows what the lists show.
 */
export interface AllTasksManner {
  /** `recent-first`: latest change first. `unstable`: another order for every request. */
  readonly order?: "id" | "recent-first" | "unstable";
  /** Query parameters without effect; an ignored `limit` returns everything from `start` on. */
  readonly ignores?: readonly ("start" | "limit" | "projects")[];
  /** What is never included, whatever the query says; `some` is every seventh id, as if it were private. */
  readonly leavesOut?: "completed" | "subtasks" | "some";
  /** What `total_count` counts: the elements of the page, or one too many; all of them by default. */
  readonly total?: "page" | "one-more";
  /** How long the same tasks are returned unchanged, as by a cache. */
  readonly cachedFor?: Temporal.Duration;
  /** Like `cachedFor`, for `total_count` alone. */
  readonly totalCachedFor?: Temporal.Duration;
  /** Repeats the first element of a page at its end, beyond `limit`. */
  readonly repeats?: boolean;
}

interface Row {
  readonly id: number;
  readonly sub: boolean;
}

interface Shown {
  readonly id: number;
  readonly updatedAt: string;
  readonly view: object;
}

interface Kept<Value> {
  readonly at: Temporal.Instant;
  readonly value: Value;
}

/** All tasks of the account in one list. Source: beyond-the-document.md, Look-ups. */
export class AllTasksWork {
  readonly #setting: Setting;
  #manner: AllTasksManner = {};
  #requests = 0;
  #kept: Kept<readonly Shown[]> | null = null;
  #keptTotal: Kept<number> | null = null;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** Changes the behavior. */
  behave(manner: AllTasksManner): void {
    this.#manner = manner;
    this.#kept = null;
    this.#keptTotal = null;
  }

  /** One page of all tasks the person may see; a subtask names its parent as `task`. */
  page(caller: Caller, query: AllTasksQuery): AllTasksView {
    const person = this.#setting.access.account(caller, "read");
    const asked = { start: readCount(query.start, 0), limit: readCount(query.limit, 100) };
    const { start, limit } = asked;
    if (start === null || limit === null)
      return refuse(400, "start and limit must be whole numbers");
    this.#requests += 1;
    const cut = { start, limit: Math.min(limit, 100) };
    const isPlain = Object.keys(this.#manner).length === 0;
    return isPlain
      ? this.#plainPage(person, { query, ...cut })
      : this.#strangePage(person, { query, ...cut });
  }

  #plainPage(person: PersonRecord, { query, start, limit }: Cut): AllTasksView {
    const { rows, total } = this.#rows(person, { query, start, limit });
    return { total_count: total, todos: this.#show(person, rows).map(({ view }) => view) };
  }

  #strangePage(person: PersonRecord, { query, start, limit }: Cut): AllTasksView {
    const { ignores = [], order, repeats, total, cachedFor, totalCachedFor } = this.#manner;
    const now = this.#setting.clock();
    this.#kept = stillKept(this.#kept, cachedFor, now) ?? {
      at: now,
      value: this.#all(person, query),
    };
    const all = this.#kept.value;
    const ordered = order === "recent-first" ? all.toSorted(byChange) : all;
    const turned = order === "unstable" ? shuffled(ordered, this.#requests) : ordered;
    const from = ignores.includes("start") ? 0 : start;
    const page = turned.slice(from, ignores.includes("limit") ? undefined : from + limit);
    const shown = repeats && page[0] ? [...page, page[0]] : page;
    this.#keptTotal = stillKept(this.#keptTotal, totalCachedFor, now) ?? {
      at: now,
      value: all.length,
    };
    const count = this.#keptTotal.value + (total === "one-more" ? 1 : 0);
    return {
      total_count: total === "page" ? shown.length : count,
      todos: shown.map(({ view }) => view),
    };
  }

  #all(person: PersonRecord, query: AllTasksQuery): readonly Shown[] {
    const { ignores = [], leavesOut } = this.#manner;
    const asked = {
      ...query,
      ...(ignores.includes("projects") && { projects: null }),
      ...(leavesOut === "completed" && { completed: "false" }),
      ...(leavesOut === "subtasks" && { include_subtasks: "false" }),
    };
    const { rows } = this.#rows(person, { query: asked, start: 0, limit: everything });
    return this.#show(person, leavesOut === "some" ? rows.filter(({ id }) => id % 7 !== 0) : rows);
  }

  #rows(person: PersonRecord, { query, start, limit }: Cut) {
    const { store } = this.#setting;
    const wanted = query.projects ? new Set(query.projects.split(",").map(Number)) : null;
    const projects = store.projects
      .all()
      .map((it) => it.id)
      .filter((it) => seesProject(person, it) && (wanted === null || wanted.has(it)));
    return store.workPage({
      projects,
      completed: query.completed === "true",
      subtasks: query.include_subtasks === "true",
      start,
      limit,
    });
  }

  #show({ id: by }: PersonRecord, rows: readonly Row[]): readonly Shown[] {
    const { store, access } = this.#setting;
    return rows.flatMap(({ id, sub }): Shown[] => {
      const item = sub ? store.subtasks.get(id) : store.tasks.get(id);
      if (item === undefined) return [];
      const found = ifAllowed(() =>
        access.list({ by, project: item.project, list: item.list }, "read"),
      );
      if (!found) return [];
      const seen = { ...found, setting: this.#setting };
      const view =
        "ticket" in item
          ? showTask(item, seen)
          : { ...showWork(item, { ...seen, comments: 0 }), task: { id: item.task } };
      return [{ id, updatedAt: item.updatedAt, view }];
    });
  }
}

interface Cut {
  readonly query: AllTasksQuery;
  readonly start: number;
  readonly limit: number;
}

const everything = 1_000_000;

const byChange = (a: Shown, b: Shown): number =>
  a.updatedAt === b.updatedAt ? a.id - b.id : a.updatedAt < b.updatedAt ? 1 : -1;

/** The same elements in an order that depends on the number. */
function shuffled(shown: readonly Shown[], turn: number): readonly Shown[] {
  const place = ({ id }: Shown) => (id * (7919 + 2 * turn) * 104_729) % 10_007;
  return shown.toSorted((a, b) => place(a) - place(b));
}

function stillKept<Value>(
  kept: Kept<Value> | null,
  length: Temporal.Duration | undefined,
  now: Temporal.Instant,
): Kept<Value> | null {
  if (!kept || !length) return null;
  return Temporal.Instant.compare(kept.at.add(length), now) > 0 ? kept : null;
}

function readCount(text: string | null | undefined, absent: number): number | null {
  if (text === null || text === undefined || text === "") return absent;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
