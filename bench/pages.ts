// How long the daemon takes for each page: requests one after the other from a browser's session, on a data directory with 50
// projects, 1,000 lists and as many tasks as said; the service is out meanwhile, so that nothing else is done. Then what
// open pages cost that follow what changes, while nothing does.
//   npx node bench/pages.ts [tasks=50000] [requests=200] [streams=1000]
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listId, personId, projectId } from "../src/domain/ids.ts";
import type { Source } from "../src/domain/source.ts";
import { createLog } from "../src/log.ts";
import { startDaemon } from "../src/serve.ts";
import type { Store } from "../src/store/store.ts";
import { aPerson, aProject, aTask, aTodolist } from "../test/support/items.ts";
import { modulesOn } from "../test/support/modules.ts";
import { testSandbox } from "../test/support/sandbox.ts";
import { numbersOf } from "./options.ts";

const { tasks, requests, streams } = numbersOf({ tasks: 50_000, requests: 200, streams: 1000 });
const [projects, listsOfEach, members] = [50, 20, 40];
const goalMs = 30;
/** So many pages of one log-in may follow what changes. */
const streamsOfEach = 30;

const folder = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
const stop = new AbortController();
const sandbox = await testSandbox();
await sandbox.close();
const log = createLog({ level: "silent" });
const modules = modulesOn(sandbox, { folder, log, config: { http: { port: 0 } } });
const today = Temporal.Now.plainDateISO("Europe/Berlin");
fill(modules.store);
const daemon = await startDaemon({
  config: modules.config,
  modules,
  version: "0.0.0",
  signal: stop.signal,
});
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const cookie = await logIn();

const pages = await pathsOfPages();
console.log(`${tasks} tasks, ${requests} requests for each page, one after the other`);
const rows = [];
for (const path of pages) rows.push(await measure(path));
console.table(rows);
const slow = rows.filter((row) => row["p95 ms"] > goalMs).map(({ page }) => page);
console.log(slow.length === 0 ? `every p95 is under ${goalMs} ms` : `not met: ${slow.join(", ")}`);
await measureStreams();
stop.abort();
agent.destroy();
await daemon.done;
rmSync(folder, { recursive: true });

function fill(store: Store): void {
  const { directory, mirror, sources, rounds } = store;
  const people = Array.from({ length: members }, (_, nth) => aPerson(11 + nth, `Person ${nth}`));
  const ids = Array.from({ length: projects }, (_, nth) => 2001 + nth);
  store.together(() => {
    directory.putPeople(people, true);
    directory.putProjects(
      ids.map((id) => aProject(id, `Project ${id}`)),
      true,
    );
    for (const [index, id] of ids.entries()) {
      const project = projectId(id);
      const lists = Array.from(
        { length: listsOfEach },
        (_, nth) => 3001 + index * listsOfEach + nth,
      );
      directory.putTodolists(
        project,
        lists.map((list) => aTodolist(list, { projectId: project })),
        true,
      );
      const own: Source[] = [
        { kind: "events", projectId: project },
        ...lists.map(
          (list): Source => ({ kind: "tasks", projectId: project, listId: listId(list) }),
        ),
      ];
      sources.put(own);
      for (const source of own) {
        sources.attempted(source, Temporal.Now.instant());
        sources.succeeded(source, { items: 1, gaps: null });
      }
      rounds.projectRead(project);
    }
  });
  for (let first = 0; first < tasks; first += 1000) {
    store.together(() => {
      for (let nth = first; nth < Math.min(tasks, first + 1000); nth++) {
        const list = nth % (projects * listsOfEach);
        const task = aTask(100_000 + nth, {
          title: `Task ${nth}`,
          projectId: projectId(2001 + Math.floor(list / listsOfEach)),
          listId: listId(3001 + list),
          assigned: [personId(11 + (nth % members))],
          dueOn: today.add({ days: (nth % 400) - 200 }),
        });
        mirror.put(task, `tasks:${3001 + list}`);
      }
    });
  }
}

async function logIn(): Promise<string> {
  const { headers } = await ask(`/?token=${daemon.adminToken}`, "");
  return String(headers["set-cookie"]).split(";", 1).join("");
}

/** Those of the navigation. */
async function pathsOfPages(): Promise<readonly string[]> {
  const { text } = await ask("/", cookie);
  const menu = /aria-label="Pages">(.*?)<\/nav>/s.exec(text)?.[1] ?? "";
  return [...menu.matchAll(/href="\.\/([^"]*)"/g)].map(([, path = ""]) => `/${path}`);
}

async function measure(path: string) {
  for (let nth = 0; nth < 5; nth++) await ask(path, cookie);
  const times: number[] = [];
  let octets = 0;
  for (let nth = 0; nth < requests; nth++) {
    const began = performance.now();
    const { status, text } = await ask(path, cookie);
    times.push(performance.now() - began);
    octets = text.length;
    if (status !== 200) throw new Error(`${path} was answered ${status}`);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => round(times[Math.floor(part * times.length)] ?? 0);
  return {
    page: path,
    "p50 ms": at(0.5),
    "p95 ms": at(0.95),
    "longest ms": at(0.999),
    kB: round(octets / 1000),
  };
}

/** Processor time of this process, which is the daemon and the browsers at once. */
async function measureStreams(): Promise<void> {
  const before = await restingShare();
  const open: IncomingMessage[] = [];
  for (let nth = 0; open.length < streams && nth < members; nth++) {
    const as = await logInAs(11 + nth);
    for (let page = 0; page < streamsOfEach; page++) open.push(await openStream(as));
  }
  const after = await restingShare();
  console.log(
    `at rest ${round(before * 100)} % of a core, with ${open.length} open pages ${round(after * 100)} %`,
  );
  for (const stream of open) stream.destroy();
}

/** The cookie of a person, who has got an app password for it. */
async function logInAs(person: number): Promise<string> {
  const body = new URLSearchParams({
    login: String(person),
    password: modules.accessControl.passwords.issue(personId(person)),
  });
  const answer = await fetch(`${daemon.url}/login`, { method: "POST", body, redirect: "manual" });
  return (answer.headers.get("set-cookie") ?? "").split(";", 1).join("");
}

function openStream(as: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${daemon.url}/live`, { agent, headers: { cookie: as } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`/live was answered ${answer.statusCode}`));
      answer.resume();
      answer.on("error", () => undefined);
      resolve(answer);
    }).on("error", reject);
  });
}

async function restingShare(): Promise<number> {
  const seconds = 20;
  const began = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6 / seconds;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

function ask(path: string, as: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(
      `${daemon.url}${path}`,
      { agent, headers: { cookie: as, accept: "text/html" } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const { statusCode: status = 0, headers } = answer;
          resolve({ status, headers, text: Buffer.concat(chunks).toString() });
        });
      },
    ).on("error", reject);
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
