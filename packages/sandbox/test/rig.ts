import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../src/server.ts";

export const noon = Temporal.Instant.from("2026-03-10T11:00:00Z");

/** A manually controlled clock. */
class HandClock {
  at = noon;

  readonly now = (): Temporal.Instant => this.at;

  advance(seconds: number): void {
    this.at = this.at.add({ seconds });
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body parsed as JSON; undefined if it is not. */
  readonly json: unknown;
}

interface CallOptions {
  readonly body?: unknown;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: Uint8Array;
}

export interface Rig {
  readonly sandbox: Sandbox;
  readonly clock: HandClock;
  /** API keys by first name. */
  readonly key: (firstName: string) => string;
  readonly person: (firstName: string) => number;
  /** `GET /path` of the API, or of a whole URL; with the owner's key by default. */
  readonly call: (request: string, options?: CallOptions) => Promise<Answer>;
}

/** A separate sandbox for one test, without a quota, closed when the test ends. */
export async function startRig(options: Partial<SandboxOptions> = {}): Promise<Rig> {
  const clock = new HandClock();
  const sandbox = await startSandbox({
    seed: 1,
    size: "empty",
    discovery: true,
    port: 0,
    timeZone: "Europe/Berlin",
    clock: clock.now,
    quota: { requests: 100_000, perMs: 10_000 },
    ...options,
  });
  onTestFinished(() => sandbox.close());
  const someone = (firstName: string) => {
    const found = sandbox.keys.find((it) => it.name.startsWith(firstName));
    if (found === undefined) throw new Error(`nobody is called ${firstName}`);
    return found;
  };
  return {
    sandbox,
    clock,
    key: (firstName) => someone(firstName).apiKey,
    person: (firstName) => someone(firstName).personId,
    call: (asked, given = {}) => {
      const [method = "", path = ""] = asked.split(" ", 2);
      const url = path.startsWith("http") ? path : `${sandbox.baseUrl}${path}`;
      const key = given.key === undefined ? (sandbox.keys[0]?.apiKey ?? "") : given.key;
      const sent = given.bytes ?? (given.body === undefined ? null : JSON.stringify(given.body));
      const headers = {
        "user-agent": "Tests (tests@example.com)",
        ...(key === null ? {} : { "x-api-key": key }),
        ...(given.body === undefined ? {} : { "content-type": "application/json" }),
        ...given.headers,
      };
      return exchange(url, { method, headers, sent });
    },
  };
}

/** A field of a response's object. */
export function at(json: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null) return undefined;
    return new Map<string, unknown>(Object.entries(value)).get(String(name));
  }, json);
}

export function idOf(json: unknown): number {
  const id = at(json, "id") ?? at(json, "file_id");
  if (typeof id !== "number") throw new Error(`no id in ${JSON.stringify(json)}`);
  return id;
}

export function items(json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw new Error(`no array: ${JSON.stringify(json)}`);
  return json;
}

function exchange(
  url: string,
  given: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly sent: string | Uint8Array | null;
  },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method, headers } = given;
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(parts);
        const text = bytes.toString("utf8");
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, bytes, text, json: readJson(text) });
      });
    });
    request.on("error", reject);
    request.end(given.sent ?? undefined);
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A sandbox with one task in its first task list. */
export async function startRigWithTask(): Promise<
  Rig & { readonly task: unknown; readonly path: string }
> {
  const rig = await startRig();
  const [place] = rig.sandbox.workspace.places();
  const tasks = `/projects/${place?.project}/todolists/${place?.lists[0]}/tasks`;
  const task = (await rig.call(`POST ${tasks}`, { body: { title: "T" } })).json;
  return { ...rig, task, path: `${tasks}/${idOf(task)}` };
}
