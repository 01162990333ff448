import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Priority } from "../../src/upstream/client.ts";
import type { Ticket } from "../../src/upstream/gate.ts";
import { gateOf, perMs, quota, sleep, spacingMs, ticket, trip } from "./gate-rig.ts";
import { memoryHistory } from "./loopback.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("run() keeps two places for an edit in each burst of a sweep that can spare them", async () => {
  const gate = gateOf();
  gate.setPace({ kind: "sweep", reads: 90 });
  const sweeps: number[] = [];
  const edits: number[] = [];
  const start = performance.now();
  for (let i = 0; i < 90; i += 1) {
    void gate.run(ticket("sweep"), trip(sweeps, { upMs: 0, downMs: 10 }));
  }
  await vi.advanceTimersByTimeAsync(3_000);
  expect(sweeps).toHaveLength(23);
  for (let edit = 0; edit < 3; edit += 1) {
    void gate.run(ticket("edit"), trip(edits, { upMs: 0, downMs: 10 }));
  }
  await vi.advanceTimersByTimeAsync(1);
  expect(edits).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(7_100);
  expect(edits).toHaveLength(3);
  const lastEdit = (edits[2] ?? 0) - start;
  const laterSweeps = sweeps.filter((moment) => moment - start > 1_000);
  expect(laterSweeps.every((moment) => moment - start >= lastEdit)).toBe(true);
  gate.close();
});

test("an edit waits at most the mean spacing while a long sweep uses up the quota", async () => {
  const gate = gateOf();
  const sweeps: number[] = [];
  for (let i = 0; i < 1_000; i += 1) {
    void gate.run(ticket("sweep"), trip(sweeps, { upMs: 20, downMs: 30 }));
  }
  for (let round = 0; round < 10; round += 1) {
    await vi.advanceTimersByTimeAsync(perMs + 777);
    const asked = performance.now();
    const edit: number[] = [];
    void gate.run(ticket("edit"), trip(edit, { upMs: 0, downMs: 0 }));
    await vi.advanceTimersByTimeAsync(spacingMs + 100);
    expect((edit[0] ?? Number.POSITIVE_INFINITY) - asked).toBeLessThanOrEqual(spacingMs + 55);
  }
  gate.close();
});

test("an edit's two requests wait at most a mean spacing each while people edit and a sweep takes all but one place", async () => {
  const gate = gateOf();
  const sweeps: number[] = [];
  const waits: number[] = [];
  for (let i = 0; i < 400; i += 1) {
    void gate.run(ticket("sweep"), trip(sweeps, { upMs: 20, downMs: 130 }));
  }
  const start = performance.now();
  for (let edit = 0; edit < 40; edit += 1) {
    await vi.advanceTimersByTimeAsync(3_000);
    const asked = performance.now();
    // An edit reads the item, then changes it.
    const going = (async () => {
      await gate.run(ticket("edit"), () => sleep(150));
      await gate.run(ticket("edit"), () => sleep(150));
      return performance.now() - asked - 300;
    })();
    void going.then((wait) => waits.push(wait));
  }
  await vi.advanceTimersByTimeAsync(perMs);
  // The first few find that the sweeps have taken nearly all of a window.
  const settled = waits.slice(15);
  expect(settled).toHaveLength(25);
  expect(Math.max(...settled)).toBeLessThanOrEqual(2 * spacingMs);
  const windows = (performance.now() - start) / perMs;
  // About seven of a window's requests are the edits' own, and one stays free for the next.
  expect(sweeps.length / windows).toBeGreaterThan(15);
  gate.close();
});

test("run() orders by priority, puts a limited request before its class, and a failed edit behind fresh ones", async () => {
  const gate = gateOf({ quota: { ...quota, requests: 1 } });
  const order: string[] = [];
  const enter = (priority: Priority, rank: Ticket["rank"]) =>
    void gate.run(ticket(priority, rank), async () => {
      order.push(`${priority} ${rank}`);
    });
  enter("sweep", "first");
  enter("sweep", "first");
  enter("sweep", "retry");
  enter("sweep", "limited");
  enter("interactive", "first");
  enter("edit", "retry");
  enter("edit", "first");
  enter("edit", "limited");
  expect(gate.state().waiting).toEqual({ edit: 3, interactive: 1, sweep: 3 });
  await vi.advanceTimersByTimeAsync(perMs * 9);
  expect(order).toEqual([
    "sweep first",
    "edit limited",
    "edit first",
    "edit retry",
    "interactive first",
    "sweep limited",
    "sweep retry",
    "sweep first",
  ]);
});

test("run() keeps a place for some seconds for the write after an edit's read", async () => {
  const gate = gateOf({ quota: { ...quota, requests: 5 } });
  const order: string[] = [];
  const enter = (name: string, rank: Ticket["rank"]) =>
    void gate.run(ticket("edit", rank), async () => {
      order.push(`${name} ${rank} ${Math.floor(performance.now() / 1000)}`);
    });
  for (const name of ["one", "two", "three"]) enter(name, "read");
  await vi.advanceTimersByTimeAsync(1000);
  expect(order).toEqual(["one read 0", "two read 0"]);
  enter("two", "first");
  await vi.advanceTimersByTimeAsync(1000);
  expect(order.at(-1)).toBe("two first 1");
  // The write of the first is given up 3 s after its read.
  await vi.advanceTimersByTimeAsync(2000);
  expect(order.at(-1)).toBe("three read 3");
  enter("one", "first");
  await vi.advanceTimersByTimeAsync(1);
  expect(order.at(-1)).toBe("one first 4");
});

