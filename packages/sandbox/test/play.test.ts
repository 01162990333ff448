import { expect, test } from "vitest";
import { type PlayedChange, playChange } from "../src/play.ts";
import { Random } from "../src/seed/random.ts";
import { at, items, type Rig, startRig } from "./rig.ts";

function play(rig: Rig, rounds: number): readonly (PlayedChange | null)[] {
  const random = new Random(5);
  return Array.from({ length: rounds }, () =>
    playChange(rig.sandbox.workspace, () => random.next()),
  );
}

test("playChange() makes the same changes for the same numbers, of every kind and by several people", async () => {
  const first = play(await startRig({ size: "s" }), 60);
  expect(play(await startRig({ size: "s" }), 60)).toEqual(first);
  expect(first).not.toContain(null);
  expect(new Set(first.map((it) => it?.kind))).toEqual(new Set(["event", "task", "comment"]));
  expect(new Set(first.map((it) => it?.personId)).size).toBeGreaterThanOrEqual(3);
});

test("playChange() is visible to everyone else over HTTP, and uses no quota", async () => {
  const rig = await startRig({ size: "s" });
  const before = (await rig.call("GET /alltodo?completed=true")).json;
  rig.clock.advance(60);
  const played = play(rig, 40);
  expect(rig.sandbox.requests.entries()).toHaveLength(1);
  expect(played.some((it) => it?.personId === rig.person("Ana"))).toBe(false);
  const after = (await rig.call("GET /alltodo?completed=true")).json;
  expect(after).not.toEqual(before);
  const changed = items(at(after, "todos")).filter(
    (it) => at(it, "updated_at") === "2026-03-10T11:01:00+00:00",
  );
  expect(changed.length).toBeGreaterThan(0);
});

test("playChange() adds something even to an empty workspace", async () => {
  const rig = await startRig({ size: "empty" });
  for (const played of play(rig, 30))
    expect(played === null || played.personId !== rig.person("Farid")).toBe(true);
  const { json } = await rig.call("GET /alltodo?completed=true");
  expect(Number(at(json, "total_count"))).toBeGreaterThan(0);
});

test("playChange() works for a long evening, including clock changes", async () => {
  const at = Temporal.Instant.from("2026-10-24T18:00:00Z");
  const rig = await startRig({ size: "s", clock: () => at });
  for (const played of play(rig, 600)) expect(played).not.toBeNull();
});
