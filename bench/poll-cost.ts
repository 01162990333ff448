// What a poll of one list costs on the main thread, beside the least that comparing its rows by hash would cost:
// JSON.stringify and SHA-1 of each row. The sandbox runs in a process of its own; what Node alone spends on receiving the same
// answer is measured in turn and taken off.
// Usage: node bench/poll-cost.ts [tasks=10000] [rounds=9]
// Ends with 1 when an unchanged list costs more than 0.3 of that, one with a change more than 3, when an unchanged list wrote
// anything, or when one turn of the event loop took more than 50 ms in the first reading or in one with a change. Turns are measured
// in processor time of the main thread, as is all else, so that a busy machine counts less.
import { fork } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createEventLoopBudget } from "@dayferry/event-loop";

import { listId, projectId, serviceId } from "../src/domain/ids.ts";
import { knownValuesIn } from "../src/store/mirror/mirror.ts";
import { openStore } from "../src/store/store.ts";
import { DeletionChecks } from "../src/sync/deletion-checks.ts";
import { Poller } from "../src/sync/poller.ts";
import { SourceList } from "../src/sync/source-list.ts";
import { createUpstream } from "../src/upstream/client.ts";
import { zone } from "../test/support/items.ts";
import { ownerOf, testSandbox } from "../test/support/sandbox.ts";
import { numbersOf } from "./options.ts";

const quota = { requests: 1000, perMs: 100 };
const clock = () => Temporal.Now.instant();

if (process.argv[2] === "serve") await serve(Number(process.argv[3]));
else await measure(numbersOf({ tasks: 10_000, rounds: 9 }));

/** The sandbox with one list of so many tasks; tells where it is. */
async function serve(tasks: number): Promise<void> {
  const sandbox = await testSandbox({ quota });
  const [place] = sandbox.workspace.places();
  const project = place?.project ?? 0;
  const list = place?.lists[0] ?? 0;
  const by = ownerOf(sandbox);
  for (let n = 0; n < tasks; n += 1) {
    sandbox.workspace.tasks.create(
      { by, project, list },
      {
        title: `Prepare delivery ${n} for the northern stores`,
        description: `<p>Check the papers of lot ${n}, "fragile" parts first.<br>Then call Ana.</p>`,
        start_date: n % 3 === 0 ? "2027-01-01" : null,
        due_date: n % 2 === 0 ? `2027-0${1 + (n % 9)}-1${n % 10}` : null,
        estimated_hours: n % 7,
        assigned: [by],
      },
    );
  }
  const { baseUrl, uploadUrl, keys } = sandbox;
  process.send?.({ baseUrl, uploadUrl, apiKey: keys[0]?.apiKey, project, list });
}

