import { Scheduler, schedulerDefaults } from "@dayferry/poll-scheduler";
import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../src/domain/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { KeptBeliefs } from "../../src/sync/kept-beliefs.ts";
import { testStore } from "../support/test-store.ts";

const start = 1_780_000_000;
const form = 1;
const names = Array.from({ length: 12 }, (_, at) => `tasks:${at + 1}`);
const options = { ...schedulerDefaults, pace: 1 };

function world() {
  const store = testStore(() => Temporal.Instant.fromEpochMilliseconds(1000 * start));
  store.sources.put(
    names.map((_, at) => ({ kind: "tasks", projectId: projectId(1), listId: listId(at + 1) })),
  );
  return { store, kept: new KeptBeliefs(store), scheduler: new Scheduler(options) };
}

/** Polls for an hour, once each second, while the first source changes every ten. */
function watch(scheduler: Scheduler, kept: KeptBeliefs): number {
  let changedAt = start;
  for (let now = start; now < start + 3600; now += 1) {
    const next = scheduler.next(now);
    if (next.kind === "wait") continue;
    const isBusy = next.key === names[0] && now - changedAt >= 10;
    if (isBusy) {
      changedAt = now;
      kept.note(next.key);
    }
    scheduler.observe(next.key, { at: now, times: isBusy ? [now - 5] : [] });
  }
  return start + 3600;
}

function learned(scheduler: Scheduler, kept: KeptBeliefs): number {
  for (const key of names) {
    scheduler.put(key, { weight: 1, cost: 1 });
    scheduler.observe(key, { at: start, times: [] });
    kept.note(key);
  }
  kept.save(scheduler, { now: start, isLast: true });
  return watch(scheduler, kept);
}

function resumed(store: Store): Scheduler {
  const kept = new KeptBeliefs(store);
  const common = kept.common();
  const scheduler = new Scheduler(options, common ? { ...common, sources: [] } : undefined);
  for (const key of names) {
    const dump = kept.of(key);
    if (dump) scheduler.restore(dump);
    scheduler.put(key, { weight: 1, cost: 1 });
  }
  return scheduler;
}

describe("saving beliefs", () => {
  it("keeps them, so that the next process expects the same", () => {
    const { store, kept, scheduler } = world();
    const now = learned(scheduler, kept);
    kept.save(scheduler, { now, isLast: true });
    const next = resumed(store);
    // The first poll after the start catches up with the earlier ones that found nothing.
    for (const key of names) {
      scheduler.observe(key, { at: now, times: [] });
      next.observe(key, { at: now, times: [] });
    }
    const worth = (one: Scheduler) => names.map((key) => one.worth(key, now + 60) ?? -1);
    const expected = worth(scheduler);
    for (const [at, found] of worth(next).entries()) {
      expect(found / (expected[at] ?? 0)).toBeGreaterThan(0.8);
      expect(found / (expected[at] ?? 0)).toBeLessThan(1.25);
    }
    expect(expected[0]).toBeGreaterThan(10 * (expected[1] ?? 0));
  });

  it("writes a part at once and the rest gradually", () => {
    const { store, kept, scheduler } = world();
    const now = learned(scheduler, kept);
    const rows = () => names.filter((name) => store.beliefs.get(name, form)).length;
    expect(rows()).toBe(names.length);
    kept.note(names[3] ?? "");
    store.sources.drop([names[3] ?? ""]);
    expect(rows()).toBe(names.length - 1);
    kept.drop(names[3] ?? "");
    kept.save(scheduler, { now: now + 1, isLast: false });
    kept.save(scheduler, { now: now + 6, isLast: false });
    expect(rows()).toBe(names.length - 1);
  });

  it("writes only those of changed sources", () => {
    const { store, kept, scheduler } = world();
    kept.save(scheduler, { now: learned(scheduler, kept), isLast: true });
    const withNumbers = names.filter((name) => store.beliefs.get(name, form)?.odds);
    expect(withNumbers).toEqual([names[0]]);
  });
});

describe("saved beliefs", () => {
  it("are ignored if damaged or of another version", () => {
    const { store, kept, scheduler } = world();
    kept.save(scheduler, { now: learned(scheduler, kept), isLast: true });
    const [busy = ""] = names;
    const row = store.beliefs.get(busy, form);
    if (!row) throw new Error("nothing was kept");
    store.beliefs.put([{ ...row, odds: Float32Array.of(1, Number.NaN) }], form);
    expect(kept.of(busy)).toBeNull();
    store.beliefs.put([{ ...row, hours: null }], form);
    expect(kept.of(busy)).toBeNull();
    store.beliefs.put([row], form + 1);
    expect(kept.of(busy)).toBeNull();
    store.beliefs.put([{ ...row, odds: Float32Array.of(1, 2) }], form);
    const next = resumed(store);
    expect(next.worth(busy, row.polledAt + 60)).toBeGreaterThan(0);
  });

  it("of the time before weekly patterns are used as far as they go", () => {
    const { store, kept, scheduler } = world();
    kept.save(scheduler, { now: learned(scheduler, kept), isLast: true });
    const [busy = ""] = names;
    const row = store.beliefs.get(busy, form);
    if (!row?.hours) throw new Error("nothing was kept");
    store.beliefs.put([{ ...row, hours: row.hours.slice(0, 48) }], form);
    const starts = Array.from(row.hours.slice(0, 24));
    expect(Array.from(kept.of(busy)?.clock?.starts ?? [])).toEqual(starts);
    expect(Array.from(kept.of(busy)?.clock?.days ?? [])).toEqual(Array(7).fill(0));
    const {
      weekStarts: _starts,
      weekSeconds: _seconds,
      begin: _begin,
      ...older
    } = Object.fromEntries(Object.entries(JSON.parse(store.beliefs.common(form) ?? "{}")));
    store.beliefs.putCommon(JSON.stringify(older), form);
    expect(kept.common()?.changedAt).toBe(scheduler.common().changedAt);
    expect(resumed(store).worth(busy, row.polledAt + 60)).toBeGreaterThan(0);
  });

  it.each([
    "",
    "[]",
    "null",
    "{",
    '{"sessionPrior": [1, null]}',
    '{"sessionPrior": [1], "scores": [1]}',
  ])("shared by all sources are ignored if they are %j", (text) => {
    const { store, kept } = world();
    store.beliefs.putCommon(text, form);
    expect(kept.common()).toBeNull();
  });

  it("shared by all sources are restored unchanged", () => {
    const { store, kept, scheduler } = world();
    kept.save(scheduler, { now: learned(scheduler, kept), isLast: true });
    const common = kept.common();
    expect(common?.changedAt).toBe(scheduler.common().changedAt);
    expect(Array.from(common?.population.sessionPrior ?? [])).toEqual(
      Array.from(scheduler.common().population.sessionPrior),
    );
    store.beliefs.putCommon("{}", form + 1);
    expect(kept.common()).toBeNull();
  });
});