test("rest() holds back everything for the requested time and at least a second", async () => {
  const gate = gateOf();
  const starts: number[] = [];
  const mark = async () => void starts.push(performance.now());
  await gate.run(ticket("sweep"), async () => void gate.rest(7_000));
  const limitedAt = performance.now();
  for (const priority of ["edit", "interactive", "sweep"] as const) {
    void gate.run(ticket(priority), mark);
  }
  expect(gate.state().pausedUntil).not.toBeNull();
  await vi.advanceTimersByTimeAsync(6_999);
  expect(starts).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(10);
  expect(starts.map((moment) => Math.round(moment - limitedAt))).toEqual([7_000, 7_000, 7_000]);
  expect(gate.state().pausedUntil).toBeNull();

  await vi.advanceTimersByTimeAsync(perMs);
  await gate.run(ticket("sweep"), async () => void gate.rest(0));
  void gate.run(ticket("edit"), mark);
  await vi.advanceTimersByTimeAsync(999);
  expect(starts).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(2);
  expect(starts).toHaveLength(4);
  expect(gate.state()).toMatchObject({ sent: 6, rateLimited: 2 });
});

test("rest() without a time holds back everything for a whole window", async () => {
  const gate = gateOf();
  const starts: number[] = [];
  await gate.run(ticket("sweep"), async () => void gate.rest(null));
  void gate.run(ticket("edit"), async () => void starts.push(1));
  await vi.advanceTimersByTimeAsync(perMs - 1);
  expect(starts).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(2);
  expect(starts).toHaveLength(1);
});

test("rest() beyond the patience ends waiting and new calls as paused", async () => {
  const gate = gateOf({ quota: { ...quota, requests: 1 } });
  const first = gate.run(ticket("edit"), async () => {
    await sleep(10);
    gate.rest(600_000);
  });
  const waiting = gate.run(ticket("edit"), async () => "never");
  await vi.advanceTimersByTimeAsync(20);
  expect(await first).toMatchObject({ kind: "done" });
  expect(await waiting).toMatchObject({ kind: "paused" });
  const later = await gate.run(ticket("sweep"), async () => "never");
  expect(later).toMatchObject({ kind: "paused" });
  if (later.kind === "paused") expect(later.rest.total("seconds")).toBeCloseTo(600, 0);
  expect(gate.state().sent).toBe(1);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await gate.run(ticket("sweep"), async () => "now")).toEqual({
    kind: "done",
    value: "now",
  });
});

test("a job aborted while waiting takes no place", async () => {
  const gate = gateOf({ quota: { ...quota, requests: 1 } });
  const stop = new AbortController();
  await gate.run(ticket("edit"), async () => {});
  const turn = gate.run({ ...ticket("edit"), signal: stop.signal }, async () => "never");
  stop.abort();
  expect(await turn).toEqual({ kind: "aborted" });
  expect(gate.state()).toMatchObject({ sent: 1, waiting: { edit: 0 } });
});

test("run() gives the answer and reports the fault when the history cannot be kept", async () => {
  const told: unknown[] = [];
  const fault = new Error("disk full");
  const full = () => {
    throw fault;
  };
  const history = { ...memoryHistory(), save: full, saveRest: full };
  const gate = gateOf({ history, onUnkept: (error) => told.push(error) });
  const turn = await gate.run(ticket("edit"), async () => {
    gate.rest(1000);
    return "sent";
  });
  expect(turn).toEqual({ kind: "done", value: "sent" });
  expect(told).toEqual([fault, fault, fault]);
  expect(gate.state().inFlight).toBe(0);
});

test("run() waits after a restart for the rest requested by an earlier process", async () => {
  const history = memoryHistory();
  const first = gateOf({ history });
  await first.run(ticket("edit"), async () => void first.rest(30_000));
  await vi.advanceTimersByTimeAsync(5_000);
  first.close();

  const second = gateOf({ history });
  expect(second.state().share).toBe(17);
  const sent = vi.fn(async () => {});
  const turn = second.run(ticket("edit"), sent);
  await vi.advanceTimersByTimeAsync(24_000);
  expect(sent).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_100);
  expect(await turn).toMatchObject({ kind: "done" });
  second.close();
});

test("the share left by a 429 continues to grow over a restart", async () => {
  const history = memoryHistory();
  const first = gateOf({ history });
  first.rest(1000);
  await vi.advanceTimersByTimeAsync(30_000);
  first.close();
  const second = gateOf({ history });
  expect(second.state()).toMatchObject({ share: 20, pausedUntil: null });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(second.state().share).toBe(25);
});

test("a clock that was set back lengthens no rest", () => {
  const history = memoryHistory();
  gateOf({ history }).rest(30_000);
  const clock = () => Temporal.Now.instant().subtract({ hours: 5 });
  const second = gateOf({ history, clock });
  expect(second.state().pausedUntil?.since(clock()).total("seconds")).toBe(30);
});

test("run() rejects with the job's reason and gives the place back", async () => {
  const gate = gateOf();
  await expect(
    gate.run(ticket("edit"), async () => {
      throw new Error("broken");
    }),
  ).rejects.toThrow("broken");
  expect(gate.state().inFlight).toBe(0);
  await gate.idle();
});
