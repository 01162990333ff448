import { describe, expect, it } from "vitest";
import { Outage, type TryEnding } from "../../src/upstream/send-request.ts";

function outageRig() {
  let nowMs = 0;
  let ends = 0;
  const outage = new Outage(
    () => nowMs,
    () => {
      ends += 1;
    },
  );
  const tried = (request: string, isFailing: boolean, more: Partial<TryEnding> = {}) =>
    outage.note({ request, isFailing, isWrite: false, problem: "it answers 503", ...more });
  return {
    outage,
    tried,
    advance: (ms: number) => {
      nowMs += ms;
    },
    ends: () => ends,
  };
}

describe("Outage", () => {
  it("ends with the first answer after different reads have failed", () => {
    const { outage, tried, ends } = outageRig();
    tried("GET /a", true);
    tried("GET /b", true);
    expect(outage.isOut).toBe(true);
    tried("GET /c", false);
    expect([outage.isOut, ends()]).toEqual([false, 1]);
    tried("GET /c", false);
    expect(ends()).toBe(1);
  });

  it("does not begin when one request fails while others are answered", () => {
    const { outage, tried, ends } = outageRig();
    for (let round = 0; round < 5; round++) {
      tried("GET /poisoned", true);
      tried("GET /poisoned", true);
      tried("GET /a", false);
    }
    expect([outage.isOut, ends()]).toEqual([false, 0]);
  });

  it("begins when a single request fails for long and nothing else is asked", () => {
    const { outage, tried, advance } = outageRig();
    tried("GET /a", true);
    advance(2999);
    expect(outage.isOut).toBe(false);
    advance(1);
    expect(outage.isOut).toBe(true);
  });

  it("ends for writes with the first answered write, whatever reads say", () => {
    const { tried, ends } = outageRig();
    tried("PUT /a", true, { isWrite: true });
    tried("GET /a", false);
    expect(ends()).toBe(0);
    tried("PUT /b", false, { isWrite: true });
    expect(ends()).toBe(1);
  });
});
