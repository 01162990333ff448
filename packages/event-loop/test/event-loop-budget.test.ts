import { describe, expect, test } from "vitest";
import { createEventLoopBudget, type EventLoopBudget, inTurns } from "../src/index.ts";

/** Turns with a clock and rounds of an event loop that the test advances. */
function rig() {
  let now = 0;
  let next: (() => void)[] = [];
  const eventLoop = createEventLoopBudget({
    monotonic: () => now,
    soon: (callback) => queueMicrotask(() => process.nextTick(callback)),
    later: (callback) => void next.push(callback),
  });
  return {
    eventLoop,
    work: (ms: number) => {
      now += ms;
    },
    /** Runs so many rounds of the event loop, with their consequences. */
    rounds: async (count: number) => {
      for (let round = 0; round < count; round += 1) {
        const callbacks = next;
        next = [];
        for (const callback of callbacks) callback();
        await settled();
      }
    },
    isAtRest: () => next.length === 0,
  };
}

/** Lets resolved promises continue. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => resolve());
  });

describe("createEventLoopBudget()", () => {
  test("runs at once while the turn has time left", async () => {
    const { eventLoop, work } = rig();
    await eventLoop.share();
    work(7);
    expect(eventLoop.isOver()).toBe(false);
    await eventLoop.share();
    work(1);
    expect(eventLoop.isOver()).toBe(true);
  });

  test("waits for the next turn when much comes in one", async () => {
    const { eventLoop, work, rounds, isAtRest } = rig();
    const had: string[] = [];
    const ask = (name: string, ms: number) =>
      eventLoop.share().then(() => {
        had.push(name);
        work(ms);
      });
    const asked = [ask("a", 5), ask("b", 5), ask("c", 9), ask("d", 1), ask("e", 1)];
    await settled();
    expect(had).toEqual(["a", "b"]);
    await rounds(1);
    expect(had).toEqual(["a", "b"]);
    await rounds(1);
    expect(had).toEqual(["a", "b", "c"]);
    await rounds(2);
    expect(had).toEqual(["a", "b", "c", "d", "e"]);
    await Promise.all(asked);
    await rounds(2);
    expect(isAtRest()).toBe(true);
    expect(eventLoop.isOver()).toBe(false);
  });

  test("gives later requests of the same caller a place behind others", async () => {
    const { eventLoop, work, rounds } = rig();
    const had: string[] = [];
    const go = async (name: string) => {
      for (let step = 1; step <= 2; step += 1) {
        await eventLoop.share();
        had.push(`${name}${step}`);
        work(10);
      }
    };
    const both = Promise.all([go("a"), go("b")]);
    await settled();
    await rounds(6);
    await both;
    expect(had).toEqual(["a1", "b1", "a2", "b2"]);
  });
});

describe("inTurns()", () => {
  function* steps(work: () => void, count: number): Generator<number> {
    for (let step = 1; step <= count; step += 1) {
      work();
      yield step;
    }
  }

  test("gives way between many steps", async () => {
    const { eventLoop, work, rounds } = rig();
    let done = 0;
    const all = inTurns(
      steps(() => {
        work(3);
        done += 1;
      }, 7),
      eventLoop,
    );
    await settled();
    expect(done).toBe(3);
    await rounds(2);
    expect(done).toBe(6);
    await rounds(2);
    await all;
    expect(done).toBe(7);
  });

  test("passes on what a step throws", async () => {
    const { eventLoop } = rig();
    const broken = steps(() => {
      throw new Error("a broken step");
    }, 1);
    await expect(inTurns(broken, eventLoop)).rejects.toThrow("a broken step");
  });

  test("gives way on the event loop itself", async () => {
    const eventLoop: EventLoopBudget = createEventLoopBudget();
    let done = 0;
    await inTurns(
      steps(() => {
        done += 1;
      }, 1000),
      eventLoop,
    );
    expect(done).toBe(1000);
  });
});
