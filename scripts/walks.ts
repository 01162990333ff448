// Runs the four walks of docs/architecture.md on a small workspace and records, with the engine's coverage, which files of src/ were
// executed. Everything runs in this process with nothing else going on; the sandbox, which stands in for the service, is not counted.
// Each walk runs twice: the first run fills caches (compiled patterns, prepared statements), and the second one counts.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createCaldavServer } from "@dayferry/caldav-server";
import { playChange } from "@dayferry/sandbox";
import express from "express";
import { type Call, type Client, createClient, type Reply } from "../bench/caldav/client.ts";
import { parseConfig } from "../src/config/load.ts";
import { personId } from "../src/domain/ids.ts";
import { feedRoutes } from "../src/http/feed-routes.ts";
import { createSharedCache } from "../src/http/shared-cache.ts";
import { createLog } from "../src/log.ts";
import { chooseMailer, mailSettings, openMailLinks } from "../src/modules/mailer.ts";
import { openModules } from "../src/modules/open-modules.ts";
import { createReminders } from "../src/reminders/reminders.ts";
import { ownerOf, testSandbox } from "../test/support/sandbox.ts";

/** The walks by their section titles in docs/architecture.md. */
export const walkNames = [
  "Poll to feed",
  "Edit to service",
  "Reminder",
  "A calendar program",
] as const;

/** The most files that a walk may execute, so that following it does not take longer with each change. A few more than today. */
export const mostFiles: Readonly<Record<(typeof walkNames)[number], number>> = {
  "Poll to feed": 127,
  "Edit to service": 153,
  Reminder: 57,
  "A calendar program": 129,
};

/** What was executed in one walk: paths below src/ with the number of functions of each, most first. */
export interface Walk {
  readonly name: (typeof walkNames)[number];
  readonly files: readonly { readonly file: string; readonly functions: number }[];
}

type Step = () => Promise<void>;

const zone = "Europe/Berlin";

/** Runs all walks within seconds. Throws if one does not finish. */
export async function takeWalks(): Promise<readonly Walk[]> {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-walks-"));
  const workspace = await openWorkspace(folder);
  try {
    return await count(stepsOf(workspace));
  } finally {
    await workspace.close();
    rmSync(folder, { recursive: true });
  }
}

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

/** A daemon's modules on a completely read sandbox, with feeds and calendars served over HTTP. */
async function openWorkspace(folder: string) {
  // Started shortly before midnight, a walk would end on another day.
  const begun = Temporal.Now.zonedDateTimeISO(zone);
  const noon = begun.withPlainTime("12:00");
  let aheadMs = noon.epochMilliseconds - begun.epochMilliseconds;
  const clock = () => Temporal.Now.instant().add({ milliseconds: aheadMs });
  const log = createLog({ level: "silent" });
  const stop = new AbortController();
  const sandbox = await testSandbox({
    size: "s",
    timeZone: zone,
    clock,
    quota: { requests: 10_000, perMs: 1 },
  });
  const config = parseConfig(
    {
      dataDir: folder,
      service: {
        baseUrl: sandbox.baseUrl,
        apiKey: sandbox.keys[0]?.apiKey ?? "",
        contact: "walks@example.com",
        timeZone: zone,
        quota: { requests: 100, per: "PT0.1S" },
      },
      reminders: { tasks: ["P1D"], at: "00:01" },
    },
    { folder, env: {}, cwd: folder },
  );
  if (!config.ok) throw new Error(JSON.stringify(config.failure));
  const runtime = { clock, monotonic: () => performance.now(), random: () => 0.5, log };
  const opened = openModules(config.value, runtime);
  if (!opened.ok) throw new Error(opened.failure);
  const modules = opened.value;
  await modules.sync.sweep({ signal: stop.signal });
  modules.feeds.ensure();

  const owner = personId(ownerOf(sandbox));
  const password = modules.people.setPassword(owner);
  if (password.kind !== "set") throw new Error("there is no app password");
  const { installation } = modules.store.meta;
  const sharedCache = createSharedCache({ config: null, installation, onServed() {} });
  const app = express()
    .use(feedRoutes({ feeds: modules.feeds, sharedCache, log }))
    .use(createCaldavServer({ ...modules.caldav, publicUrl: () => "http://127.0.0.1" }));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const program = createClient({ port, user: String(owner), password: password.password });
  const project = sandbox.workspace.places()[0]?.project ?? 0;
  return {
    modules,
    sandbox,
    program,
    home: `/dav/calendars/${owner}/`,
    calendar: `/dav/calendars/${owner}/events-${project}/`,
    signal: stop.signal,
    reminders: createReminders({
      ...mailSettings(config.value, openMailLinks(config.value, modules.keys)),
      store: modules.store,
      mailer: chooseMailer(config.value.mail),
      clock,
      random: runtime.random,
      options: config.value.reminders,
      webUrl: null,
      actions: null,
      swept: () => true,
      rereadAll: () => () => true,
      onEvent: () => undefined,
    }),
    passDay: () => {
      aheadMs += 24 * 3600 * 1000;
    },
    close: async () => {
      program.close();
      server.close();
      stop.abort();
      await modules.close();
      await sandbox.close();
    },
  };
}

