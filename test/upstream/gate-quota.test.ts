import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Priority } from "../../src/upstream/client.ts";
import type { Gate, GateHistory, Pace } from "../../src/upstream/gate.ts";
import { gateOf, mostInWindow, perMs, quota, sleep, ticket, trip } from "./gate-rig.ts";
import { memoryHistory } from "./loopback.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const request = fc.record({
  priority: fc.constantFrom<Priority>("edit", "interactive", "sweep", "sweep"),
  pauseMs: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
  ),
  upMs: fc.oneof(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 12_000 })),
  downMs: fc.integer({ min: 0, max: 300 }),
  limited: fc.integer({ min: 0, max: 30 }),
  pace: fc.constantFrom<Pace>(
    { kind: "sweep", reads: 10 },
    { kind: "sweep", reads: 10_000 },
    { kind: "steady" },
  ),
});

test("run() exceeds the quota in no window, whatever the latencies, 429s and restarts", async () => {
  const script = fc.array(request, { minLength: 60, maxLength: 110 });
  await fc.assert(
    fc.asyncProperty(script, fc.integer({ min: 1, max: 20_000 }), async (requests, killAtMs) => {
      const arrivals: number[] = [];
      const shared = memoryHistory();
      const process = { alive: true };
      const history: GateHistory = {
        ...shared,
        save: (slots) => {
          if (process.alive) shared.save(slots);
        },
        saveRest: (rest) => {
          if (process.alive) shared.saveRest(rest);
        },
      };
      const jobOf =
        (gate: Gate, it: (typeof requests)[number], life: { alive: boolean }) => async () => {
          await sleep(it.upMs);
          if (life.alive) arrivals.push(performance.now());
          await sleep(it.downMs);
          if (it.limited === 0 && life.alive) gate.rest(it.downMs * 10);
        };
      const first = gateOf({ history });
      const started = performance.now();
      const rest: typeof requests = [];
      for (const it of requests) {
        first.setPace(it.pace);
        await vi.advanceTimersByTimeAsync(it.pauseMs);
        if (performance.now() - started < killAtMs) {
          void first.run(ticket(it.priority), jobOf(first, it, process));
        } else rest.push(it);
      }
      await vi.advanceTimersByTimeAsync(Math.max(0, killAtMs - (performance.now() - started)));
      // The process dies: what it had under way has arrived by now or never will.
      process.alive = false;
      first.close();

      const second = gateOf({
        history: shared,
      });
      const life = { alive: true };
      const turns = rest.map((it) => {
        second.setPace(it.pace);
        return second.run(ticket(it.priority), jobOf(second, it, life));
      });
      await vi.advanceTimersByTimeAsync(rest.length * 8_000 + 200_000);
      const done = (await Promise.all(turns)).filter((turn) => turn.kind === "done");
      expect(done).toHaveLength(rest.length);
      expect(mostInWindow(arrivals)).toBeLessThanOrEqual(quota.requests);
      await vi.runAllTimersAsync();
    }),
    { numRuns: 40 },
  );
});

test.each([
  ["sweep", 5],
  ["sweep", 100],
  ["interactive", 250],
  ["edit", 100],
] as const)(
  "run() uses at least 97 percent of the quota when only %ss wait and answers take %i ms",
  async (priority, downMs) => {
    const arrivals: number[] = [];
    const gate = gateOf();
    const windows = 20;
    const count = quota.requests * windows + 1;
    const turns = Array.from({ length: count }, () =>
      gate.run(ticket(priority), trip(arrivals, { upMs: 0, downMs })),
    );
    await vi.advanceTimersByTimeAsync(windows * perMs * 1.2);
    await Promise.all(turns);
    const took = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
    expect(arrivals).toHaveLength(count);
    expect((windows * perMs) / took).toBeGreaterThanOrEqual(0.97);
    expect(mostInWindow(arrivals)).toBe(quota.requests);
  },
);

test("a 429 cuts the share once per window down to a floor, and quiet windows restore it", async () => {
  const gate = gateOf();
  const limit = () =>
    gate.run(ticket("edit"), async () => {
      await Promise.resolve();
      gate.rest(0);
    });
  const share = () => gate.state().share;
  await Promise.all([limit(), limit(), limit()]);
  expect(share()).toBe(17);
  for (let round = 0; round < 10; round += 1) {
    await vi.advanceTimersByTimeAsync(perMs);
    await limit();
  }
  expect(share()).toBe(5);
  await vi.advanceTimersByTimeAsync(perMs * 10);
  expect(share()).toBe(15);
  await vi.advanceTimersByTimeAsync(perMs * 100);
  expect(share()).toBe(25);
});

test("run() keeps the limit when the wall clock is set forward and back", async () => {
  const arrivals: number[] = [];
  let shift = Temporal.Duration.from({ hours: 0 });
  const gate = gateOf({ clock: () => Temporal.Now.instant().add(shift) });
  for (let i = 0; i < 80; i += 1) {
    void gate.run(ticket("sweep"), trip(arrivals, { upMs: 1, downMs: 1 }));
  }
  for (const hours of [1, -1, 5, 0]) {
    shift = Temporal.Duration.from({ hours });
    await vi.advanceTimersByTimeAsync(8_000);
  }
  expect(arrivals.length).toBe(80);
  expect(mostInWindow(arrivals)).toBe(25);
});

test("the history uses the present wall clock, and treats future entries as just now", async () => {
  const history = memoryHistory();
  let shift = Temporal.Duration.from({ hours: 0 });
  const clock = () => Temporal.Now.instant().add(shift);
  const gate = gateOf({ history, clock });
  await gate.run(ticket("edit"), async () => {});
  shift = Temporal.Duration.from({ hours: 3 });
  await vi.advanceTimersByTimeAsync(1_000);
  await gate.run(ticket("edit"), async () => {});
  const ages = history
    .slots()
    .map((slot) => Math.round(clock().since(slot.startedAt).total("seconds")));
  expect(ages).toEqual([1, 0]);
  gate.close();

  shift = Temporal.Duration.from({ hours: -3 });
  const next = gateOf({ history, clock });
  expect(next.state().used).toBe(2);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(next.state().used).toBe(2);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(next.state().used).toBe(0);
});

test("a restart does not spend the quota twice, even for requests whose answer was never seen", async () => {
  const history = memoryHistory();
  const arrivals: number[] = [];
  const first = gateOf({ history });
  const start = performance.now();
  for (let i = 0; i < 20; i += 1) {
    void first.run(ticket("edit"), trip(arrivals, { upMs: 1, downMs: i < 10 ? 0 : 600_000 }));
  }
  await vi.advanceTimersByTimeAsync(4_000);
  first.close();

  const second = gateOf({ history: { ...history, save: () => {} } });
  for (let i = 0; i < 30; i += 1) {
    void second.run(ticket("edit"), trip(arrivals, { upMs: 1, downMs: 0 }));
  }
  await vi.advanceTimersByTimeAsync(20_000);
  const after = (ms: number) => arrivals.filter((moment) => moment - start >= ms).length;
  expect(arrivals).toHaveLength(50);
  expect(after(4_000)).toBe(30);
  // Five places are left at once, those answered before come free first, those never answered one window after the restart.
  expect(after(10_000)).toBe(25);
  expect(after(14_000)).toBe(15);
});
