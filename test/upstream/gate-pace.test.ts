import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Gate, GateOptions } from "../../src/upstream/gate.ts";
import { gateOf, mostInWindow, perMs, quota, sleep, spacingMs, ticket, trip } from "./gate-rig.ts";

const never = new AbortController().signal;
/** Nine of ten places. */
const steadyMs = spacingMs / 0.9;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function steadyGate(options: Partial<GateOptions> = {}): Gate {
  const gate = gateOf(options);
  gate.setPace({ kind: "steady" });
  return gate;
}

function readMany(gate: Gate, { reads, downMs }: { reads: number; downMs: number }): number[] {
  const starts: number[] = [];
  for (let read = 0; read < reads; read += 1) {
    void gate.run(ticket("sweep"), trip(starts, { upMs: 0, downMs }));
  }
  return starts;
}

const gapsOf = (starts: readonly number[]): readonly number[] =>
  starts.slice(1).map((start, before) => start - (starts[before] ?? start));

/** Starts per window, from the third on. */
const rateOf = (starts: readonly number[]): number => {
  const [first = 0] = starts.slice(2);
  return ((starts.length - 3) * perMs) / ((starts.at(-1) ?? 0) - first);
};

test.each([
  [5, 2],
  [150, 2],
  [400, 25],
])(
  "steady reads start evenly and take nine tenths of the quota when answers take %i ms",
  async (downMs, jitterMs) => {
    const gate = steadyGate();
    const starts = readMany(gate, { reads: 200, downMs });
    await vi.advanceTimersByTimeAsync(60_000);
    gate.close();
    for (const gap of gapsOf(starts).slice(2)) {
      expect(Math.abs(gap - steadyMs)).toBeLessThanOrEqual(jitterMs);
    }
    expect(rateOf(starts)).toBeGreaterThan(22.3);
    expect(rateOf(starts)).toBeLessThanOrEqual(22.51);
  },
);

test("steady reads keep their number when answers take longer than the spacing, and never exceed the quota", async () => {
  const gate = steadyGate();
  const starts = readMany(gate, { reads: 300, downMs: 2_000 });
  await vi.advanceTimersByTimeAsync(100_000);
  gate.close();
  // One place stays free, and a place counts until a window after its answer.
  expect(rateOf(starts)).toBeGreaterThan(0.97 * ((24 * perMs) / (perMs + 2_050)));
  expect(Math.max(...gapsOf(starts).slice(30))).toBeLessThan(2.1 * steadyMs);
  expect(mostInWindow(starts)).toBeLessThan(quota.requests);
});

test("steady reads slow down with their part of the quota", async () => {
  const gate = steadyGate({ readShare: 0.5 });
  const starts = readMany(gate, { reads: 100, downMs: 150 });
  await vi.advanceTimersByTimeAsync(60_000);
  gate.close();
  expect(rateOf(starts)).toBeCloseTo(12.5, 1);
});

test("delayed reads do not follow as a burst", async () => {
  const gate = steadyGate();
  readMany(gate, { reads: 3, downMs: 10 });
  await vi.advanceTimersByTimeAsync(30_000);
  const from = performance.now();
  const starts = readMany(gate, { reads: 10, downMs: 10 });
  await vi.advanceTimersByTimeAsync(2_000);
  gate.close();
  const slots = starts.map((start) => Math.round((100 * (start - from)) / steadyMs) / 100);
  expect(slots).toEqual([0, 0.75, 1.75, 2.75, 3.75]);
});

test("the share left by a 429 slows steady reads", async () => {
  const gate = steadyGate();
  await gate.run(ticket("sweep"), async () => void gate.rest(1_000));
  await vi.advanceTimersByTimeAsync(1_000);
  const starts = readMany(gate, { reads: 10, downMs: 10 });
  await vi.advanceTimersByTimeAsync(8_000);
  gate.close();
  const gaps = gapsOf(starts).slice(2);
  // Seventeen of twenty-five places are left in the first window after it.
  for (const gap of gaps) expect(Math.abs(gap - perMs / 17 / 0.9)).toBeLessThan(25);
});

test("an edit gets a place for each of its requests at once during steady reads", async () => {
  const gate = steadyGate();
  readMany(gate, { reads: 400, downMs: 150 });
  const waits: number[] = [];
  for (let edit = 0; edit < 20; edit += 1) {
    await vi.advanceTimersByTimeAsync(4_321);
    const asked = performance.now();
    await Promise.all([
      (async () => {
        await gate.run(ticket("edit"), () => sleep(150));
        await gate.run(ticket("edit"), () => sleep(150));
        waits.push(performance.now() - asked - 300);
      })(),
      vi.advanceTimersByTimeAsync(1_000),
    ]);
  }
  gate.close();
  expect(waits).toHaveLength(20);
  expect(Math.max(...waits)).toBe(0);
});

test("requests that people wait for are not spaced, and go before steady reads", async () => {
  const gate = steadyGate();
  readMany(gate, { reads: 400, downMs: 150 });
  await vi.advanceTimersByTimeAsync(20_100);
  const asked = performance.now();
  const starts: number[] = [];
  void gate.run(ticket("interactive"), trip(starts, { upMs: 0, downMs: 100 }));
  await vi.advanceTimersByTimeAsync(1);
  gate.close();
  expect(starts).toEqual([asked]);
});

