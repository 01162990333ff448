import { type IcsProblem, readCalendar } from "@dayferry/ical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelId, personId } from "../../../../src/domain/ids.ts";
import type { Acceptance } from "../../../../src/edits/intake/plan-answer.ts";
import type { FileProblem } from "../../../../src/ics/text/problem-in-words.ts";
import { acceptRig, list } from "../../../../test/edits/rig.ts";
import { runs } from "../../../../test/support/effort.ts";
import { anEvent, aTask, days, times } from "../../../../test/support/items.ts";
import { inEnglish } from "../../src/sentences.ts";
import { zone } from "../files.ts";
import { foreignFeeds } from "./feeds.ts";
import { damagedFile, simpleCount } from "./files.ts";
import { nastyFiles } from "./table.ts";

describe("readCalendar() of damaged files", () => {
  it("finishes thousands in time, losing and inventing nothing", () => {
    const tally = { read: 0, refused: 0 };
    fc.assert(
      fc.property(damagedFile([filledRig().feed(), ...foreignFeeds]), (bytes) => {
        tally[expectWhole(bytes)] += 1;
      }),
      { numRuns: runs(20_000) },
    );
    expect(Math.min(tally.read, tally.refused)).toBeGreaterThan(runs(1000));
  });

  it("has a distinct name for each", () => {
    expect(new Set(nastyFiles.map(({ name }) => name)).size).toBe(nastyFiles.length);
    expect(nastyFiles.length).toBeGreaterThan(200);
  });

  it.each(nastyFiles)("answers $name", ({ bytes }) => {
    expectWhole(bytes);
  });
});

describe("accept() of damaged files", () => {
  it("predicts in a dry run what it does, and accepts each item completely or not at all", () => {
    const feed = filledRig().feed();
    fc.assert(
      fc.property(damagedFile([feed, feed, ...foreignFeeds]), (bytes) => expectNoHalves(bytes)),
      { numRuns: runs(250) },
    );
  });

  it("stores nothing in dry runs", () => {
    const rig = filledRig();
    fc.assert(
      fc.property(damagedFile([rig.feed(), ...foreignFeeds]), (bytes) => {
        expectAnswered(rig.send(Buffer.from(bytes).toString("latin1"), { bytes, dryRun: true }));
      }),
      { numRuns: runs(1000) },
    );
    expect(rig.edits()).toEqual([]);
  });

  it("accepts every nasty file completely or not at all", () => {
    const rig = filledRig();
    for (const { name, bytes } of nastyFiles) {
      const began = rig.edits().length;
      const acceptance = rig.send("", { bytes, listId: list });
      expectAnswered(acceptance);
      expectAnswered(rig.send("", { bytes, dryRun: true }));
      const kept = acceptance.kind === "plan" ? keptOf(acceptance).length : 0;
      expect(rig.edits().length - began, name).toBeLessThanOrEqual(kept);
    }
  });
});

type Rig = ReturnType<typeof acceptRig>;

/** A store with items of each kind, as in the published feed. */
function filledRig(): Rig {
  const rig = acceptRig({ labels: "create" });
  rig.put(
    anEvent(501, {
      title: "Review, of “all” drafts; twice",
      description: "<p>Bring both.</p><ul><li>one</li></ul>",
      when: times("2027-03-01T10:00", "2027-03-01T11:30"),
      reminder: Temporal.Duration.from({ minutes: 15 }),
      assigned: [personId(11), personId(12)],
    }),
  );
  rig.put(anEvent(502, { title: "Launch", milestone: true, when: days("2027-03-04") }));
  rig.put(anEvent(503, { title: "Fair", when: days("2027-03-05", "2027-03-07"), private: true }));
  rig.put(aTask(601, { title: "Write\nand read", labels: [labelId(51), labelId(52)] }));
  rig.put(aTask(602, { title: "✓ odd", completed: true, completedAt: rig.clock() }));
  return rig;
}

