import { expect, test } from "vitest";
import { createClockWatch } from "../../src/store/clock-watch.ts";
import { handClock } from "../support/test-store.ts";

function watched() {
  const clock = handClock("2026-11-20T12:00:00Z");
  let ms = 0;
  const watch = createClockWatch({ clock, monotonic: () => ms });
  const pass = (seconds: number, { clockSeconds = seconds } = {}) => {
    ms += seconds * 1000;
    clock.advance({ seconds: clockSeconds });
    return watch.setBack();
  };
  return { pass };
}

test("setBack() is silent while both clocks go on, or the wall clock is set forward", () => {
  const { pass } = watched();
  expect(pass(5)).toBe(null);
  expect(pass(5, { clockSeconds: 10 * 365 * 86_400 })).toBe(null);
  expect(pass(5)).toBe(null);
});

test("setBack() says once by how much the wall clock was set back", () => {
  const { pass } = watched();
  expect(pass(5, { clockSeconds: -3595 })?.total("seconds")).toBe(3600);
  expect(pass(5)).toBe(null);
});

test("setBack() ignores small steps until they add up", () => {
  const { pass } = watched();
  expect(pass(5, { clockSeconds: -25 })).toBe(null);
  expect(pass(5, { clockSeconds: -25 })).toBe(null);
  expect(pass(5, { clockSeconds: -25 })?.total("seconds")).toBe(90);
});
