import { describe, expect, it } from "vitest";
import { itemKey } from "../../src/domain/ids.ts";
import { areSettled, judgeRefusal, planAbsences } from "../../src/sync/absence.ts";
import type { Failure } from "../../src/upstream/failure.ts";

const request = "GET /projects/1/events/2";
const refused = (status: number): Failure => ({
  kind: "refused",
  status,
  message: "no",
  request,
});

describe("a refused item", () => {
  const second = Temporal.Duration.from({ seconds: 1 });
  it.each([
    [refused(404), false, "gone"],
    [refused(410), false, "gone"],
    [refused(403), true, "gone"],
    [refused(403), false, "unknown"],
    [refused(401), true, "unknown"],
    [refused(400), true, "unknown"],
    [{ kind: "unavailable", status: 500, message: "", request, retryAfter: null }, true, "unknown"],
    [{ kind: "unreadable", message: "HTML", request }, true, "unknown"],
    [{ kind: "rate-limited", retryAfter: second, request }, true, "unknown"],
    [{ kind: "service-refused", code: 7, message: "", request }, true, "unknown"],
    [{ kind: "unknown-outcome", message: "", request }, true, "unknown"],
    [{ kind: "aborted", request }, true, "unknown"],
  ] as const)(
    "that responds with %j while its list can be read is %s",
    (failure, readable, verdict) => {
      expect(judgeRefusal(failure, readable)).toBe(verdict);
    },
  );
});

describe("absent items", () => {
  /** For each source the items reported as gone, and the number of the others. */
  const missing = (sources: Readonly<Record<string, readonly [readonly number[], number]>>) => ({
    counts: new Map(
      Object.entries(sources).map(([source, [gone, open]]) => [
        source,
        { open, confirmed: gone.length },
      ]),
    ),
    confirmedOf: (source: string) =>
      (sources[source]?.[0] ?? []).map((item) => ({ item: itemKey(item) })),
  });
  const facts = { brakeOf: () => null, unread: () => [] };

  it("are buried once confirmed, unless something holds them", () => {
    expect(planAbsences({ ...facts, ...missing({ "events:1": [[1], 1] }) })).toEqual({
      bury: [itemKey(1)],
      read: new Set(),
      braked: 0,
    });
  });

  it("name the lists to read first if a task may have moved there", () => {
    const unread = () => ["tasks:2", "tasks:3"];
    const plan = planAbsences({ ...facts, ...missing({ "tasks:1": [[1], 1] }), unread });
    expect(plan).toEqual({ bury: [], read: new Set(["tasks:2", "tasks:3"]), braked: 0 });
  });

  it("are buried only after all checks if their source is braked", () => {
    const brake = { missing: 2, needsPerson: false, releasedAt: null };
    const brakeOf = (source: string) => (source === "tasks:1" ? brake : null);
    const some = missing({ "tasks:1": [[1], 1], "tasks:2": [[3], 0] });
    expect(planAbsences({ ...facts, brakeOf, ...some })).toMatchObject({
      bury: [itemKey(3)],
      braked: 2,
    });
    const all = missing({ "tasks:1": [[1, 2], 0], "tasks:2": [[3], 0] });
    expect(planAbsences({ ...facts, brakeOf, ...all }).bury).toHaveLength(3);
  });
});

describe("checks are settled", () => {
  const brake = { source: "tasks:1", missing: 12, needsPerson: true, releasedAt: null };
  const releasedAt = Temporal.Instant.from("2026-05-01T10:00:00Z");
  const open = ["tasks:1"];
  it.each([
    ["there is no question", [], [], false, true],
    ["one waits", open, [], false, false],
    ["one is to be left aside", open, [], true, true],
    ["a person has to let it go", open, [brake], false, true],
    ["a person has let it go", open, [{ ...brake, releasedAt }], false, false],
    ["the service has to confirm it", open, [{ ...brake, needsPerson: false }], false, false],
    ["another source is braked", open, [{ ...brake, source: "tasks:2" }], false, false],
  ])("%s", (_what, deletionChecks, brakes, aside, settled) => {
    const itemsOf = () => [itemKey(1)];
    expect(areSettled(deletionChecks, { brakes, itemsOf, isAside: () => aside })).toBe(settled);
  });
});
