import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { writeEvent } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { labelId, projectId, serviceId } from "../../src/domain/ids.ts";
import { FragmentError } from "../../src/feeds/fragments.ts";
import { FeedBuildError } from "../../src/feeds/live-feed.ts";
import { FeedMovedError } from "../../src/feeds/open-feed.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { feedOptions } from "../support/feed-options.ts";
import { aLabel, anEvent, aTask, days } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { byTitle, feedKey, feedRig, secretIn } from "./rig.ts";

describe("the head of a feed", () => {
  it("is the same if nothing has changed, and nothing is rendered", () => {
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

  it("is the same if only another project, or hidden values, changed", () => {
    const { put, head, clock, store } = feedRig();
    put(aTask(1));
    const first = head();
    clock.advance({ hours: 1 });
    put(anEvent(9, { projectId: projectId(2002) }));
    put(aTask(1, { commentCount: 4, logged: Temporal.Duration.from("PT1H") }));
    store.directory.putLabels([aLabel(77, "Unused")], false);
    expect(head()).toEqual(first);
  });

  it("has a new Last-Modified for each change, even within a second", () => {
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

  it("belongs to the new day if midnight passes while it is computed", () => {
    const [evening, morning] = ["2026-11-20T22:59:59Z", "2026-11-20T23:00:00Z"].map((at) =>
      Temporal.Instant.from(at),
    );
    for (let looks = 0; looks < 30; looks += 1) {
      let left = Number.POSITIVE_INFINITY;
      const now = (): Temporal.Instant => {
        left -= 1;
        return (left >= 0 ? evening : morning) ?? Temporal.Now.instant();
      };
      const clock = Object.assign(now, { set: () => undefined, advance: () => undefined });
      const options = { past: Temporal.Duration.from({ days: 10 }) };
      const { put, head, text, fromScratch } = feedRig({ clock, options });
      put(anEvent(1, { when: days("2026-11-10") }));
      put(anEvent(2, { when: days("2026-11-20") }));
      left = looks;
      head();
      left = 0;
      const shown = text();
      expect(byTitle(shown).size).toBe(1);
      expect(shown).toBe(fromScratch());
    }
  });

  it("keeps Last-Modified if the clock is set back", () => {
    const { put, head, clock } = feedRig();
    put(anEvent(1));
    const before = head();
    clock.set("2026-11-10T00:00:00Z");
    put(anEvent(1, { title: "earlier" }));
    expect(Temporal.Instant.compare(head().modifiedAt, before.modifiedAt)).toBe(1);
  });

  it("changes at midnight in the account's zone, as items enter and leave", () => {
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

  it("fails if an item cannot be written, and recovers once it can", () => {
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

  it("matches the body even if the feed changes in between", async () => {
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

  it("is compressed once for each coding", async () => {
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

it("is refused if its announced body can no longer be made after a restart", () => {
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

describe("preparing a feed", () => {
  it("gives the same calendar if items change meanwhile", async () => {
    const rig = feedRig();
    const { put, opened, store } = rig;
    for (let id = 1; id <= 400; id++) put(anEvent(id, { title: `Event ${id}` }));
    const feed = opened();
    expect(feed.current()).toBeNull();
    const ready = feed.prepare();
    expect(opened().prepare()).toBe(ready);
    put(anEvent(1, { title: "Changed meanwhile" }));
    put(anEvent(401, { title: "New meanwhile" }));
    const second = store.mirror.find("event", serviceId(2));
    if (second) store.mirror.bury(second);
    await ready;
    expect(feed.prepare()).toBeNull();
    const text = feed.body().toString();
    expect(text).toBe(rig.fromScratch());
    const titles = byTitle(text);
    expect([titles.size, titles.has("Changed meanwhile"), titles.has("New meanwhile")]).toEqual([
      400,
      true,
      true,
    ]);
    expect(feed.current()).toEqual(feed.head());
  });

  it("has work again if a name changes that all items use", async () => {
    const { put, opened, store } = feedRig();
    put(aTask(1, { labels: [labelId(51)] }));
    await opened().prepare();
    expect(opened().prepare()).toBeNull();
    store.directory.putLabels([aLabel(51, "Drawing")], false);
    const again = opened().prepare();
    expect(again).toBeInstanceOf(Promise);
    await again;
  });

  it("reports an item that cannot be written as the feed's error", async () => {
    const { put, opened } = feedRig({
      render(card) {
        if (card.uid.startsWith("event-1@")) throw new Error("cannot be rendered");
        return writeEvent(card);
      },
    });
    put(anEvent(1));
    await expect(opened().prepare()).rejects.toThrow(FeedBuildError);
  });
});

it("over the memory budget, the last requested feed stays, and others are read again", async () => {
  const { put, opened } = feedRig({ budget: 1 });
  for (let id = 1; id <= 30; id++) put(anEvent(id));
  put(anEvent(99, { projectId: projectId(2002) }));
  const first = opened(2001);
  const { etag } = first.head();
  const text = first.body().toString();
  opened(2002).body();
  const again = opened(2001);
  expect(again.head()).toMatchObject({ etag });
  expect(again.isAtHand()).toBe(false);
  await again.prepare();
  expect(again.body().toString()).toBe(text);
  expect(again.isAtHand()).toBe(true);
});
