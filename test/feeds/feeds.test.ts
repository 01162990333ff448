import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { labelId, listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import { createPublishedFeeds, FeedMovedError, WeakFeedKeyError } from "../../src/feeds/feeds.ts";
import { FragmentError } from "../../src/feeds/fragments.ts";
import { FeedBuildError } from "../../src/feeds/live-feed.ts";
import { writeEvent } from "../../src/ics/write/write-event.ts";
import { aLabel, anEvent, aPerson, aProject, aTask, days, times } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { feedKey, feedOptions, feedRig, secretIn } from "./rig.ts";

const byTitle = (text: string) => {
  const read = [...readBack(text).values()];
  return new Map(read.map((event) => [event.summary, event]));
};

describe("a feed, read by other programs", () => {
  it("body() result when a project has every kind of item", () => {
    const { put, text } = feedRig();
    put(anEvent(1, { title: "Kick-off", reminder: Temporal.Duration.from("PT15M") }));
    put(anEvent(2, { title: "No end", when: times("2026-07-01T09:00") }));
    put(anEvent(3, { title: "Fair", when: days("2026-12-01", "2026-12-03") }));
    put(anEvent(4, { title: "Launch", milestone: true, when: days("2026-12-24") }));
    put(aTask(1, { title: "Draft", labels: [labelId(51), labelId(52)], assigned: [personId(12)] }));
    put(
      aTask(2, {
        kind: "subtask",
        parentId: serviceId(1),
        title: "Part",
        completed: true,
        completedAt: Temporal.Instant.from("2026-11-19T10:00:00Z"),
      }),
    );
    put(aTask(3, { title: "Undated", dueOn: null }));
    const read = byTitle(text());
    // "No end" is longer ago than 90 days.
    expect([...read.keys()]).toEqual(["Kick-off", "✓ Part", "Draft", "Fair", "◆ Launch"]);
    expect(read.get("Kick-off")).toMatchObject({
      start: "2026-11-23T09:00:00Z",
      end: "2026-11-23T10:00:00Z",
      alarm: 15,
      transparent: false,
    });
    expect(read.get("Fair")).toMatchObject({
      start: "2026-12-01",
      end: "2026-12-04",
      transparent: true,
      alarm: null,
    });
    expect(read.get("◆ Launch")).toMatchObject({
      start: "2026-12-24",
      end: "2026-12-25",
      categories: ["Milestone"],
    });
    expect(read.get("Draft")).toMatchObject({
      start: "2026-11-24",
      end: "2026-11-25",
      categories: ["Design", "Print, web"],
      url: "https://work.example.com/#/2001/task/1",
    });
    expect(read.get("Draft")?.description).toContain("Assigned: Björn");
  });

  it("body() result when times lie around changes of the clocks", () => {
    const { put, text } = feedRig();
    put(anEvent(1, { title: "winter", when: times("2026-10-26T09:00", "2026-10-26T10:00") }));
    put(anEvent(2, { title: "summer", when: times("2027-03-28T09:00", "2027-03-28T10:00") }));
    put(anEvent(3, { title: "night", when: times("2027-03-27T23:00", "2027-03-28T04:00") }));
    const read = byTitle(text());
    expect(read.get("winter")?.start).toBe("2026-10-26T08:00:00Z");
    expect(read.get("summer")?.start).toBe("2027-03-28T07:00:00Z");
    expect(read.get("night")).toMatchObject({
      start: "2027-03-27T22:00:00Z",
      end: "2027-03-28T02:00:00Z",
    });
    expect(text()).toContain("TZID:Europe/Berlin");
  });

  it("body() result when the second pass of a repeated hour is meant", () => {
    const { put, text } = feedRig();
    const start = Temporal.ZonedDateTime.from("2026-10-25T02:30:00+01:00[Europe/Berlin]");
    put(
      anEvent(1, { title: "second", when: { kind: "times", start, end: start.add({ hours: 1 }) } }),
    );
    expect(byTitle(text()).get("second")?.start).toBe("2026-10-25T01:30:00Z");
  });

  it("body() result when there is nothing to show: a calendar, with its name and no zone", () => {
    const { text } = feedRig();
    expect(readBack(text()).size).toBe(0);
    expect(text()).toContain("X-WR-CALNAME:Website\r\n");
    expect(text()).not.toContain("VTIMEZONE");
  });

  it("body() result when a project has gone: its last items", () => {
    const { put, text, store, feeds, head } = feedRig();
    put(anEvent(1));
    const before = head().etag;
    store.directory.putProjects([aProject(2002, "Trade fair")], true);
    feeds.ensure();
    expect(readBack(text()).size).toBe(1);
    expect(head().etag).toBe(before);
  });

  it("body() result when a todolist leaves the project with its tasks", () => {
    const { put, text } = feedRig();
    put(aTask(1));
    expect(readBack(text()).size).toBe(1);
    put(aTask(1, { projectId: projectId(2002) }));
    expect(readBack(text()).size).toBe(0);
    expect(readBack(text(2002)).size).toBe(1);
    put(aTask(1));
    expect(readBack(text()).size).toBe(1);
    expect(readBack(text(2002)).size).toBe(0);
  });
});

describe("head()", () => {
  it("head() result when nothing has changed: the same, and nothing is rendered", () => {
    let renders = 0;
    const { put, head, opened } = feedRig({
      render(card) {
        renders++;
        return writeEvent(card);
      },
    });
    for (let id = 1; id <= 20; id++) put(anEvent(id));
    const first = head();
    const rendered = renders;
    expect(head()).toEqual(first);
    opened().body();
    expect(renders).toBe(rendered);
    put(anEvent(7, { title: "changed" }));
    expect(head().etag).not.toBe(first.etag);
    expect(renders).toBe(rendered + 1);
  });

  it("head() result when only another project, or what no feed shows, has changed", () => {
    const { put, head, clock, store } = feedRig();
    put(aTask(1));
    const first = head();
    clock.advance({ hours: 1 });
    put(anEvent(9, { projectId: projectId(2002) }));
    put(aTask(1, { commentCount: 4, logged: Temporal.Duration.from("PT1H") }));
    store.directory.putLabels([aLabel(77, "Unused")], false);
    expect(head()).toEqual(first);
  });

  it("head() result when an item changes twice within a second: Last-Modified moves each time", () => {
    const { put, head } = feedRig();
    put(anEvent(1));
    const seen = [head()];
    for (const title of ["a", "b", "c"]) {
      put(anEvent(1, { title }));
      seen.push(head());
    }
    const moments = seen.map(({ modifiedAt }) => modifiedAt.epochMilliseconds);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(new Set(moments).size).toBe(4);
    expect(new Set(seen.map(({ etag }) => etag)).size).toBe(4);
  });

  it("head() result when the clock is set back: Last-Modified does not go back", () => {
    const { put, head, clock } = feedRig();
    put(anEvent(1));
    const before = head();
    clock.set("2026-11-10T00:00:00Z");
    put(anEvent(1, { title: "earlier" }));
    expect(Temporal.Instant.compare(head().modifiedAt, before.modifiedAt)).toBe(1);
  });

  it("head() result when midnight passes in the account's zone: items enter and leave", () => {
    const past = Temporal.Duration.from("P1D");
    const { put, text, head, clock } = feedRig({
      options: { past, future: Temporal.Duration.from("P1D") },
    });
    put(anEvent(1, { title: "yesterday", when: days("2026-11-19") }));
    put(anEvent(2, { title: "overmorrow", when: days("2026-11-22") }));
    expect([...byTitle(text()).keys()]).toEqual(["yesterday"]);
    const before = head();
    clock.set("2026-11-20T22:59:59Z");
    expect(head()).toEqual(before);
    clock.set("2026-11-20T23:00:00Z");
    expect([...byTitle(text()).keys()]).toEqual(["overmorrow"]);
  });

  it("head() result when an item cannot be written: an error, and the feed is back once it can", () => {
    let broken = true;
    const { put, head, text } = feedRig({
      render(card) {
        if (broken && card.summary === "poison") throw new Error("cannot write");
        return writeEvent(card);
      },
    });
    put(anEvent(1));
    const before = head();
    put(anEvent(2, { title: "poison" }));
    put(anEvent(3));
    expect(() => head()).toThrow(FeedBuildError);
    expect(() => head()).toThrow(expect.objectContaining({ cause: expect.any(FragmentError) }));
    broken = false;
    expect(readBack(text()).size).toBe(3);
    expect(head().etag).not.toBe(before.etag);
  });

  it("body() result when the feed changes after head(): the bytes that were announced", async () => {
    const { put, opened } = feedRig();
    put(anEvent(1));
    const feed = opened();
    const announced = feed.head();
    const before = feed.body();
    put(anEvent(1, { title: "newer" }));
    expect(feed.body()).toBe(before);
    expect(gunzipSync(await feed.compressed("gzip"))).toEqual(before);
    expect(feed.head().etag).not.toBe(announced.etag);
    expect(feed.body().toString()).toContain("SUMMARY:newer");
    expect(gunzipSync(await feed.compressed("gzip"))).toEqual(feed.body());
  });

  it("compressed() result when it is asked for twice: compressed once for each coding", async () => {
    const { put, opened } = feedRig();
    put(anEvent(1));
    const [first, second] = await Promise.all([
      opened().compressed("gzip"),
      opened().compressed("gzip"),
    ]);
    expect(first).toBe(second);
    expect(await opened().compressed("gzip")).toBe(first);
    const other = await opened().compressed("br");
    expect(brotliDecompressSync(other)).toEqual(opened().body());
    expect(await opened().compressed("br")).toBe(other);
  });
});

describe("addresses", () => {
  it("list() result when feeds were made for the known projects", () => {
    const { feeds, opened, clock } = feedRig();
    opened(2001).body();
    opened(2001).fetched("Google-Calendar-Importer");
    expect(feeds.list()).toEqual([
      {
        id: 1,
        name: "Website",
        kind: "project",
        projectId: 2001,
        personId: null,
        filter: null,
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

  it("open() result when the secret is wrong, cut, longer or of another case", () => {
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

  it("rotate() result when the feed is open: a new address, and the old one is dead for ever", () => {
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

  it("revoke() result when the feed is open: it does not come back by itself, and create() gives another address", () => {
    const { feeds } = feedRig();
    const [before] = feeds.list();
    if (!before) throw new Error("there is no feed");
    expect(feeds.revoke(before.id)).toBe(true);
    expect(feeds.revoke(before.id)).toBe(false);
    expect(feeds.rotate(before.id)).toBeNull();
    feeds.ensure();
    expect(feeds.open(secretIn(before.path))).toBeNull();
    expect(feeds.list().filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
    const again = feeds.create(projectId(2001));
    expect(again?.id).not.toBe(before.id);
    expect(feeds.open(secretIn(before.path))).toBeNull();
    expect(feeds.open(secretIn(again?.path ?? ""))).not.toBeNull();
    expect(feeds.create(projectId(2001))?.id).toBe(again?.id);
    expect(feeds.create(projectId(9999))).toBeNull();
  });

  it("ensure() result when a project is renamed: the address still opens, name and slug follow", () => {
    const { feeds, store, text } = feedRig();
    const path = feeds.list()[0]?.path ?? "";
    store.directory.putProjects([aProject(2001, "Größe, neu")], false);
    feeds.ensure();
    expect(feeds.open(secretIn(path))?.slug).toBe("grosse-neu");
    expect(text()).toContain("X-WR-CALNAME:Größe\\, neu\r\n");
  });

  it("createPublishedFeeds() result when the key is short or another one", () => {
    const { store, feeds, clock } = feedRig();
    const options = feedOptions();
    expect(() =>
      createPublishedFeeds({ store, clock, options, key: feedKey.subarray(0, 31) }),
    ).toThrow(WeakFeedKeyError);
    const others = createPublishedFeeds({ store, clock, options, key: Buffer.alloc(32, 7) });
    expect(others.open(secretIn(feeds.list()[0]?.path ?? ""))).toBeNull();
  });
});

describe("private items", () => {
  const secrets = ["Zahnarzt", "Wurzelbehandlung", "Geheimliste-Aufgabe", "Patientin", "Intern"];
  const rig = (mode: "omit" | "busy" | "show") => {
    const made = feedRig({ options: { private: mode } });
    made.store.directory.putPeople([aPerson(13, "Patientin")], false);
    made.store.directory.putLabels([aLabel(53, "Intern")], false);
    made.put(
      anEvent(1, {
        title: "Zahnarzt",
        description: "<p>Wurzelbehandlung</p>",
        private: true,
        assigned: [personId(13)],
        reminder: Temporal.Duration.from("PT1H"),
      }),
    );
    made.put(
      aTask(1, {
        title: "Geheimliste-Aufgabe",
        listId: listId(3002),
        labels: [labelId(53)],
        assigned: [personId(13)],
      }),
    );
    made.put(anEvent(2, { title: "Open to all" }));
    return made;
  };

  it.each([
    ["omit", ["Open to all"]],
    ["busy", ["Busy", "Open to all", "Busy"]],
  ] as const)(
    "body() result when private items are to be %s: no word of them",
    (mode, expected) => {
      const text = rig(mode).text();
      const unfolded = text.replaceAll("\r\n ", "");
      for (const secret of secrets) expect(unfolded).not.toContain(secret);
      expect([...readBack(text).values()].map(({ summary }) => summary)).toEqual(expected);
      expect(unfolded.includes("VALARM")).toBe(false);
    },
  );

  it("body() result when they are to be shown: marked as private", () => {
    const read = byTitle(rig("show").text());
    expect(read.get("Zahnarzt")?.classification).toBe("PRIVATE");
    expect(read.get("Geheimliste-Aufgabe")?.classification).toBe("PRIVATE");
    expect(read.get("Open to all")?.classification).toBeNull();
  });

  it("body() result when an item becomes private after it was published", () => {
    const { put, text } = feedRig();
    put(anEvent(1, { title: "Zahnarzt" }));
    expect(readBack(text()).size).toBe(1);
    put(anEvent(1, { title: "Zahnarzt", private: true }));
    expect(text()).not.toContain("Zahnarzt");
  });
});

describe("FeedMovedError", () => {
  it("body() result when what was announced after a restart can no longer be made: refused, never mislabelled", () => {
    const first = feedRig();
    first.put(anEvent(1));
    first.opened().body();
    // Another process on the same store whose fragments were damaged since.
    const feeds = createPublishedFeeds({
      store: first.store,
      key: feedKey,
      clock: first.clock,
      options: feedOptions(),
    });
    const [row] = first.store.feeds.all();
    const [kept] = row ? first.store.feeds.fragments(row.id) : [];
    if (!row || !kept) throw new Error("nothing was kept");
    first.store.feeds.putFragment(row.id, {
      ...kept,
      body: kept.body.replace("Event 1", "Event 2"),
    });
    const feed = feeds.open(secretIn(feeds.list()[0]?.path ?? ""));
    const announced = feed?.head().etag;
    expect(() => feed?.body()).toThrow(FeedMovedError);
    expect(feed?.head().etag).not.toBe(announced);
    expect(feed?.body().toString()).toContain("Event 2");
  });
});
