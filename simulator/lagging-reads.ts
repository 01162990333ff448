import {
  type AdmittedRequest,
  type Intermediary,
  type Reply,
  replyTo,
  type Sandbox,
} from "@dayferry/sandbox";
import { z } from "zod";

/** What still shows the old state for a while after a write. */
export type Lagging = "item" | "list" | "both";

interface Lag {
  readonly what: Lagging;
  /** How long reads are outdated, in milliseconds. */
  readonly ms: number;
}

interface OldReply {
  readonly reply: Reply;
  /** On the virtual clock, in milliseconds. */
  readonly until: number;
}

/** Where a task is moved to, as far as a body says. */
const moveSchema = z.object({ project: z.number().optional(), list_id: z.number().optional() });
const madeSchema = z.object({ id: z.number() });

const itemPath =
  /^\/api\/v3\/projects\/(\d+)\/(?:events(?:\/(\d+))?|todolists\/(\d+)\/tasks(?:\/(\d+)(?:\/subtasks(?:\/(\d+))?)?)?)$/;

/**
 * An eventually consistent service: for seconds after a write, reads of an item, its list, or both return the previous state.
 * The response to the write itself is current.
 */
export class LaggingReads implements Intermediary {
  readonly #monotonic: () => number;
  readonly #old = new Map<string, OldReply[]>();
  #sandbox: Sandbox | null = null;
  #lag: Lag | null = null;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The workspace to read from. */
  attach(sandbox: Sandbox): void {
    this.#sandbox = sandbox;
  }

  /** Sets how reads lag from now on; null for not at all. */
  set lag(lag: Lag | null) {
    this.#lag = lag;
    if (!lag) this.#old.clear();
  }

  /**
   * Reports a change of a list that does not come as a request. Reads of the item itself show others' changes at once: an
   * editor who writes a field right after such a change could not know of it.
   */
  changing(list: string): void {
    this.#keepOld(list);
  }

  readonly arriving = ({ method, path, bytes }: AdmittedRequest): void => {
    if (!this.#lag || method === "GET" || !itemPath.test(path)) return;
    const own = [path, ...(method === "POST" ? [] : [path.replace(/\/\d+$/, "")])];
    for (const one of [...own, ...targetsOf(path, bytes)]) this.#keepOld(one);
  };

  readonly answering = (request: AdmittedRequest, reply: Reply): Reply => {
    const { method, path, by } = request;
    if (method === "GET") return this.#oldReply(path, by) ?? reply;
    if (method === "POST" && this.#lag && itemPath.test(path)) {
      const made = madeSchema.safeParse(reply.json);
      // It did not exist before it was created.
      if (made.success) this.#keep(`${path}/${made.data.id}`, () => missing);
    }
    return reply;
  };

  #oldReply(path: string, by: number): Reply | null {
    const now = this.#monotonic();
    const old = this.#old.get(`${by} ${path}`)?.find(({ until }) => until > now);
    return old?.reply ?? null;
  }

  #keepOld(path: string): void {
    this.#keep(path, (by) => this.#read(path, by));
  }

  #keep(path: string, read: (by: number) => Reply): void {
    const lag = this.#lag;
    const isItem = /\/\d+$/.test(path);
    if (!lag || (lag.what === "item" && !isItem) || (lag.what === "list" && isItem)) return;
    const now = this.#monotonic();
    for (const { personId: by } of this.#sandbox?.keys ?? []) {
      const key = `${by} ${path}`;
      const left = (this.#old.get(key) ?? []).filter(({ until }) => until > now);
      this.#old.set(key, [...left, { reply: read(by), until: now + lag.ms }]);
    }
  }

  #read(path: string, by: number): Reply {
    const workspace = this.#sandbox?.workspace;
    const [, ...ids] = itemPath.exec(path) ?? [];
    if (!workspace) return missing;
    const [project = 0, event, list = 0, task, subtask] = ids.map((id) =>
      id === undefined ? undefined : Number(id),
    );
    const { events, tasks, subtasks } = workspace;
    return replyTo(200, found);

    function found(): unknown {
      if (path.includes("/events")) {
        return event === undefined
          ? events.list({ by, project }, { view: "all" })
          : events.get({ by, project, event });
      }
      if (task === undefined) return tasks.list({ by, project, list });
      if (!path.includes("/subtasks")) return tasks.get({ by, project, list, task });
      return subtask === undefined
        ? subtasks.list({ by, project, list, task })
        : subtasks.get({ by, project, list, task, subtask });
    }
  }
}

const missing: Reply = { status: 404, json: { message: "it does not exist" } };

/** The list a body moves a task to, and the task there. */
function targetsOf(path: string, bytes: Buffer): readonly string[] {
  const [, project = "", , , task] = itemPath.exec(path) ?? [];
  if (task === undefined || path.includes("/subtasks")) return [];
  const body = moveSchema.safeParse(jsonOf(bytes));
  if (!body.success || body.data.list_id === undefined) return [];
  const list = `/api/v3/projects/${body.data.project ?? project}/todolists/${body.data.list_id}/tasks`;
  return [list, `${list}/${task}`];
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}
