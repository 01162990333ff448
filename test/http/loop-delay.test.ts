import { spawnSync } from "node:child_process";
import { readFile } from "node:fs";
import { createHistogram } from "node:perf_hooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLoopDelayMeter, measureDelays } from "../../src/http/loop-delay.ts";

const milliseconds = (length: number): number => length * 1e6;

describe("createLoopDelayMeter()", () => {
  it("read() result when nothing was measured yet", () => {
    const meter = createLoopDelayMeter(createHistogram());
    expect(meter.read()).toEqual({ p50Ms: 0, p99Ms: 0, longestMs: 0, minutes: 1 });
  });

  it("turnOver() result is that each minute is looked at by itself, and the worst of the last five told", () => {
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

describe("measureDelays()", () => {
  it("result is a histogram that counts turns of the event loop", async () => {
    const stop = new AbortController();
    const histogram = measureDelays(stop.signal);
    const turns = 20;
    for (let nth = 0; nth < turns; nth += 1) await nextTimer();
    expect(histogram.count).toBeGreaterThan(0);
    stop.abort();
    await nextTimer();
    const { count } = histogram;
    for (let nth = 0; nth < turns; nth += 1) await nextTimer();
    expect(histogram.count).toBe(count);
  });

  it.each([
    ["timer", setTimeout],
    ["immediate", setImmediate],
    ["answer of a file", (then: () => void) => readFile(import.meta.filename, then)],
  ])("result holds what the callback of a %s has taken", async (_, call) => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const histogram = measureDelays(stop.signal);
    await new Promise<void>((resolve) => {
      call(() => {
        compute(30);
        resolve();
      });
    });
    await nextTimer();
    expect(histogram.max).toBeGreaterThanOrEqual(milliseconds(29));
  });

  it("result holds no rest", async () => {
    const child = spawnSync(process.execPath, ["--input-type=module", "--eval", restingScript]);
    expect(child.stderr.toString()).toBe("");
    expect(Number(child.stdout)).toBeLessThan(milliseconds(3000));
  });
});

/** Tells the longest turn of a process that rests for three seconds. */
const restingScript = `
  import { measureDelays } from ${JSON.stringify(new URL("../../src/http/loop-delay.ts", import.meta.url))};
  const histogram = measureDelays(new AbortController().signal);
  setTimeout(() => setImmediate(() => console.log(histogram.max)), 3000);
`;

const nextTimer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Computes for so many milliseconds. */
function compute(ms: number): void {
  const began = performance.now();
  while (performance.now() - began < ms);
}