test("whenReadFits() resolves when a read would start at once, so that one chosen then does", async () => {
  const gate = steadyGate();
  const starts: number[] = [];
  const choosing = (async () => {
    for (let read = 0; read < 40; read += 1) {
      await gate.whenReadFits(never);
      const asked = performance.now();
      void gate.run(ticket("sweep"), async () => {
        starts.push(performance.now());
        expect(performance.now()).toBe(asked);
        await sleep(300);
      });
    }
  })();
  await vi.advanceTimersByTimeAsync(20_000);
  await choosing;
  gate.close();
  expect(starts).toHaveLength(40);
  for (const gap of gapsOf(starts).slice(2)) {
    expect(Math.abs(gap - steadyMs)).toBeLessThanOrEqual(2);
  }
});

test("whenReadFits() resolves when its signal aborts, and when the gate closes", async () => {
  const gate = steadyGate({ quota: { ...quota, requests: 1 } });
  await gate.run(ticket("edit"), async () => {});
  const stop = new AbortController();
  const told: string[] = [];
  void gate.whenReadFits(stop.signal).then(() => told.push("aborted"));
  void gate.whenReadFits(never).then(() => told.push("closed"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual([]);
  stop.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(["aborted"]);
  gate.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(["aborted", "closed"]);
});

test("nextReadAt() says when a read would start behind the waiting ones", async () => {
  const gate = steadyGate();
  const inMs = () => gate.nextReadAt()?.since(Temporal.Now.instant()).total("milliseconds");
  expect(inMs()).toBe(0);
  readMany(gate, { reads: 4, downMs: 10 });
  await vi.advanceTimersByTimeAsync(3 * steadyMs);
  expect(inMs()).toBeCloseTo(0.75 * steadyMs, -1);
  readMany(gate, { reads: 2, downMs: 10 });
  expect(inMs()).toBeCloseTo(2.75 * steadyMs, -1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(inMs()).toBe(0);
  gate.rest(3_000);
  expect(inMs()).toBe(3_000);
  gate.close();
});

test("a sweep goes in bursts while short and evenly when long, and takes the whole quota", async () => {
  const short = gateOf();
  const bursts = readMany(short, { reads: 60, downMs: 100 });
  await vi.advanceTimersByTimeAsync(perMs * 3);
  short.close();
  expect(bursts).toHaveLength(60);

  const long = gateOf();
  long.setPace({ kind: "sweep", reads: 5_000 });
  const starts = readMany(long, { reads: 300, downMs: 100 });
  await vi.advanceTimersByTimeAsync(perMs * 10);
  long.close();
  expect(Math.max(...gapsOf(starts))).toBeLessThan(1.6 * spacingMs);
  expect(rateOf(starts)).toBeGreaterThan(24.3);
});

test.each([60, 5_000])(
  "edits of a sweep of %i reads wait at most a mean spacing once a window has begun with them",
  async (reads) => {
    const gate = gateOf();
    gate.setPace({ kind: "sweep", reads });
    const sweeps = readMany(gate, { reads: Math.min(reads, 400), downMs: 150 });
    const waits: number[] = [];
    for (let edit = 0; edit < 30; edit += 1) {
      await vi.advanceTimersByTimeAsync(3_700);
      const asked = performance.now();
      void (async () => {
        await gate.run(ticket("edit"), () => sleep(150));
        await gate.run(ticket("edit"), () => sleep(150));
        waits.push(performance.now() - asked - 300);
      })();
    }
    await vi.advanceTimersByTimeAsync(perMs);
    gate.close();
    expect(waits).toHaveLength(30);
    // The first edit finds two places in the burst, the next ones of that window wait for its end.
    const late = waits.filter((wait) => wait > 2 * spacingMs + 10);
    expect(late.length).toBeLessThanOrEqual(reads === 60 ? 1 : 0);
    expect(waits[0]).toBe(0);
    expect(mostInWindow(sweeps)).toBeLessThanOrEqual(quota.requests);
  },
);

test.each([74, 75, 78, 100, 143, 150, 250, 432])(
  "a sweep of %i reads ends with its last window's first answers",
  async (reads) => {
    const gate = gateOf();
    gate.setPace({ kind: "sweep", reads });
    const starts = readMany(gate, { reads, downMs: 150 });
    const begun = performance.now();
    await vi.advanceTimersByTimeAsync(400_000);
    gate.close();
    const windows = Math.ceil(reads / quota.requests) - 1;
    expect((starts.at(-1) ?? 0) - begun).toBeLessThanOrEqual(windows * (perMs + 60 + 150) + 10);
    expect(mostInWindow(starts)).toBeLessThanOrEqual(quota.requests);
  },
);

test("steady reads follow a burst as soon as its places come free, evenly at once", async () => {
  const gate = gateOf();
  gate.setPace({ kind: "sweep", reads: 90 });
  const starts = readMany(gate, { reads: 90, downMs: 100 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(starts).toHaveLength(23);
  gate.setPace({ kind: "steady" });
  await vi.advanceTimersByTimeAsync(perMs);
  const gaps = gapsOf(starts.slice(25));
  gate.close();
  for (const gap of gaps) expect(Math.abs(gap - steadyMs)).toBeLessThanOrEqual(2);
  expect(gaps.length).toBeGreaterThan(0);
});