/** Expects a result with every item of the file, or every reason against it. */
function expectWhole(bytes: Uint8Array): "read" | "refused" {
  const read = readCalendar(bytes, { zone });
  if (!read.ok) {
    expect(read.failure.length).toBeGreaterThan(0);
    expectTold(read.failure);
    return "refused";
  }
  const { items, ignored } = read.value;
  expectTold(ignored);
  expectCounted(items, { bytes, ignored });
  for (const item of items) {
    expectTold(item.problems);
    expect(item.uid !== "" || item.problems.some(({ code }) => code === "missing-uid")).toBe(true);
  }
  return "read";
}

/** Items that a simple parser finds are in the result, unless it says what could not be parsed, or that they are duplicates. */
function expectCounted(
  items: readonly { readonly uid: string; readonly problems: readonly IcsProblem[] }[],
  { bytes, ignored }: { readonly bytes: Uint8Array; readonly ignored: readonly IcsProblem[] },
): void {
  const counted = simpleCount(bytes);
  const isTold = ignored.length > 0 || items.some(({ problems }) => problems.length > 0);
  const isDoubled = new Set(counted).size < counted.length;
  if (!isTold && !isDoubled) {
    const plain = (uid: string | null) => ((uid ?? "").includes("\\") ? "" : (uid ?? ""));
    const found = items.map(({ uid }, at) => (plain(counted[at] ?? "") === "" ? "" : uid));
    expect(found).toEqual(counted.map(plain));
  }
}

function expectTold(problems: readonly (IcsProblem | FileProblem)[]): void {
  for (const { line, code, message } of problems) {
    expect(line === null || (Number.isInteger(line) && line > 0)).toBe(true);
    expect(code).toMatch(/^[a-z0-9-]+$/);
    const said = typeof message === "string" ? message : inEnglish(message);
    expect(said.isWellFormed() && said.length > 10 && said.length < 600).toBe(true);
  }
}

function expectAnswered(acceptance: Acceptance): void {
  expectTold(acceptance.errors);
  if (acceptance.kind === "refused") {
    expect(acceptance.errors.length).toBeGreaterThan(0);
    return;
  }
  for (const { action, uid, problems } of acceptance.items) {
    if (action !== "refused") continue;
    const [reason] = problems;
    expect(reason?.line ?? 0).toBeGreaterThan(0);
    expect(acceptance.errors.some((error) => error.uid === uid)).toBe(true);
  }
}

const keptOf = (plan: Extract<Acceptance, { readonly kind: "plan" }>) =>
  plan.items.flatMap(({ editId }) => editId ?? []);

/** One file for an empty store: previewed, then stored item by item, or not at all. */
function expectNoHalves(bytes: Uint8Array): void {
  const rig = filledRig();
  const told = rig.send("", { bytes, listId: list, dryRun: true });
  expect(rig.edits()).toEqual([]);
  const done = rig.send("", { bytes, listId: list });
  expectAnswered(done);
  if (done.kind === "refused" || told.kind === "refused") {
    expect(told).toEqual(done);
    expect(rig.edits()).toEqual([]);
    return;
  }
  const plain = (plan: typeof done) =>
    plan.items.map((item) => ({ ...item, did: null, editId: null }));
  expect(plain(told)).toEqual(plain(done));
  const isTold = done.errors.length > 0;
  if (!isTold && new Set(simpleCount(bytes)).size === simpleCount(bytes).length)
    expect(new Set(done.items.map(({ series, uid }) => series ?? uid)).size).toBe(
      simpleCount(bytes).length,
    );
  const kept = keptOf(done);
  expect(new Set(kept).size).toBe(kept.length);
  expect(rig.edits().map(({ id }) => id)).toEqual(kept.toSorted((a, b) => a - b));
  for (const { action, editId } of done.items) {
    expect(editId === null).toBe(action === "unchanged" || action === "refused");
  }
}
