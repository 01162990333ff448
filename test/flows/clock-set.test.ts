import { expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { createClockWatch } from "../../src/store/clock-watch.ts";
import { roomy, stage, until } from "../sync/support/stage.ts";
import { addTask, placeAt } from "../sync/support/workspace.ts";

const year = 24 * 365;

it.each([
  ["back by an hour", -1],
  ["back by ten years", -10 * year],
  ["forward by a day", 24],
  ["forward by ten years", 10 * year],
])(
  "with the clock set %s, changes still arrive, and no SEQUENCE or revision goes back",
  async (_, hours) => {
    let ahead = Temporal.Duration.from({ hours: 0 });
    const it = await stage({ quota: roomy, now: () => Temporal.Now.instant().add(ahead) });
    const place = placeAt(it, 0);
    const task = addTask(it, place, { title: "Before", due_date: "2027-01-01" });
    const shown = () => {
      const key = it.store.mirror.find("task", serviceId(task));
      const view = key === null ? null : it.store.view.get(key);
      if (!view) throw new Error("the task is not shown");
      return view;
    };
    await it.sweep();
    const stop = new AbortController();
    const sweeping = it.sync.run(stop.signal);
    const clock = () => Temporal.Now.instant().add(ahead);
    const watch = createClockWatch({ clock, monotonic: () => performance.now() });
    const set = (to: number) => {
      ahead = Temporal.Duration.from({ hours: to });
      // As a daemon does, which looks every few seconds.
      if (watch.setBack() !== null) it.sync.rereadAll();
    };
    const rename = async (title: string) => {
      it.sandbox.workspace.tasks.update({ ...place, task }, { title });
      await until(() => shown().item.title === title);
      return { ...shown(), revision: it.store.changes.latest() };
    };
    try {
      const seen = [await rename("One")];
      set(hours);
      seen.push(await rename("Two"));
      set(0);
      seen.push(await rename("Three"));
      for (const [at, one] of seen.slice(1).entries()) {
        const before = seen[at];
        if (!before) throw new Error("there is one before");
        expect(one.sequence).toBeGreaterThan(before.sequence);
        expect(one.revision).toBeGreaterThan(before.revision);
        expect(Temporal.Instant.compare(one.modifiedAt, before.modifiedAt)).toBe(1);
      }
    } finally {
      stop.abort();
      await sweeping;
    }
  },
);
