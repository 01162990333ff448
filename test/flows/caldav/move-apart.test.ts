import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/sandbox/server.ts";
import { insist } from "../../../src/sandbox/work-outcome.ts";
import { openStore } from "../../../src/store/store.ts";
import { type Daemon, type Installation, install, serve } from "../../support/dayferry.ts";
import { eventually } from "../../support/eventually.ts";
import { migrations } from "../../support/test-store.ts";
import { CalendarProgram } from "./program.ts";

// A program moves tasks by deleting them in one list and putting them into the other, and the daemon's own process dies
// after the first half, or after the second.

let sandbox: Sandbox;
let place: Installation;
let daemon: Daemon;
let password: string;

beforeAll(async () => {
  sandbox = await startSandbox({
    seed: 1,
    size: "empty",
    discovery: true,
    port: 0,
    timeZone: "Europe/Berlin",
    clock: () => Temporal.Now.instant(),
    quota: { requests: 200, perMs: 500 },
  });
  place = install(sandbox);
  daemon = await serve(place);
  const answer = await daemon.ask(`/api/people/${owner()}/password`, { method: "POST" });
  ({ password } = JSON.parse(await answer.text()));
}, 30_000);

afterAll(async () => {
  await daemon.stop("SIGKILL");
  await sandbox.close();
  place.dispose();
});

describe("kill -9 in a move by DELETE and PUT", () => {
  it.each(["after the deletion", "after both"])(
    "%s: the task is moved once, with its subtask and its comment, and old tokens tell of it",
    async (moment) => {
      const [near, far] = places();
      const id = prepare(moment);
      await daemon.ask("/api/sync", { method: "POST" });
      const program = newProgram();
      await program.discover();
      await eventually("task and subtask are shown", async () => {
        await program.sync(near.slug, {});
        return membersOf(program, moment).length === 2 ? true : null;
      });
      const past = program.calendar(near.slug).pasts.at(-1);
      const [[name, copy] = ["", { octets: "", etag: "" }]] = membersOf(program, moment);
      sandbox.requests.clear();
      const headers = { "if-match": copy.etag };
      const gone = await program.call(`DELETE ${program.address(near.slug, name)}`, { headers });
      expect(gone.status).toBe(204);
      if (moment === "after the deletion") {
        await daemon.stop("SIGKILL");
        restLonger();
        daemon = await serve(place);
      }
      const put = await newProgram().call(`PUT ${program.address(far.slug, name)}`, {
        headers: { "content-type": "text/calendar; charset=utf-8", "if-none-match": "*" },
        body: copy.octets,
      });
      expect([put.status, put.headers.etag]).toEqual([201, expect.stringMatching(/^"/)]);
      if (moment === "after both") await dieAndComeBack();

      await eventually("the task has moved", () =>
        tasksIn(far).some((task) => task.id === id) ? true : null,
      );
      await eventually("every edit has ended", async () => {
        const { edits } = JSON.parse(await (await daemon.ask("/api/edits")).text());
        const states: readonly string[] = edits.map(({ state }: { state: string }) => state);
        return states.every((state) => ["confirmed", "discarded"].includes(state)) ? true : null;
      });
      expect(tasksIn(near)).toEqual([]);
      const moved = tasksIn(far).filter(({ title }) => title === `Task ${moment}`);
      expect(moved).toMatchObject([{ id, comments: 1, sub_tasks: 1 }]);
      expect(sandbox.requests.entries().filter(({ method }) => method === "DELETE")).toEqual([]);
      if (!past) throw new Error("there is no old token");
      expect(await newProgram().sinceThen(near.slug, past)).toEqual(new Map());
      const reader = newProgram();
      await reader.discover();
      await reader.sync(far.slug, {});
      expect([...reader.calendar(far.slug).copies.keys()]).toContain(name);
    },
    40_000,
  );
});

async function dieAndComeBack(): Promise<void> {
  await daemon.stop("SIGKILL");
  daemon = await serve(place);
}

/** However long the start of the daemon takes: the deletion rests until the program has gone on. */
function restLonger(): void {
  const clock = () => Temporal.Now.instant();
  const store = openStore({
    file: join(place.dataDir, "dayferry.sqlite"),
    migrations,
    zone: "Europe/Berlin",
    clock,
    randomId: randomUUID,
  });
  const [deletion] = store.journal.list({ state: "pending", limit: 1 });
  expect(deletion).toMatchObject({ action: "delete", before: null });
  const notBefore = clock().add({ minutes: 5 });
  if (deletion) store.journal.settle(deletion, { kind: "retry", notBefore, problem: "rests" });
  store.close();
}

/** Two lists of one project. */
function places() {
  const [
    {
      project,
      lists: [near = 0, far = 0],
    } = { project: 0, lists: [] },
  ] = sandbox.workspace.places();
  const at = (list: number) => ({ project, list, slug: `tasks-${list}` });
  return [at(near), at(far)] as const;
}

/** A task with a subtask and a comment. Returns its number. */
function prepare(moment: string): number {
  const [{ project, list }] = places();
  const by = { by: owner(), project, list };
  const { tasks, subtasks, comments } = sandbox.workspace;
  const { id } = insist(tasks.create(by, { title: `Task ${moment}`, due_date: "2027-02-01" }));
  insist(subtasks.create({ ...by, task: id }, { title: `Child ${moment}` }));
  insist(comments.create({ ...by, task: id }, { description: "Keep me" }));
  return id;
}

const tasksIn = ({ project, list }: ReturnType<typeof places>[number]) =>
  insist(sandbox.workspace.tasks.list({ by: owner(), project, list }));

const owner = (): number => sandbox.keys[0]?.personId ?? 0;

const newProgram = (): CalendarProgram =>
  new CalendarProgram({
    port: Number(new URL(daemon.url).port),
    login: String(owner()),
    password,
    manner: "tokens",
    agent: "Files/1",
  });

/** Task and subtask of a test, the task first. */
const membersOf = (program: CalendarProgram, moment: string) =>
  [...program.calendar(places()[0].slug).copies]
    .filter(([, { octets }]) => octets.includes(moment))
    .toSorted(([, a]) => (a.octets.includes(`Task ${moment}`) ? -1 : 1));
