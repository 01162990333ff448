import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playStory } from "../src/demo-story.ts";
import { demoWorld } from "./support/demo-world.ts";

describe("the demo's story", () => {
  let world: Awaited<ReturnType<typeof demoWorld>>;
  beforeAll(async () => {
    world = await demoWorld();
  });
  afterAll(() => world.close());

  const told = () =>
    (world.modules.editActions.list({ state: undefined, limit: 100 }) ?? [])
      .toSorted((a, b) => a.id - b.id)
      .map(({ item, state, channel, reason }) => [item.title, state, channel, reason]);

  it("has a morning's edits, of which four wait for a person", () => {
    expect(told()).toEqual([
      ["500 tote bags 👜", "held", "upload", null],
      ["Demo laptop, spare laptop, adapters", "parked", "caldav", "refused"],
      ["Weekly call with Haddad & Sons (by video)", "parked", "caldav", "conflict"],
      ["Redirects from the old site", "parked", "upload", "conflict"],
      ["Sprint planning", "confirmed", "caldav", null],
      ["Footer with three languages", "confirmed", "caldav", null],
      ["Hotel for four", "confirmed", "caldav", null],
      ["Store texts", "confirmed", "upload", null],
      ["Booth is built", "confirmed", "caldav", null],
      ["Wrong date on the last Sunday of March", "confirmed", "link", null],
      ["Release 2.0 (postponed?)", "undone", "caldav", null],
      ["Release 2.0", "confirmed", "dashboard", null],
    ]);
  });

  it("has fields to choose from in each conflict", () => {
    const parked = world.modules.editActions.list({ state: "parked", limit: 10 }) ?? [];
    const conflicts = parked
      .filter(({ reason }) => reason === "conflict")
      .map((edit) => [edit.item.title, edit.conflicts.map(({ field }) => field).toSorted()]);
    expect(conflicts).toEqual([
      ["Redirects from the old site", ["dueOn"]],
      ["Weekly call with Haddad & Sons (by video)", ["title", "when"]],
    ]);
  });

  it("has a person's filtered feed, which two programs have fetched", () => {
    const feed = world.modules.feeds.list().find(({ automatic }) => !automatic);
    expect(feed).toMatchObject({ kind: "person", filter: { kinds: ["task"], completed: "none" } });
    expect(feed?.fetches.map(({ program }) => program).toSorted()).toEqual([
      "Google",
      "Thunderbird",
    ]);
  });

  it("is created once", async () => {
    const before = told();
    await playStory(world.place);
    expect(told()).toEqual(before);
  });
});
