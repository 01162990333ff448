import { describe, expect, it } from "vitest";
import { episodeRow, troubleRow } from "../../../src/store/rows/trouble-rows.ts";

const row = {
  id: 1,
  identity: "mail-failing",
  trouble: '{"kind":"mail-failing","waiting":2,"problem":"no answer"}',
  since: "2026-11-24T08:00:00.000Z",
  gone_at: null,
  over_at: null,
};

describe("episodeRow()", () => {
  it("has the facts and the times", () => {
    expect(episodeRow(row)).toMatchObject({
      trouble: { kind: "mail-failing", waiting: 2, problem: "no answer" },
      goneAt: null,
    });
  });

  it("is missing for a kind that only a later build knows", () => {
    const trouble = '{"kind":"moon-too-bright"}';
    expect(episodeRow({ ...row, trouble })).toBeNull();
    expect(troubleRow({ trouble })).toBeNull();
  });
});
