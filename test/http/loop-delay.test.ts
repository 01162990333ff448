import { readFile } from "node:fs";
import { createHistogram } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLoopDelayMeter, measureDelays } from "../../src/http/loop-delay.ts";
import { createWake } from "../../src/loop.ts";
import { eventually } from "../support/eventually.ts";

const milliseconds = (length: number): number => length * 1e6;

describe("the meter of event loop delays", () => {
  it("starts with zeros", () => {
    const meter = createLoopDelayMeter(createHistogram());
    expect(meter.read()).toEqual({ p50Ms: 0, p99Ms: 0, longestMs: 0, minutes: 1 });
  });

  it("measures each minute separately, and reports the worst of the last five", () => {
    const histogram = createHistogram();
    const meter = createLoopDelayMeter(histogram);
    histogram.record(milliseconds(90));
    meter.turnOver();
    for (let nth = 0; nth < 99; nth += 1) histogram.record(milliseconds(2));
    expect(meter.read()).toMatchObject({ longestMs: expect.closeTo(90, 0), minutes: 2 });
    for (let nth = 0; nth < 4; nth += 1) meter.turnOver();
    const { p50Ms, longestMs, minutes } = meter.read();
    expect([p50Ms, longestMs, minutes]).toEqual([2, 2, 5]);
    meter.turnOver();
    expect(meter.read()).toMatchObject({ longestMs: 0, minutes: 5 });
  });
});

describe("measured delays", () => {
  it("include each turn of the event loop until aborted", async () => {
    const stop = new AbortController();
    const histogram = measureDelays(stop.signal);
    await eventually("turns are counted", () => histogram.count > 3 || null);
    stop.abort();
    // The look under way is the last one.
    await nextTurn();
    await nextTurn();
    const { count } = histogram;
    await nextTurn();
    await nextTurn();
    expect(histogram.count).toBe(count);
  });

  it.each([
    ["timer", (then: () => void) => void createWake().wait(0, running()).then(then)],
    ["immediate", setImmediate],
    ["answer of a file", (then: () => void) => readFile(import.meta.filename, then)],
  ])("include the duration of a %s callback", async (_, call) => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const histogram = measureDelays(stop.signal);
    let tookMs = 0;
    await new Promise<void>((resolve) => {
      call(() => {
        tookMs = compute(30);
        resolve();
      });
    });
    await eventually("the turn is measured", () => histogram.max >= milliseconds(tookMs) || null);
  });

  it("exclude idle time", () => {
    const turns: (() => void)[] = [];
    let moment = { at: 100, idle: 20 };
    const loop = { moment: () => moment, nextTurn: (turn: () => void) => void turns.push(turn) };
    const histogram = measureDelays(new AbortController().signal, loop);
    moment = { at: 3200, idle: 3100 };
    turns.shift()?.();
    expect([histogram.count, Math.round(histogram.max / milliseconds(1))]).toEqual([1, 20]);
    moment = { at: 3290, idle: 3140 };
    turns.shift()?.();
    expect([histogram.count, Math.round(histogram.max / milliseconds(1))]).toEqual([2, 50]);
  });
});

const running = (): AbortSignal => new AbortController().signal;

/** Computes for so many milliseconds; returns the actual time. */
function compute(ms: number): number {
  const began = performance.now();
  while (performance.now() - began < ms);
  return Math.floor(performance.now() - began);
}
