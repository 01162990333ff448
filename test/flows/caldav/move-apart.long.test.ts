import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { insist } from "../../../src/sandbox/work-outcome.ts";
import { openStore } from "../../../src/store/store.ts";
import { eventually } from "../../support/eventually.ts";
import { migrations } from "../../support/test-store.ts";
import { killableDaemon } from "./killable-daemon.ts";
import type { CalendarProgram } from "./program.ts";

// A program moves tasks by deleting them in one list and putting them into the other, and the daemon's own process dies
// after the first half, or after the second.

const rig = killableDaemon({ agent: "Files/1" });

describe("kill -9 in a move by DELETE and PUT", () => {
  it.each(["after the deletion", "after both"])(
    "%s: the task is moved once, with its subtask and its comment, and old tokens tell of it",
    async (moment) => {
      const [near, far] = places();
      const id = prepare(moment);
      await rig.sweep();
      const program = rig.newProgram();
      await program.discover();
      await eventually("task and subtask are shown", async () => {
        await program.sync(near.slug, {});
        return membersOf(program, moment).length === 2 ? true : null;
      });
      const past = program.calendar(near.slug).pasts.at(-1);
      const [[name, copy] = ["", { octets: "", etag: "" }]] = membersOf(program, moment);
      rig.sandbox.requests.clear();
      const headers = { "if-match": copy.etag };
      const gone = await program.call(`DELETE ${program.address(near.slug, name)}`, { headers });
      expect(gone.status).toBe(204);
      if (moment === "after the deletion") {
        await rig.kill();
        restLonger();
        await rig.start();
      }
      const put = await rig.newProgram().call(`PUT ${program.address(far.slug, name)}`, {
        headers: { "content-type": "text/calendar; charset=utf-8", "if-none-match": "*" },
        body: copy.octets,
      });
      expect([put.status, put.headers.etag]).toEqual([201, expect.stringMatching(/^"/)]);
      if (moment === "after both") {
        await rig.kill();
        await rig.start();
      }

      await eventually("the task has moved", () =>
        tasksIn(far).some((task) => task.id === id) ? true : null,
      );
      await eventually("every edit has ended", async () => {
        const states = await rig.states();
        return states.every((state) => ["confirmed", "discarded"].includes(state)) ? true : null;
      });
      expect(tasksIn(near)).toEqual([]);
      const moved = tasksIn(far).filter(({ title }) => title === `Task ${moment}`);
      expect(moved).toMatchObject([{ id, comments: 1, sub_tasks: 1 }]);
      expect(rig.sandbox.requests.entries().filter(({ method }) => method === "DELETE")).toEqual(
        [],
      );
      if (!past) throw new Error("there is no old token");
      expect(await rig.newProgram().sinceThen(near.slug, past)).toEqual(new Map());
      const reader = rig.newProgram();
      await reader.discover();
      await reader.sync(far.slug, {});
      expect([...reader.calendar(far.slug).copies.keys()]).toContain(name);
    },
  );
});

/** However long the start of the daemon takes: the deletion rests until the program has gone on. */
function restLonger(): void {
  const clock = () => Temporal.Now.instant();
  const store = openStore({
    file: join(rig.dataDir, "dayferry.sqlite"),
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
  ] = rig.sandbox.workspace.places();
  const at = (list: number) => ({ project, list, slug: `tasks-${list}` });
  return [at(near), at(far)] as const;
}

/** A task with a subtask and a comment. Returns its number. */
function prepare(moment: string): number {
  const [{ project, list }] = places();
  const by = { by: rig.owner(), project, list };
  const { tasks, subtasks, comments } = rig.sandbox.workspace;
  const { id } = insist(tasks.create(by, { title: `Task ${moment}`, due_date: "2027-02-01" }));
  insist(subtasks.create({ ...by, task: id }, { title: `Child ${moment}` }));
  insist(comments.create({ ...by, task: id }, { description: "Keep me" }));
  return id;
}

const tasksIn = ({ project, list }: ReturnType<typeof places>[number]) =>
  insist(rig.sandbox.workspace.tasks.list({ by: rig.owner(), project, list }));

/** Task and subtask of a test, the task first. */
const membersOf = (program: CalendarProgram, moment: string) =>
  [...program.calendar(places()[0].slug).copies]
    .filter(([, { octets }]) => octets.includes(moment))
    .toSorted(([, a]) => (a.octets.includes(`Task ${moment}`) ? -1 : 1));
