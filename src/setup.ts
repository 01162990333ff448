import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { remedyForFailure, zoneFindings } from "./cli/service-findings.ts";
import type { Config } from "./config/config.ts";
import type { Environment } from "./config/environment.ts";
import { listenFault, openableUrl } from "./config/listening.ts";
import { type LoadedConfig, loadConfig, parseConfig } from "./config/load.ts";
import { messageOf } from "./domain/result.ts";
import type { SetupAnswers } from "./http/pages/setup-page.ts";
import {
  createSetupApp,
  type ProjectChoice,
  type SetupFault,
  type SetupTrial,
  type SetupWrite,
} from "./http/setup-app.ts";
import type { DaemonContext } from "./modules/module.ts";
import { listen, randomBytes } from "./runtime.ts";
import { probeZone } from "./troubles/zone-probe.ts";
import { createUpstream, type Upstream } from "./upstream/client.ts";
import { describeFailure, type Failure } from "./upstream/failure.ts";

interface SetupContext extends DaemonContext {
  readonly env: Environment;
  /** Where `config.json` and `secrets/api-key` are written. */
  readonly cwd: string;
  /** Prints a message to the terminal. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How setup ended: `serve` continues with the configuration, was stopped, or could not listen. */
type SetupEnd =
  | { readonly kind: "written"; readonly config: LoadedConfig }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly problem: string };

const keyFile = "secrets/api-key";
const configFile = "config.json";

/** Serves the guided setup at the daemon's address until a configuration is written or the signal aborts. */
export async function runSetup(context: SetupContext): Promise<SetupEnd> {
  const { env, cwd, say, signal } = context;
  const host = env["DAYFERRY_HOST"] ?? "127.0.0.1";
  const port = Number(env["DAYFERRY_PORT"] ?? 8380);
  const token = randomBytes(24).toString("base64url");
  const { promise: written, resolve: onWritten } = Promise.withResolvers<void>();
  const app = createSetupApp({
    attempt: (answers) => attempt(answers, context),
    probe: (answers) => probe(answers, context),
    configText,
    write: (answers, how) => write(answers, { ...how, cwd }),
    onWritten: () => onWritten(),
    token,
    session: randomBytes(24).toString("base64url"),
    formToken: randomBytes(24).toString("base64url"),
  });
  const server = createServer(app);
  let taken: number;
  try {
    taken = await listen(server, { host, port });
  } catch (error) {
    const fault = listenFault(error, { host, port, change: "DAYFERRY_HOST and DAYFERRY_PORT" });
    return { kind: "failed", problem: fault ?? messageOf(error) };
  }
  const url = openableUrl({ host, port: taken });
  say(`There is no configuration yet. Set up Dayferry at ${url}/setup?token=${token}\n`);
  say("The link works once, from any machine that reaches this address.\n");
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([written, stopped]);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  if (signal.aborted) return { kind: "stopped" };
  const loaded = loadConfig({ file: join(cwd, configFile), env, cwd });
  if (loaded.ok) return { kind: "written", config: loaded.value };
  const [first] = loaded.failure;
  return { kind: "failed", problem: `${first?.path}: ${first?.message}` };
}

const rawOf = ({ baseUrl, apiKey, contact, timeZone }: SetupAnswers) => ({
  service: { baseUrl, apiKey, contact, timeZone },
});

/** Checks each answer with the configuration's schema; an empty one is reported as missing. */
function check(
  answers: SetupAnswers,
  { env, cwd }: Pick<SetupContext, "env" | "cwd">,
): { readonly config: Config | null; readonly faults: readonly SetupFault[] } {
  const names = ["baseUrl", "apiKey", "contact", "timeZone"] as const;
  const empty = names.filter((name) => answers[name] === "");
  const parsed = parseConfig(rawOf(answers), { folder: cwd, env, cwd });
  if (parsed.ok) return { config: parsed.value, faults: [] };
  const faults = parsed.failure.map(({ path, message }): SetupFault => {
    const field = names.find((name) => path === `service.${name}`) ?? null;
    if (field !== null && empty.includes(field)) return { field, problem: "Required." };
    return { field, problem: field === null ? `${path}: ${message}` : `It ${message}.` };
  });
  return { config: null, faults };
}

/** A client for a few requests, without a stored quota. */
async function withUpstream<Answer>(
  config: Config,
  { clock, monotonic, random }: DaemonContext,
  ask: (upstream: Upstream) => Promise<Answer>,
): Promise<Answer> {
  const { service, polling } = config;
  const upstream = createUpstream({
    ...service,
    keyOf: () => null,
    readShare: polling.share,
    clock,
    monotonic,
    random,
    history: { load: () => [], save() {}, loadRest: () => null, saveRest() {} },
    onEvent() {},
  });
  try {
    return await ask(upstream);
  } finally {
    await upstream.close();
  }
}

