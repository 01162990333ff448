import { describe, expect, it } from "vitest";
import { forecastOf } from "../../src/sync/forecast.ts";

const maxAge = Temporal.Duration.from({ minutes: 15 });

describe("the forecast", () => {
  it.each([
    [73, 33],
    [1120, 498],
    [1670, 743],
  ])("is met with %i lists, which take %i s", (sources, bestAgeSeconds) => {
    const forecast = forecastOf({ sources, pace: 2.25, share: 0.9, maxAge });
    expect(forecast).toMatchObject({ sources, bestAgeSeconds, isMet: true, advice: null });
  });

  it("shows the calculation and what would help if it is not met", () => {
    const forecast = forecastOf({ sources: 11_200, pace: 2.25, share: 0.9, maxAge });
    expect(forecast).toMatchObject({ bestAgeSeconds: 4978, ceilingSeconds: 19_912, isMet: false });
    expect(forecast.advice).toBe(
      "11200 lists are read with one request each, 2.25 per second: a round takes 83 minutes, too long to keep all within " +
        "polling.maxAge, 15 minutes. Each is read after 5.6 hours at the latest, so that most requests go where changes are likely. " +
        "What would help: archive lists and projects that no one needs, down to 1670 lists, or raise polling.maxAge to 101 minutes.",
    );
  });

  it("names the share that would be enough, if there is one", () => {
    const forecast = forecastOf({ sources: 1500, pace: 1.25, share: 0.5, maxAge });
    expect(forecast.advice).toContain("raise polling.share to 0.81");
    const without = forecastOf({ sources: 1500, pace: 1.25, share: 0.9, maxAge });
    expect(without.advice).not.toContain("polling.share");
  });
});
