import { expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { insist } from "../../src/sandbox/work-outcome.ts";
import { pollByHand } from "./support/poll-by-hand.ts";
import { roomy, stage } from "./support/stage.ts";
import { addTask, placeAt } from "./support/workspace.ts";

it("settle() waits anew for every other list when an item is missing a second time", async () => {
  const it = await stage({ quota: roomy });
  const [first, second, third] = [placeAt(it, 0), placeAt(it, 0, 1), placeAt(it, 1)];
  const task = addTask(it, first, { title: "Travels" });
  await it.sweep();
  const { poll, questions } = pollByHand(it);
  const moved = (from: typeof first, to: typeof first) => {
    const body = { project: to.project, list_id: to.list, move_task: true };
    insist(it.sandbox.workspace.tasks.update({ ...from, task }, body));
  };
  const { signal } = new AbortController();
  const key = it.store.mirror.find("task", serviceId(task));
  if (key === null) throw new Error("the task is not mirrored");

  for (const { list } of [first, second, third, placeAt(it, 1, 1)]) await poll(`tasks:${list}`);
  moved(first, second);
  await poll(`tasks:${first.list}`);
  await poll(`tasks:${second.list}`);
  expect(it.store.absences.all()).toEqual([]);

  for (const { list } of [first, third, placeAt(it, 1, 1)]) await poll(`tasks:${list}`);
  moved(second, third);
  await poll(`tasks:${second.list}`);
  await questions.ask(key, signal);
  const { bury, read } = questions.settle();
  expect(bury).toEqual([]);
  expect(read).toContain(`tasks:${third.list}`);
});
