import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/sandbox/faults.ts";
import { insist, type Outcome } from "../../src/sandbox/work-outcome.ts";
import { type MoveRig, moveRig } from "../edits/delivery/move-rig.ts";
import { calendar, vevent, vtodo } from "../edits/rig.ts";
import { runs } from "../support/effort.ts";
import { expectView } from "./expect-view.ts";

// People move and change items in calendars and in the workspace at the same time, while lists are read, requests get
// lost and the daemon starts anew. In the end view and workspace are the same, and each item is there once.

const nth = fc.nat(20);
const fault = fc.record({
  fault: fc.constantFrom<Fault>(
    { kind: "drop-before" },
    { kind: "drop-after" },
    { kind: "status", status: 503 },
    { kind: "html" },
    { kind: "cut" },
    { kind: "cut", plain: true },
  ),
  method: fc.constantFrom("GET", "POST", "PUT", "PUT", "DELETE"),
  times: fc.integer({ min: 1, max: 5 }),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("move" as const), nth, to: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rename" as const), nth }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("child" as const), nth }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("play" as const),
      what: fc.constantFrom("rename", "move", "move", "remove"),
      nth,
      to: fc.nat(2),
    }),
  },
  { weight: 3, arbitrary: fault.map((how) => ({ kind: "fault" as const, ...how })) },
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constantFrom("drain", "drain", "sweep", "restart", "beside") }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Scene {
  readonly rig: MoveRig;
  /** Tokens that people in the workspace have deleted. */
  readonly deleted: Set<string>;
  made: number;
}

describe("a random walk of moves", () => {
  it("ends with the same everywhere, each item once", async () => {
    let confirmed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        const scene = await begin();
        for (const one of steps) await take(scene, one);
        await settle(scene.rig);
        await expectView(scene.rig, placesOf(scene.rig));
        expectOnce(scene);
        confirmed += scene.rig.states().filter((state) => state === "confirmed").length;
      }),
      { numRuns: runs(25), endOnFailure: true, interruptAfterTimeLimit: 240_000 },
    );
    expect(confirmed).toBeGreaterThan(runs(25));
  }, 300_000);
});

async function begin(): Promise<Scene> {
  const rig = await moveRig({ conflicts: "theirs" });
  await rig.event({ title: "K1 event" });
  const day = { start: "2026-11-24", end: "2026-11-24", all_day: true };
  await rig.event({ title: "K2 milestone", ...day, milestone: true });
  const { id } = await rig.task({ title: "K3 parent" });
  await rig.subtask(id, "K4 child");
  await rig.task({ title: "K5 task" });
  return { rig, deleted: new Set(), made: 5 };
}

async function take(scene: Scene, one: Step): Promise<void> {
  const { rig } = scene;
  rig.clock.advance({ seconds: 3 });
  switch (one.kind) {
    case "move": {
      const viewed = pick(shownItems(rig), one.nth);
      if (!viewed) return;
      if (viewed.item.kind !== "event") rig.move(viewed.uid, placeAt(rig, one.to));
      else rig.move(viewed.uid, { ...placeAt(rig, one.to), list: null });
      return;
    }
    case "rename": {
      const viewed = pick(shownItems(rig), one.nth);
      if (!viewed) return;
      const title = `SUMMARY:${tokenOf(viewed.item.title)} renamed ${one.nth}`;
      const component = viewed.item.kind === "event" ? vevent : vtodo;
      rig.send(calendar(component(viewed.uid, title)));
      return;
    }
    case "child": {
      const tasks = shownItems(rig).filter(({ item }) => item.kind === "task" && item.id !== null);
      const above = pick(tasks, one.nth);
      if (!above) return;
      scene.made += 1;
      const token = `K${scene.made}`;
      const lines = [`SUMMARY:${token} new`, `RELATED-TO:${above.uid}`];
      rig.send(calendar(vtodo(`${token}@example.com`, ...lines)));
      return;
    }
    case "play":
      play(scene, one);
      return;
    case "fault":
      rig.sandbox.faults.add({ ...one.fault, method: one.method, times: one.times });
      return;
    case "drain":
      await rig.step();
      return;
    case "sweep":
      await rig.sweep();
      return;
    case "beside":
      await Promise.all([rig.step(), rig.step(), rig.sweep()]);
      return;
    case "restart":
      rig.restart();
      rig.clock.advance({ seconds: 20 });
  }
}

