// Stores the database of a version of Dayferry, with a little of everything in it; test/store/kept-databases.test.ts opens it with
// every later version. Run it once for each migration, with a checkout that ends at that migration and has its packages installed.
//   node scripts/keep-database.ts CHECKOUT      writes test/store/kept-databases/NNNN.sqlite.gz
// The daemon of that checkout reads today's sandbox; it is used through what never changes: HTTP, CalDAV, the configuration.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startSandbox } from "@dayferry/sandbox";
import Database from "better-sqlite3";
import { eventually, eventuallyWithin } from "../test/support/eventually.ts";

const [checkout = "."] = process.argv.slice(2);
const program = ["src/dayferry.ts", "src/main.ts"]
  .map((file) => join(checkout, file))
  .find((file) => existsSync(file) && /^#!/.test(readFileSync(file, "utf8")));
if (program === undefined) throw new Error(`${checkout} is no checkout of Dayferry`);

const folder = mkdtempSync(join(tmpdir(), "dayferry-keep-"));
const dataDir = join(folder, "data");
const configFile = join(folder, "config.json");
const sandbox = await startSandbox({
  seed: 1,
  size: "empty",
  discovery: true,
  port: 0,
  timeZone: "Europe/Berlin",
  clock: () => Temporal.Now.instant(),
  quota: { requests: 25, perMs: 200 },
});
const by = sandbox.keys[0]?.personId ?? 0;
const [place] = sandbox.workspace.places();
if (!place) throw new Error("the sandbox has no project");
const { project, lists } = place;
const today = Temporal.Now.plainDateISO("UTC");
const day = (days: number) => today.add({ days }).toString();

function furnish(): void {
  const { events, tasks, subtasks, comments } = sandbox.workspace;
  events.create(
    { by, project },
    { title: "Kept day", start: day(40), end: day(41), all_day: true },
  );
  events.create({ by, project }, { title: "Kept milestone", start: day(50), milestone: true });
  for (const list of lists) {
    const task = tasks.create(
      { by, project, list },
      { title: `Kept task ${list}`, due_date: day(30), description: "Two <b>words</b>" },
    );
    const where = { by, project, list, task: task.id };
    subtasks.create(where, { title: `Kept subtask ${list}`, due_date: day(31) });
    comments.create(where, { description: "A word on it" });
  }
}

function configure(mode: "apply" | "review"): void {
  const service = {
    baseUrl: sandbox.baseUrl,
    uploadUrl: sandbox.uploadUrl,
    apiKey: sandbox.keys[0]?.apiKey,
    contact: "kept@example.com",
    timeZone: sandbox.timeZone,
    quota: { requests: 25, per: "PT0.2S" },
  };
  const http = { host: "127.0.0.1", port: 0 };
  writeFileSync(configFile, JSON.stringify({ dataDir, service, http, edits: { mode } }));
}

let running: ChildProcess | null = null;
let url = "";
let said = "";

async function start(): Promise<void> {
  said = "";
  const child = spawn(process.execPath, [String(program), "serve", "--config", configFile], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  running = child;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  url = await eventually("the daemon listens", () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said}`);
    return /"url":"(http:[^"]+)"/.exec(said)?.[1] ?? null;
  });
}

async function stop(): Promise<void> {
  const child = running;
  running = null;
  if (!child || child.exitCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
}

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const token = readFileSync(join(dataDir, "admin-token"), "utf8").trim();
  const headers = new Headers(init.headers);
  if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
  return fetch(`${url}${path}`, { ...init, headers });
}

const calendar = (uid: string, lines: readonly string[]) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//kept//EN",
    "BEGIN:VEVENT",
    `UID:${uid}@kept.example`,
    "DTSTAMP:20260101T000000Z",
    `DTSTART;VALUE=DATE:${day(60).replaceAll("-", "")}`,
    ...lines,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");

async function upload(uid: string, ...lines: readonly string[]): Promise<void> {
  const answer = await ask(`/api/edits?project=${project}`, {
    method: "POST",
    headers: { "content-type": "text/calendar" },
    body: calendar(uid, lines),
  });
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
}

const settled = (state: string, count: number) =>
  eventually(`${count} edits are ${state}`, async () => {
    const { edits } = Object(await (await ask(`/api/edits?state=${state}`)).json());
    return edits.length >= count ? true : null;
  });

/** A PUT by a calendar program, if that version has calendars. */
async function put(): Promise<boolean> {
  const made = await ask(`/api/people/${by}/password`, { method: "POST" });
  if (!made.ok) return false;
  const { password } = Object(await made.json());
  const authorization = `Basic ${Buffer.from(`${by}:${password}`).toString("base64")}`;
  const answer = await ask(`/dav/calendars/${by}/events-${project}/by-program.ics`, {
    method: "PUT",
    headers: { authorization, "content-type": "text/calendar; charset=utf-8" },
    body: calendar("by-program", ["SUMMARY:Kept by a program", "LOCATION:Room 5", "X-OWN:kept"]),
  });
  return answer.ok;
}

async function fill(): Promise<readonly string[]> {
  await start();
  await eventuallyWithin(60_000, "it is read", async () =>
    (await ask("/readyz")).ok ? true : null,
  );
  await upload("one", "SUMMARY:Kept one");
  await upload("two", "SUMMARY:Kept two");
  await upload("gone", "SUMMARY:Kept no more");
  await settled("confirmed", 3);
  await upload("one", "SUMMARY:Kept one, changed");
  await upload("gone", "SUMMARY:Kept no more", "STATUS:CANCELLED");
  await settled("confirmed", 5);
  const hasCalendars = await put();
  if (hasCalendars) await settled("confirmed", 6);
  const { feeds } = Object(await (await ask("/api/feeds")).json());
  for (const feed of feeds) await (await fetch(feed.url)).text();

  sandbox.faults.add({ kind: "status", status: 422, method: "POST", path: /events/, times: 9 });
  await upload("parked", "SUMMARY:Kept apart");
  await settled("parked", 1);
  sandbox.faults.clear();
  sandbox.faults.add({ kind: "status", status: 503, times: 1_000_000 });
  await upload("waiting", "SUMMARY:Kept waiting");
  await upload("two", "SUMMARY:Kept two, changed");
  await stop();

  configure("review");
  await start();
  await upload("held", "SUMMARY:Kept for approval");
  await stop();
  return [`${feeds.length} feeds`, hasCalendars ? "with calendars" : "without calendars"];
}

try {
  furnish();
  configure("apply");
  const told = await fill();
  const newest = readdirSync(join(checkout, "migrations")).toSorted().at(-1)?.slice(0, 4);
  const kept = join(folder, "kept.sqlite");
  const db = new Database(join(dataDir, "dayferry.sqlite"));
  db.prepare("VACUUM INTO ?").run(kept);
  db.close();
  const target = join(import.meta.dirname, "../test/store/kept-databases");
  mkdirSync(target, { recursive: true });
  const bytes = gzipSync(readFileSync(kept), { level: 9 });
  writeFileSync(join(target, `${newest}.sqlite.gz`), bytes);
  console.log(`${newest}: ${bytes.length} bytes, ${told.join(", ")}`);
} finally {
  await stop();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}