/** Each walk as its first and second run. */
function stepsOf(workspace: Workspace): Readonly<Record<Walk["name"], Step>> {
  const { modules, sandbox, program, home, calendar, signal, reminders, passDay } = workspace;
  let nth = 0;
  let token = "";

  /** Somebody moves an event in the workspace; ends when a subscriber has it. */
  async function pollToFeed(): Promise<void> {
    playChange(sandbox.workspace, () => 0.05);
    await modules.sync.sweep({ signal });
    await ask(program, { method: "GET", path: modules.feeds.list()[0]?.path ?? "" });
  }

  /** A program changes an event; ends when the workspace has confirmed it. */
  async function editToService(): Promise<void> {
    await put("walk");
    while ((await modules.drain.step(signal)) === "worked");
  }

  /** Ends when every mail of a day is written; the second run is the next day. */
  async function remind(): Promise<void> {
    while ((await reminders.step(signal)) === "worked");
    passDay();
  }

  /** A program finds changes in a calendar, loads them, and puts a change of its own. */
  async function calendarProgram(): Promise<void> {
    const etag = await put("other");
    const names = `xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"`;
    const headers = { "Content-Type": "application/xml", Depth: "1" };
    const ctag = `<d:propfind ${names}><d:prop><d:displayname/><d:sync-token/></d:prop></d:propfind>`;
    await ask(program, { method: "PROPFIND", path: home, headers, body: ctag });
    const changed = `<d:sync-collection ${names}><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`;
    const report = { method: "REPORT", path: calendar, headers };
    const listed = await ask(program, { ...report, body: changed });
    token = /<d:sync-token>([^<]+)</.exec(listed.body)?.[1] ?? "";
    const hrefs = listed.body.match(/<d:href>[^<]+\.ics<\/d:href>/g)?.join("") ?? "";
    const load = `<c:calendar-multiget ${names}><d:prop><d:getetag/><c:calendar-data/></d:prop>${hrefs}</c:calendar-multiget>`;
    await ask(program, { ...report, body: load });
    await put("other", etag);
  }

  /** Returns the ETag of what was put; with the ETag of an earlier version it changes exactly that one. */
  async function put(name: string, match: string | null = null): Promise<string | null> {
    nth += 1;
    const { etag } = await ask(program, {
      method: "PUT",
      path: `${calendar}${name}.ics`,
      headers: { "Content-Type": "text/calendar", ...(match !== null && { "If-Match": match }) },
      body: eventText(name, nth),
    });
    return etag;
  }

  return {
    "Poll to feed": pollToFeed,
    "Edit to service": editToService,
    Reminder: remind,
    "A calendar program": calendarProgram,
  };
}

async function ask(program: Client, call: Call): Promise<Reply> {
  const reply = await program.call(call);
  const { status, body } = reply;
  if (status < 300) return reply;
  throw new Error(`${call.method} ${call.path} is answered by ${status}: ${body}`);
}

function eventText(name: string, nth: number): string {
  const hour = 10 + (nth % 10);
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Walks//EN",
    "BEGIN:VEVENT",
    `UID:${name}@example.com`,
    `SUMMARY:Walk ${nth}`,
    `DTSTART;TZID=${zone}:20270301T${hour}0000`,
    `DTEND;TZID=${zone}:20270301T${hour}3000`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ];
  return lines.join("\r\n");
}

/** Runs each step twice and reports what was executed the second time. */
async function count(steps: Readonly<Record<Walk["name"], Step>>): Promise<readonly Walk[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const walks: Walk[] = [];
  for (const name of walkNames) {
    await steps[name]();
    await session.post("Profiler.takePreciseCoverage");
    await steps[name]();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    walks.push({ name, files: result.flatMap(ranOf).toSorted(byFunctions) });
  }
  session.disconnect();
  return walks;
}

const src = fileURLToPath(new URL("../src/", import.meta.url));

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

function ranOf(script: ScriptCoverage): Walk["files"] {
  if (!script.url.startsWith("file:")) return [];
  // Files of packages by the package's name.
  const file = relative(src, fileURLToPath(script.url)).replace(
    /^\.\.\/packages\/([\w-]+)\/src\//,
    "$1/",
  );
  const functions = script.functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length;
  return functions > 0 && !/^(\.\.|sandbox\/)/.test(file) ? [{ file, functions }] : [];
}

const byFunctions = (a: Walk["files"][number], b: Walk["files"][number]): number =>
  b.functions - a.functions;
