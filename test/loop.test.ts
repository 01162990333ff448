import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createWake, runLoop } from "../src/loop.ts";
import { currentLanguage, inLanguage } from "../src/texts/say.ts";

const seconds = (count: number) => Temporal.Duration.from({ seconds: count });
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Lets real turns of the event loop pass while the faked time stands still. */
async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(() => resolve());
    });
  }
  expect(condition()).toBe(true);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function start(
  step: (signal: AbortSignal) => Promise<"idle" | "worked">,
  more: { readonly random?: number; readonly onFault?: () => void } = {},
) {
  const stop = new AbortController();
  const wake = createWake();
  const faults: (readonly [unknown, number])[] = [];
  const ended = runLoop({
    step,
    idle: seconds(60),
    signal: stop.signal,
    onFault: (error, consecutive) => {
      faults.push([error, consecutive]);
      more.onFault?.();
    },
    random: () => more.random ?? 0,
    wake,
  });
  return { stop, wake, faults, ended };
}

describe("runLoop()", () => {
  test("rests only when no step finds work", async () => {
    let runs = 0;
    const loop = start(async () => (++runs < 4 ? "worked" : "idle"));
    await until(() => runs === 4);
    await later(59_999);
    expect(runs).toBe(4);
    await later(1);
    expect(runs).toBe(5);
    loop.stop.abort();
    await loop.ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  test("runs steps outside the request that started it", async () => {
    const said: string[] = [];
    const loop = inLanguage(
      () => "de",
      () => start(async () => (said.push(currentLanguage()) < 3 ? "worked" : "idle")),
    );
    await until(() => said.length === 3);
    expect(said).toEqual(["en", "en", "en"]);
    loop.stop.abort();
    await loop.ended;
  });

  test("asks for the length of each rest", async () => {
    const rests = [3, 5];
    let runs = 0;
    const stop = new AbortController();
    const ended = runLoop({
      async step() {
        runs += 1;
        return "idle";
      },
      idle: () => seconds(rests.shift() ?? 60),
      signal: stop.signal,
      onFault: () => undefined,
      random: () => 0,
    });
    await until(() => vi.getTimerCount() === 1);
    for (const [ms, expected] of [
      [2_999, 1],
      [1, 2],
      [4_999, 2],
      [1, 3],
    ] as const) {
      await later(ms);
      expect(runs).toBe(expected);
    }
    stop.abort();
    await ended;
  });

  test("goes on without a rest while every step has work", async () => {
    let runs = 0;
    const loop = start(async () => {
      runs += 1;
      return "worked";
    });
    // Only a loop that yields lets this immediate run at all.
    await new Promise<void>((resolve) => {
      setImmediate(() => resolve());
    });
    loop.stop.abort();
    await loop.ended;
    expect(runs).toBeGreaterThan(0);
  });

  test("wakes while idle and after a running step", async () => {
    let runs = 0;
    const loop = start(async () => {
      runs += 1;
      if (runs === 2) loop.wake.notify();
      return "idle";
    });
    await later(0);
    expect(runs).toBe(1);
    loop.wake.notify();
    await later(0);
    expect(runs).toBe(3);
    await later(59_000);
    expect(runs).toBe(3);
    loop.stop.abort();
    await loop.ended;
  });

  test.each([
    [0, [500, 1000, 2000, 4000]],
    [0.5, [750, 1500, 3000, 6000]],
  ])("rests longer with each fault, with random %d", async (random, rests) => {
    let runs = 0;
    const loop = start(
      async () => {
        runs += 1;
        throw new Error(`fault ${runs}`);
      },
      { random },
    );
    await later(0);
    for (const [index, rest] of rests.entries()) {
      expect(runs).toBe(index + 1);
      await later(rest - 1);
      expect(runs).toBe(index + 1);
      await later(1);
    }
    expect(loop.faults.map(([, consecutive]) => consecutive)).toEqual([1, 2, 3, 4, 5]);
    loop.stop.abort();
    await loop.ended;
  });

  test("never rests longer than the cap", async () => {
    let runs = 0;
    const loop = start(async () => {
      runs += 1;
      throw new Error("always");
    });
    await later(24 * 3_600_000);
    const before = runs;
    await later(150_000);
    expect(runs).toBe(before + 1);
    loop.stop.abort();
    await loop.ended;
  });

  test("counts faults from zero after a step succeeds", async () => {
    const endings = ["fault", "fault", "worked", "fault", "idle"];
    const loop = start(async () => {
      const ending = endings.shift();
      if (ending === "fault") throw new Error("fault");
      return ending === "worked" ? "worked" : "idle";
    });
    await later(500);
    await later(1000);
    await until(() => loop.faults.length === 3);
    expect(loop.faults.map(([, count]) => count)).toEqual([1, 2, 1]);
    loop.stop.abort();
    await loop.ended;
  });

  test("keeps resting after a fault although it is woken", async () => {
    let runs = 0;
    const loop = start(async () => {
      runs += 1;
      if (runs === 1) throw new Error("once");
      return "idle";
    });
    await later(0);
    loop.wake.notify();
    await later(499);
    expect(runs).toBe(1);
    await later(1);
    expect(runs).toBe(3);
    loop.stop.abort();
    await loop.ended;
  });

  test("goes on when the listener for faults fails", async () => {
    let runs = 0;
    const loop = start(
      async () => {
        runs += 1;
        throw new Error("fault");
      },
      {
        onFault: () => {
          throw new Error("the log is full");
        },
      },
    );
    await later(2000);
    expect(runs).toBe(3);
    loop.stop.abort();
    await loop.ended;
  });

  test("ends without a fault when the abort interrupts a step", async () => {
    const loop = start(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("interrupted")));
        }),
    );
    await later(0);
    loop.stop.abort();
    await loop.ended;
    expect(loop.faults).toEqual([]);
  });

  test("runs nothing when its signal is already aborted", async () => {
    const step = vi.fn(async () => "idle" as const);
    const options = { step, idle: seconds(1), onFault: () => undefined, random: Math.random };
    await runLoop({ ...options, signal: AbortSignal.abort() });
    expect(step).not.toHaveBeenCalled();
  });
});

describe("createWake()", () => {
  test("ends a wait at once, and only once, after an earlier notification", async () => {
    const { signal } = new AbortController();
    const wake = createWake();
    wake.notify();
    wake.notify();
    await wake.wait(1000, signal);
    const ended = vi.fn();
    const second = wake.wait(1000, signal).then(ended);
    await later(999);
    expect(ended).not.toHaveBeenCalled();
    await later(1);
    await second;
    expect(ended).toHaveBeenCalledOnce();
  });

  test("wakes every sleeper on a notification", async () => {
    const { signal } = new AbortController();
    const wake = createWake();
    const all = Promise.all([wake.wait(1e12, signal), wake.wait(1e12, signal)]);
    wake.notify();
    await all;
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("runLoop() goes on at once after a fault whose cause has gone", async () => {
  const stop = new AbortController();
  const recovered = createWake();
  let steps = 0;
  const ended = runLoop({
    step: async () => {
      steps += 1;
      if (steps === 1) throw new Error("full");
      return "idle";
    },
    idle: seconds(60),
    signal: stop.signal,
    onFault: () => {},
    random: () => 0,
    recovered,
    afterFaults: { first: seconds(300), ceiling: seconds(300) },
  });
  await until(() => steps === 1);
  await later(0);
  recovered.notify();
  await until(() => steps === 2);
  stop.abort();
  await ended;
});