/** Somebody in the workspace changes, moves or deletes an item. */
function play(scene: Scene, { what, nth: at, to }: Extract<Step, { readonly kind: "play" }>): void {
  const { rig, deleted } = scene;
  const { workspace } = rig.sandbox;
  const tasks = placesOf(rig).flatMap(({ project, list }) =>
    rig.tasksIn(list, project).map((task) => ({ task, project, list })),
  );
  const events = projectsOf(rig).flatMap((project) =>
    rig.eventsIn(project).map((event) => ({ event, project })),
  );
  const one = pick([...tasks, ...events], at);
  if (!one) return;
  const { project } = one;
  const by = rig.owner;
  if ("event" in one) {
    const place = { by, project, event: one.event.id };
    const title = `${tokenOf(one.event.title)} played ${at}`;
    if (what === "rename") insist(workspace.events.update(place, { title }));
    else if (what === "remove") insist(workspace.events.remove(place));
    if (what === "remove") deleted.add(tokenOf(one.event.title));
    return;
  }
  const place = { by, project, list: one.list, task: one.task.id };
  const target = placeAt(rig, to);
  const outcome: Outcome<unknown> | null =
    what === "rename"
      ? workspace.tasks.update(place, { title: `${tokenOf(one.task.title)} played ${at}` })
      : what === "remove"
        ? null
        : workspace.tasks.update(place, {
            move_task: true,
            project: target.project,
            list_id: target.list,
          });
  if (outcome) insist(outcome);
  if (what !== "remove") return;
  for (const { title } of insist(workspace.subtasks.list(place))) deleted.add(tokenOf(title));
  insist(workspace.tasks.remove(place));
  deleted.add(tokenOf(one.task.title));
}

async function settle(rig: MoveRig): Promise<void> {
  rig.sandbox.faults.clear();
  for (let round = 0; round < 4; round++) {
    await rig.drainAll({ loops: 2, sweep: () => rig.sweep() });
    await rig.sweep();
    rig.clock.advance({ minutes: 16 });
  }
}

/** Everything that was there and that nobody has deleted is there once; what waits for a person says why. */
function expectOnce({ rig, deleted, made }: Scene): void {
  const tokens = shownItems(rig).map(({ item }) => tokenOf(item.title));
  const waiting = rig.store.journal
    .list({ limit: 1000 })
    .filter(({ state, action }) => state === "parked" && action === "create")
    .map(({ base }) => tokenOf(base.title));
  for (let number = 1; number <= made; number++) {
    const token = `K${number}`;
    const times = tokens.filter((one) => one === token).length;
    const told = `${token}: ${JSON.stringify(rig.shown())} ${JSON.stringify(rig.states())}`;
    if (deleted.has(token) || waiting.includes(token)) expect(times, told).toBeLessThanOrEqual(1);
    else expect(times, told).toBe(1);
  }
  for (const { state, problem } of rig.store.journal.list({ limit: 1000 })) {
    expect(["confirmed", "parked", "discarded"]).toContain(state);
    if (state !== "confirmed") expect(problem).toMatch(/\S/);
  }
}

const shownItems = ({ store, project, otherProject }: MoveRig) =>
  [project, otherProject].flatMap((one) => store.view.ofProject(one));

const projectsOf = ({ project, otherProject }: MoveRig) => [project, otherProject];

const placesOf = ({ project, otherProject, list, otherList, farList }: MoveRig) => [
  { project, list },
  { project, list: otherList },
  { project: otherProject, list: farList },
];

function placeAt(rig: MoveRig, to: number): { readonly project: number; readonly list: number } {
  const place = placesOf(rig)[to];
  if (!place) throw new Error("there are three places");
  return place;
}

const tokenOf = (title: string): string => /K\d+/.exec(title)?.[0] ?? title;

const pick = <Value>(values: readonly Value[], at: number): Value | undefined =>
  values[at % Math.max(1, values.length)];
