import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { WeakFeedKeyError } from "../../src/feeds/feed-addresses.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { feedOptions } from "../support/feed-options.ts";
import { aProject } from "../support/items.ts";
import { feedKey, feedRig, secretIn } from "./rig.ts";

const ofProject = {
  kind: "project",
  projectId: projectId(2001),
  personId: null,
  filter: null,
  name: null,
  colour: null,
} as const;

describe("addresses of feeds", () => {
  it("are created for the known projects", () => {
    const { feeds, opened, clock } = feedRig();
    opened(2001).body();
    const feed = opened(2001);
    feed.head();
    feed.fetched("Google-Calendar-Importer");
    expect(feeds.list()).toEqual([
      {
        id: 1,
        name: "Website",
        kind: "project",
        projectId: 2001,
        personId: null,
        filter: null,
        automatic: true,
        colour: "project",
        shownColour: null,
        problem: null,
        fetches: [expect.objectContaining({ program: "Google", visits: 1 })],
        path: expect.stringMatching(/^\/feeds\/[0-9a-v]{32}\/website\.ics$/),
        createdAt: clock(),
        revokedAt: null,
        lastFetch: { at: clock(), agent: "Google-Calendar-Importer" },
        items: 0,
        bytes: opened(2001).body().byteLength,
      },
      expect.objectContaining({
        id: 2,
        name: "Trade fair",
        lastFetch: null,
        items: null,
        bytes: null,
      }),
    ]);
  });

  it("follow the directory: new projects and names, and nothing is read otherwise", () => {
    const { store, feeds } = feedRig();
    const names = () => feeds.list().map(({ name }) => name);
    const asked: number[] = [];
    const known = { ...store.directory };
    Object.assign(store.directory, {
      projects() {
        asked.push(asked.length);
        return known.projects();
      },
    });
    feeds.ensure();
    expect(asked).toEqual([]);
    store.directory.putProjects(
      [aProject(2001, "Relaunch"), aProject(2002, "Trade fair"), aProject(2003, "New")],
      true,
    );
    feeds.ensure();
    feeds.ensure();
    expect(asked).toHaveLength(1);
    expect(names()).toEqual(["Relaunch", "Trade fair", "New"]);
    expect(feeds.openCount()).toBe(3);
    const [first] = feeds.list();
    expect(feeds.open(secretIn(first?.path ?? ""))?.slug).toBe("relaunch");
  });

  it("need the whole secret, in its case", () => {
    const { feeds } = feedRig();
    const secret = secretIn(feeds.list()[0]?.path ?? "");
    expect(feeds.open(secret)?.slug).toBe("website");
    for (const wrong of [
      "",
      secret.slice(1),
      `${secret}0`,
      secret.toUpperCase(),
      "0".repeat(32),
      "é".repeat(32),
      `${secret}\n`,
    ]) {
      expect(feeds.open(wrong)).toBeNull();
    }
  });

  it("are replaced by rotation, and the old one never works again", () => {
    const { feeds } = feedRig();
    const [before] = feeds.list();
    if (!before) throw new Error("there is no feed");
    const after = feeds.rotate(before.id);
    expect(after?.id).toBe(before.id);
    expect(after?.path).not.toBe(before.path);
    expect(feeds.open(secretIn(before.path))).toBeNull();
    expect(feeds.open(secretIn(after?.path ?? ""))?.id).toBe(before.id);
    feeds.rotate(before.id);
    expect(feeds.open(secretIn(before.path))).toBeNull();
  });

  it("end if revoked, and a new feed gets another one", () => {
    const { feeds } = feedRig();
    const [before] = feeds.list();
    if (!before) throw new Error("there is no feed");
    expect(feeds.revoke(before.id)).toBe(true);
    expect(feeds.revoke(before.id)).toBe(false);
    expect(feeds.rotate(before.id)).toBeNull();
    feeds.ensure();
    expect(feeds.open(secretIn(before.path))).toBeNull();
    expect(feeds.list().filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
    const again = feeds.create(ofProject);
    expect(again.id).not.toBe(before.id);
    expect(feeds.open(secretIn(before.path))).toBeNull();
    expect(feeds.open(secretIn(again.path))).not.toBeNull();
    expect(feeds.create(ofProject).id).not.toBe(again.id);
  });

  it("still work if a project is renamed, with the new name and slug", () => {
    const { feeds, store, text } = feedRig();
    const path = feeds.list()[0]?.path ?? "";
    store.directory.putProjects([aProject(2001, "Größe, neu")], false);
    feeds.ensure();
    expect(feeds.open(secretIn(path))?.slug).toBe("grosse-neu");
    expect(text()).toContain("X-WR-CALNAME:Größe\\, neu\r\n");
  });

  it("keep a given name, whatever the project is called", () => {
    const { feeds, store, text } = feedRig();
    const [before] = feeds.list();
    if (!before) throw new Error("there is no feed");
    const named = (name: string | null) => feeds.change(before.id, { name })?.name;
    expect(feeds.change(before.id, { name: "Our relaunch" })).toMatchObject({
      id: before.id,
      name: "Our relaunch",
      path: `/feeds/${secretIn(before.path)}/our-relaunch.ics`,
    });
    expect(feeds.open(secretIn(before.path))?.slug).toBe("our-relaunch");
    expect(text()).toContain("X-WR-CALNAME:Our relaunch\r\n");
    store.directory.putProjects([aProject(2001, "Größe, neu")], false);
    feeds.ensure();
    expect(feeds.change(before.id, {})?.name).toBe("Our relaunch");
    expect(named("Ours")).toBe("Ours");
    expect(text()).toContain("X-WR-CALNAME:Ours\r\n");
    expect(named(null)).toBe("Größe, neu");
    store.directory.putProjects([aProject(2001, "Website")], false);
    feeds.ensure();
    expect(text()).toContain("X-WR-CALNAME:Website\r\n");
    feeds.revoke(before.id);
    expect(named("Gone")).toBeUndefined();
  });

  it("need a long key, and change with it", () => {
    const { store, feeds, clock } = feedRig();
    const options = feedOptions();
    expect(() =>
      createPublishedFeeds({ store, clock, options, key: feedKey.subarray(0, 31) }),
    ).toThrow(WeakFeedKeyError);
    const others = createPublishedFeeds({ store, clock, options, key: Buffer.alloc(32, 7) });
    expect(others.open(secretIn(feeds.list()[0]?.path ?? ""))).toBeNull();
  });
});