async function measure({
  tasks,
  rounds,
}: {
  readonly tasks: number;
  readonly rounds: number;
}): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ["serve", String(tasks)]);
  const [{ baseUrl, uploadUrl, apiKey, project, list }] = await once(child, "message");
  const migrations = fileURLToPath(new URL("../migrations", import.meta.url));
  const store = openStore({ file: ":memory:", migrations, zone, clock, randomId: randomUUID });
  const upstream = createUpstream({
    baseUrl,
    uploadUrl,
    apiKey,
    keyOf: () => null,
    contact: "bench@example.com",
    timeZone: zone,
    quota: { requests: quota.requests, per: Temporal.Duration.from({ milliseconds: quota.perMs }) },
    timeout: Temporal.Duration.from({ seconds: 60 }),
    clock,
    monotonic: () => performance.now(),
    random: Math.random,
    history: store.gateSlots,
    known: knownValuesIn(store),
    onEvent: () => undefined,
  });
  const sources = new SourceList(store, clock);
  const maxAge = Temporal.Duration.from({ minutes: 15 });
  const deps = { store, upstream, sources, clock, maxAge, report: () => undefined };
  const poller = new Poller({
    ...deps,
    scope: { projects: "discover", people: [], discoverPeople: true },
    deletionChecks: new DeletionChecks(deps),
    pace: () => 2.5,
    onTasks: () => undefined,
    onRead: () => undefined,
    eventLoop: createEventLoopBudget(),
  });
  const place = { projectId: projectId(project), listId: listId(list) };
  sources.put({ kind: "tasks", ...place }, null);
  const name = `tasks:${list}`;
  const { signal } = new AbortController();
  const poll = () => poller.poll(name, signal);
  const url = `${baseUrl}/projects/${project}/todolists/${list}/tasks`;
  const receive = async () => {
    const headers = { "x-api-key": apiKey, "user-agent": "Dayferry bench (bench@example.com)" };
    const [answer] = await once(get(url, { headers }), "response");
    return buffer(answer);
  };

  const firstTurn = await longestTurn(poll);
  const rows: readonly unknown[] = JSON.parse((await receive()).toString());
  const octets = (await receive()).byteLength;
  const floor = () => {
    for (const row of rows) createHash("sha1").update(JSON.stringify(row)).digest("hex");
  };
  const ids = rows.flatMap((row) => (isRow(row) ? [row.id] : []));
  const taken: Record<"floor" | "receive" | "unchanged" | "changed", Sample[]> = {
    floor: [],
    receive: [],
    unchanged: [],
    changed: [],
  };
  await poll();
  const written = store.mirror.watch(name);
  let wrote = 0;
  let changedTurn = 0;
  for (let round = 0; round < rounds; round += 1) {
    taken.floor.push(await timed(async () => floor()));
    taken.receive.push(await timed(receive));
    written.restart();
    const revision = store.changes.latest();
    taken.unchanged.push(await timed(poll));
    wrote += written.touched.size + store.changes.latest() - revision;
    const id = serviceId(ids[(round * 997) % ids.length] ?? 0);
    const title = `Changed in round ${round}`;
    await upstream.tasks.update({ ...place, id, patch: { title } }, { priority: "edit" });
    if (round % 3 === 2) changedTurn = Math.max(changedTurn, await longestTurn(poll));
    else taken.changed.push(await timed(poll));
    if (!written.touched.has(id) || written.touched.size !== 1) {
      throw new Error("one row was to change");
    }
    written.restart();
  }
  await upstream.close();
  store.close();
  child.kill();

  const ratio = (kind: "unchanged" | "changed") =>
    median(
      taken[kind].map(
        ({ cpuMs }, n) => (cpuMs - (taken.receive[n]?.cpuMs ?? 0)) / (taken.floor[n]?.cpuMs ?? 1),
      ),
    );
  const row = (samples: readonly Sample[]) => ({
    "CPU ms": round(median(samples.map(({ cpuMs }) => cpuMs))),
    "wall ms": round(median(samples.map(({ wallMs }) => wallMs))),
  });
  console.log(`one list of ${tasks} tasks, ${(octets / 1e6).toFixed(2)} MB, ${rounds} rounds`);
  console.table({
    "stringify and SHA-1": row(taken.floor),
    "receive only": row(taken.receive),
    "unchanged poll": { ...row(taken.unchanged), "x floor": round(ratio("unchanged")) },
    "poll with a change": { ...row(taken.changed), "x floor": round(ratio("changed")) },
  });
  console.log(
    `longest turn: first reading ${round(firstTurn)} ms, a change ${round(changedTurn)} ms`,
  );
  const turn = Math.max(firstTurn, changedTurn);
  const misses = [
    ...(ratio("unchanged") <= 0.3 ? [] : ["unchanged: more than 0.3 of the floor"]),
    ...(ratio("changed") <= 3 ? [] : ["one change: more than 3 times the floor"]),
    ...(wrote === 0 ? [] : [`an unchanged list wrote ${wrote} rows`]),
    ...(turn <= 50 ? [] : [`one turn took ${round(turn)} ms`]),
  ];
  for (const miss of misses) console.log(`missed: ${miss}`);
  process.exitCode = misses.length > 0 ? 1 : 0;
}

interface Sample {
  readonly cpuMs: number;
  readonly wallMs: number;
}

async function timed(work: () => Promise<unknown>): Promise<Sample> {
  await sleep(20);
  const begun = performance.now();
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - begun };
}

/** The processor time of the longest turn of the event loop, in milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  await sleep(5);
  return longest;
}

function isRow(value: unknown): value is { readonly id: number } {
  return (
    typeof value === "object" && value !== null && "id" in value && typeof value.id === "number"
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
