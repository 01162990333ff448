import { createHistogram } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
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
    const histogram = measureDelays();
    const turns = 20;
    for (let nth = 0; nth < turns; nth += 1) await new Promise((resolve) => setTimeout(resolve, 0));
    expect(histogram.count).toBeGreaterThan(0);
  });
});
