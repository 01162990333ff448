import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../../src/domain/ids.ts";
import type { BeliefRow } from "../../../src/store/rows/belief-rows.ts";
import { storeRig } from "../rig.ts";

const row: BeliefRow = {
  source: "tasks:1",
  polledAt: 1_780_000_000.25,
  lastChange: 1_779_999_000.5,
  changes: 3,
  gaps: 1.5,
  gapSeconds: 220.75,
  odds: Float32Array.of(0.5, 2, 1e-20),
  hours: Float32Array.of(0, 1),
};

describe("put()", () => {
  it("keeps all numbers, of sources and of others", () => {
    const { beliefs, sources } = storeRig().store;
    sources.put([{ kind: "tasks", projectId: projectId(1), listId: listId(1) }]);
    beliefs.put([row, { ...row, source: "tasks:404" }], 1);
    expect(beliefs.get("tasks:1", 1)).toEqual(row);
    expect(beliefs.get("tasks:404", 1)).toEqual({ ...row, source: "tasks:404" });
    beliefs.put([{ ...row, odds: null, hours: null, lastChange: null }], 1);
    expect(beliefs.get("tasks:1", 1)).toMatchObject({ odds: null, hours: null, lastChange: null });
  });

  it("keeps nothing of a source that is gone", () => {
    const { beliefs, sources } = storeRig().store;
    sources.put([{ kind: "labels" }]);
    beliefs.put([{ ...row, source: "labels" }], 1);
    sources.drop(["labels"]);
    expect(beliefs.get("labels", 1)).toBeNull();
  });
});
