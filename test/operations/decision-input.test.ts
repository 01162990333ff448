import { describe, expect, it } from "vitest";
import { readDecision } from "../../src/operations/decision-input.ts";

describe("readDecision()", () => {
  it("reads the decision and its version", () => {
    expect(
      readDecision({
        version: "a1",
        keep: "theirs",
        fields: { title: "mine", description: { text: "x" } },
      }),
    ).toEqual({
      ok: true,
      value: {
        version: "a1",
        dryRun: false,
        picks: { keep: "theirs", fields: { title: "mine", description: { text: "x" } } },
      },
    });
  });

  it.each<readonly [unknown, RegExp]>([
    [undefined, /a JSON object/],
    [[], /a JSON object/],
    [{ keep: "mine" }, /^version/],
    [{ version: "a", keep: "ours" }, /^keep/],
    [{ version: "a" }, /^fields: there is no decision/],
    [{ version: "a", keep: "mine", force: true }, /^force: unknown/],
    [{ version: "a", keep: "mine", dryRun: "yes" }, /^dryRun/],
    [{ version: "a", fields: "mine" }, /^fields/],
    [{ version: "a", fields: { name: "mine" } }, /^fields\.name: there is no such field/],
    [{ version: "a", fields: { title: "both" } }, /^fields\.title/],
    [{ version: "a", fields: { title: { text: "x", more: 1 } } }, /^fields\.title/],
  ])("names what is wrong with %j", (body, reason) => {
    const read = readDecision(body);
    expect(read.ok ? "" : read.failure).toMatch(reason);
  });
});
