import { expect, it } from "vitest";
import { SignTrust } from "../../src/sync/hints.ts";
import { roomy, runUntil, type Stage, stage } from "./support/stage.ts";
import { addTask, placeAt, viewInventory, workspaceInventory } from "./support/workspace.ts";

/** A workspace with a task that has a subtask, whose clock advances by a minute at each change. */
async function minutes() {
  let ahead = Temporal.Duration.from({ minutes: 0 });
  const clock = () => Temporal.Now.instant().add(ahead);
  const here = await stage({ quota: roomy, clock });
  const place = placeAt(here, 0);
  const task = addTask(here, place, { title: "Parent" });
  const { subtasks } = here.sandbox.workspace;
  const subtask = subtasks.create({ ...place, task }, { title: "Below" }).id;
  await here.sweep();
  /** Lets the daemon run while the subtask is renamed as soon as each name has arrived. */
  const rename = async (times: number) => {
    let renamed = 0;
    await runUntil(here, () => {
      if (!isEqual(here)) return false;
      renamed += 1;
      ahead = ahead.add({ minutes: 1 });
      const title = `Below ${renamed}`;
      subtasks.update({ ...place, task, subtask }, { title });
      return renamed > times;
    });
    return new SignTrust(here.store.beliefs.signs());
  };
  return { subtasks, rename };
}

const isEqual = (here: Stage) =>
  JSON.stringify(viewInventory(here)) === JSON.stringify(workspaceInventory(here));

it("learns that a task's time predicts its subtasks, and keeps that", async () => {
  const { subtasks, rename } = await minutes();
  subtasks.behave({ movesTime: true });
  const trust = await rename(40);
  expect(trust.text()).toContain("task-time");
  expect(trust.worth("task-time")).toBeGreaterThan(0.6);
  expect(trust.worth("task-subtasks")).toBe(0.5);
});

it("learns nothing from signs that never appear", async () => {
  const { rename } = await minutes();
  const trust = await rename(10);
  expect(trust.worth("task-time")).toBe(0.5);
});
