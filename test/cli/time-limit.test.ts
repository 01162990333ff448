import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startTimeLimit } from "../../src/cli/time-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tenSeconds = Temporal.Duration.from({ seconds: 10 });

it("a time limit ends the work once, when the time is used up", () => {
  const onOver = vi.fn<() => void>();
  const limit = startTimeLimit(tenSeconds, onOver);
  vi.advanceTimersByTime(9_999);
  expect([onOver.mock.calls.length, limit.isOver()]).toEqual([0, false]);
  vi.advanceTimersByTime(1);
  limit.resume();
  vi.advanceTimersByTime(60_000);
  expect([onOver.mock.calls.length, limit.isOver()]).toEqual([1, true]);
});

it("a paused time limit does not count the pause", () => {
  const onOver = vi.fn<() => void>();
  const limit = startTimeLimit(tenSeconds, onOver);
  for (let round = 0; round < 3; round += 1) {
    vi.advanceTimersByTime(3_000);
    limit.pause();
    limit.pause();
    vi.advanceTimersByTime(60_000);
    limit.resume();
    limit.resume();
  }
  vi.advanceTimersByTime(999);
  expect(onOver).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onOver).toHaveBeenCalledOnce();
});
