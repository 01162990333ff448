import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { openableUrl } from "../config/listening.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { AnswerOf, InputOf, Operation } from "../operations/operation.ts";
import {
  asJson,
  type CommandHost,
  configFor,
  type DaemonAddress,
  Failed,
  type LocalModules,
  withLocalModules,
} from "./command-host.ts";
import { askDaemon } from "./daemon.ts";
import type { OnProgress } from "./progress-lines.ts";

/** Why an operation failed: a sentence, whether it was wrong usage, and further members as in the API. */
interface Refused {
  readonly detail: string;
  readonly code: 1 | 2;
  readonly more: unknown;
}

/** Runs operations through the data directory's daemon, or in this process. Answers are the API's JSON values. */
export interface OperationRunner {
  attempt<Of extends Operation>(
    operation: Of,
    input: InputOf<Of>,
    onSent?: OnProgress,
  ): Promise<Result<AnswerOf<Of>, Refused>>;
  /** Runs an operation and returns its answer; throws `Failed` if it is refused. */
  run<Of extends Operation>(
    operation: Of,
    input: InputOf<Of>,
    onSent?: OnProgress,
  ): Promise<AnswerOf<Of>>;
}

/** Context of a command's operations. */
export interface RunnerContext {
  readonly config: Config;
  /** Null if a daemon runs the operations. */
  readonly modules: LocalModules | null;
  /** The reader's time zone, else the account's. */
  readonly zone: string;
}

type Work<Value> = (runner: OperationRunner, context: RunnerContext) => Promise<Value>;

/** A command that was called. */
interface Invocation {
  readonly command: Command;
  readonly host: CommandHost;
}

/** Uses the daemon if one runs; otherwise locks the data directory. */
export async function withRunner<Value>(
  { command, host }: Invocation,
  work: Work<Value>,
): Promise<Value> {
  const config = configFor(command, host);
  const zone = host.zone ?? config.service.timeZone;
  const daemon = host.daemonOf(config);
  if (daemon) return work(runnerOf(throughDaemon(daemon)), { config, zone, modules: null });
  return withLocalModules(config, host, (modules) =>
    work(runnerOf(inProcess(modules, host.signal)), { config, zone, modules }),
  );
}

/** Runs a command's work and prints its answer: as JSON with `--json`, else with `describe`. */
export async function printAnswer<Value>(
  invocation: Invocation,
  work: Work<Value>,
  describe: (answer: Value, zone: string) => string,
): Promise<void> {
  const { json } = invocation.command.opts<{ readonly json: boolean }>();
  const text = await withRunner(invocation, async (runner, context) => {
    const answer = await work(runner, context);
    return json ? asJson(answer) : describe(answer, context.zone);
  });
  invocation.host.print(text);
}

type Attempt = (
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  onSent?: OnProgress,
) => Promise<Result<unknown, Refused>>;

const runnerOf = (attempt: Attempt): OperationRunner => ({
  async attempt(operation, input, onSent) {
    const answer = await attempt(operation, input, onSent);
    return answer.ok ? ok(known(answer.value)) : answer;
  },
  async run(operation, input, onSent) {
    const answer = await attempt(operation, input, onSent);
    if (answer.ok) return known(answer.value);
    throw new Failed(answer.failure.detail, answer.failure.code);
  },
});

/** Gives an answer the type that its operation declares. A test compares all answers with their declarations. */
function known<Value>(value: unknown): Value {
  const { answer }: { readonly answer: Value } = Object({ answer: value });
  return answer;
}

/** The service may be slow, and files may be large. */
const servicePatienceMs = 180_000;

function throughDaemon(daemon: DaemonAddress): Attempt {
  return async (operation, input, onSent) => {
    const { method, isSlow, member } = operation;
    const { status, body } = await askDaemon(daemon, {
      method,
      ...requestOf(operation, input),
      ...(isSlow && { withinMs: servicePatienceMs }),
      ...(onSent && { onSent }),
    });
    if (status < 400) return ok(member === null ? body : memberOf(body, member));
    const said = memberOf(body, "detail");
    const detail =
      typeof said === "string" ? said : `the daemon rejected it: ${JSON.stringify(body)}`;
    return fail({ detail, code: status === 400 ? 2 : 1, more: body });
  };
}

/** Members that are not in the path go into the query, or into the JSON body if there is one. */
function requestOf(
  { method, path, body }: Operation,
  input: Readonly<Record<string, unknown>>,
): Pick<Parameters<typeof askDaemon>[1], "path" | "body"> {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const whole = body && rest.get(body.member);
  if (body) rest.delete(body.member);
  const hasJson = !body && method !== "GET" && method !== "DELETE";
  const query = new URLSearchParams();
  if (!hasJson) for (const [name, value] of rest) query.set(name, String(value));
  const type = body?.type === "octets" ? "application/octet-stream" : "application/json";
  const content =
    whole instanceof Uint8Array
      ? new Uint8Array(whole)
      : JSON.stringify(body ? whole : Object.fromEntries(rest));
  return {
    path: query.size > 0 ? `${filled}?${query.toString()}` : filled,
    ...((body || hasJson) && { body: { type, content } }),
  };
}

function inProcess(modules: LocalModules, signal: AbortSignal): Attempt {
  const { config, store } = modules;
  const viewer = { kind: "admin", zone: store.zone } as const;
  const baseUrl = () => config.http.publicUrl ?? openableUrl(config.http);
  const caller = { viewer, channel: "cli", signal } as const;
  return async (operation, input, onSent) => {
    const context = { ...modules, baseUrl, caller: { ...caller, ...(onSent && { onSent }) } };
    const outcome = await operation.run(input, context);
    // The answer as the API's JSON.
    if (outcome.ok) return ok(JSON.parse(JSON.stringify(outcome.value.value)));
    const { kind, detail, more } = outcome.failure;
    return fail({
      detail,
      code: kind === "invalid" ? 2 : 1,
      more: JSON.parse(JSON.stringify(more ?? {})),
    });
  };
}

const memberOf = (body: unknown, name: string): unknown =>
  new Map(Object.entries(Object(body))).get(name);