/** Tries the answers with the service: its URL, the key, and what the key can access. Writes nothing there. */
async function attempt(answers: SetupAnswers, context: SetupContext): Promise<SetupTrial> {
  const { config, faults } = check(answers, context);
  if (!config) return { kind: "faults", faults };
  const call = { priority: "interactive", signal: context.signal } as const;
  return withUpstream(config, context, async (upstream): Promise<SetupTrial> => {
    const labels = await upstream.labels.list(call);
    if (!labels.ok) return { kind: "faults", faults: [faultOf(labels.failure)] };
    const [projects, people] = await Promise.all([
      upstream.workspace.projects(call),
      upstream.workspace.people(call),
    ]);
    const lead = upstream.clockLead();
    return {
      kind: "reached",
      projects: projects.ok ? projects.value.items : null,
      facts: [
        "The service accepts the API key.",
        projects.ok
          ? `It gives access to ${count(projects.value.items.length, "project")}.`
          : "The service does not list its projects: add them to config.json with their ids and lists.",
        people.ok
          ? `It gives access to ${count(people.value.items.length, "person", "people")}.`
          : "The service does not list its people: add them to config.json with their addresses.",
        ...(lead === null ? [] : [clockFact(lead)]),
        `Times are read in ${config.service.timeZone}.`,
      ],
    };
  });
}

const count = (many: number, one: string, more = `${one}s`): string =>
  `${many} ${many === 1 ? one : more}`;

function clockFact(lead: Temporal.Duration): string {
  const seconds = Math.round(lead.total("seconds"));
  const off = Math.abs(seconds);
  if (off < 30) return "The clocks of the service and of this machine agree.";
  return `This machine's clock is ${off} s ${seconds > 0 ? "ahead of" : "behind"} the service's. Correct it.`;
}

/** The answer that a failure of the first request is about. */
function faultOf(failure: Failure): SetupFault {
  const problem = `${describeFailure(failure)}: ${remedyForFailure(failure)}`;
  const isKey = failure.kind === "refused" && (failure.status === 401 || failure.status === 403);
  if (isKey) return { field: "apiKey", problem: "The service rejects this key." };
  const isAddress = ["refused", "unreadable", "unavailable"].includes(failure.kind);
  return { field: isAddress ? "baseUrl" : null, problem };
}

async function probe(answers: SetupAnswers, context: SetupContext) {
  const { config } = check(answers, context);
  if (!config) return { isRight: false, said: "The settings are not valid any more." };
  const { clock, signal } = context;
  const proof = await withUpstream(config, context, (upstream) =>
    probeZone({
      upstream,
      zone: config.service.timeZone,
      projects: null,
      known: () => [],
      troubles: null,
      clock,
      signal,
    }),
  );
  const findings = zoneFindings(proof);
  return {
    isRight: findings.every(({ verdict }) => verdict === "fine"),
    said: findings.map(({ what }) => `${what}.`).join(" "),
  };
}

function configText({ baseUrl, contact, timeZone }: SetupAnswers, projects: ProjectChoice): string {
  const service = { baseUrl, apiKeyFile: `./${keyFile}`, contact, timeZone };
  const chosen = projects === "discover" ? {} : { projects: projects.map((id) => ({ id })) };
  return `${JSON.stringify({ service, ...chosen }, null, 2)}\n`;
}

/** Writes both files, readable by their owner only; keeps existing ones unless they may be replaced. */
function write(
  answers: SetupAnswers,
  {
    projects,
    mayReplace,
    cwd,
  }: { readonly projects: ProjectChoice; readonly mayReplace: boolean; readonly cwd: string },
): SetupWrite {
  // The configuration comes last: once it exists, a start skips the setup.
  const contents = [
    [join(cwd, keyFile), `${answers.apiKey}\n`],
    [join(cwd, configFile), configText(answers, projects)],
  ] as const;
  const files = contents.map(([file]) => file);
  const there = files.find((file) => existsSync(file));
  if (there !== undefined && !mayReplace) return { kind: "exists", file: there };
  try {
    mkdirSync(join(cwd, "secrets"), { recursive: true, mode: 0o700 });
    for (const [file, text] of contents) {
      // An overwritten file would keep its permissions.
      rmSync(file, { force: true });
      writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    }
  } catch (error) {
    return { kind: "failed", problem: messageOf(error) };
  }
  return { kind: "written", files, adminToken: join(cwd, "data", "admin-token") };
}
