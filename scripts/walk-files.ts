// Which files of src/ run code in one walk, by the coverage of the engine: a changing PUT of a calendar program until the
// workspace has it, a sweep that finds one change until a feed shows it, and a reminder until its mail is written.
//   node scripts/walk-files.ts [--list]      Prints a row per walk; with --list the files of each, most functions first.
// Everything but the sandbox is counted, in one process, with nothing else going on. A first run of each walk warms up
// what is made once (compiled patterns, prepared statements); the second one is counted.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import express from "express";
import { createClient } from "../bench/caldav/client.ts";
import { openRooms } from "../src/build-daemon.ts";
import { createDavRouter } from "../src/caldav/router.ts";
import { parseConfig } from "../src/config/load.ts";
import { personId } from "../src/domain/ids.ts";
import { feedRoutes } from "../src/http/feed-routes.ts";
import { createLog } from "../src/log.ts";
import { chooseMailer, openMailLinks, openRecipients } from "../src/mailer.ts";
import { createReminders } from "../src/reminders/reminders.ts";
import { playChange } from "../src/sandbox/play.ts";
import { startSandbox } from "../src/sandbox/server.ts";

const src = fileURLToPath(new URL("../src/", import.meta.url));
const zone = "Europe/Berlin";
const folder = mkdtempSync(join(tmpdir(), "dayferry-walks-"));
let leadMs = 0;
const clock = () => Temporal.Now.instant().add({ milliseconds: leadMs });
const monotonic = () => performance.now();
const log = createLog({ level: "silent" });
const stop = new AbortController();

const sandbox = await startSandbox({
  seed: 1,
  size: "s",
  discovery: true,
  port: 0,
  timeZone: zone,
  clock,
});
const apiKey = sandbox.keys[0]?.apiKey ?? "";
const config = parseConfig(
  {
    dataDir: folder,
    service: {
      baseUrl: sandbox.baseUrl,
      apiKey,
      contact: "walks@example.com",
      timeZone: zone,
      quota: { requests: 25, per: "PT0.2S" },
    },
    reminders: { tasks: ["P1D"], at: "00:01" },
  },
  { folder, env: {}, cwd: folder },
);
if (!config.ok) throw new Error(JSON.stringify(config.failure));
const opened = openRooms(config.value, { clock, monotonic, random: () => 0.5, log });
if (!opened.ok) throw new Error(opened.failure);
const rooms = opened.value;
await rooms.sync.sweep({ signal: stop.signal });
rooms.feeds.ensure();

const owner = personId(sandbox.keys[0]?.personId ?? 0);
const project = sandbox.workspace.places()[0]?.project ?? 0;
const password = rooms.people.setPassword(owner);
if (password.kind !== "set") throw new Error("there is no app password");
const app = express()
  .use(feedRoutes({ feeds: rooms.feeds, clock, log }))
  .use(createDavRouter({ ...rooms.dav, publicUrl: () => "http://127.0.0.1", log }));
const server = createServer(app);
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const port = typeof address === "object" && address ? address.port : 0;
const program = createClient({ port, user: String(owner), password: password.password });

const reminders = createReminders({
  ...openRecipients(config.value, openMailLinks(config.value)),
  store: rooms.store,
  mailer: chooseMailer(config.value.mail),
  clock,
  random: () => 0.5,
  options: config.value.reminders,
  webUrl: null,
  actions: null,
  swept: () => true,
  readAnew: () => () => true,
  onEvent: () => undefined,
});

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

let nth = 0;
await put();
await report("PUT to workspace", put);
await sweepToFeed();
await report("change to feed", sweepToFeed);
await remind();
leadMs += 24 * 3600 * 1000;
await report("reminder to mail", remind);

program.close();
server.close();
stop.abort();
await rooms.close();
await sandbox.close();
rmSync(folder, { recursive: true });
process.exit();

/** A calendar program changes an event that it made before; ends when the workspace has confirmed it. */
async function put(): Promise<void> {
  nth += 1;
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Walks//EN",
    "BEGIN:VEVENT",
    "UID:walk@example.com",
    `SUMMARY:Walk ${nth}`,
    `DTSTART;TZID=${zone}:20270301T1${nth % 10}0000`,
    `DTEND;TZID=${zone}:20270301T1${nth % 10}3000`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ];
  const { status, body } = await program.call({
    method: "PUT",
    path: `/dav/calendars/${owner}/events-${project}/walk.ics`,
    headers: { "Content-Type": "text/calendar" },
    body: lines.join("\r\n"),
  });
  if (status !== 201 && status !== 204) throw new Error(`answered by ${status}: ${body}`);
  while ((await rooms.drain.step(stop.signal)) === "worked");
}

/** Somebody moves an event in the workspace; ends when a subscriber has it. */
async function sweepToFeed(): Promise<void> {
  playChange(sandbox.workspace, () => 0.05);
  await rooms.sync.sweep({ signal: stop.signal });
  const path = rooms.feeds.list()[0]?.path ?? "";
  const answer = await program.call({ method: "GET", path });
  if (answer.status !== 200) throw new Error(`the feed answers ${answer.status}`);
}

async function remind(): Promise<void> {
  while ((await reminders.step(stop.signal)) === "worked");
}

/** Prints the files in which a function ran meanwhile. */
async function report(walk: string, take: () => Promise<void>): Promise<void> {
  await session.post("Profiler.takePreciseCoverage");
  await take();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = result
    .filter(({ url }) => url.startsWith("file:"))
    .map(({ url, functions }) => ({
      file: relative(src, fileURLToPath(url)),
      functions: functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length,
    }))
    .filter(({ file, functions }) => functions > 0 && !/^(\.\.|sandbox)/.test(file))
    .toSorted((a, b) => b.functions - a.functions);
  const functions = files.reduce((sum, file) => sum + file.functions, 0);
  console.log(`${walk}: ${files.length} files, ${functions} functions`);
  if (process.argv.includes("--list")) console.table(files);
}
