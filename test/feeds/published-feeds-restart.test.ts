import { join } from "node:path";
import { writeEvent } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { labelId } from "../../src/domain/ids.ts";
import type { RenderEvent } from "../../src/feeds/fragments.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import type { FeedOptions } from "../../src/feeds/window.ts";
import { sampleViews } from "../../src/store/reading/sample-views.ts";
import { openStore } from "../../src/store/store.ts";
import { feedOptions } from "../support/feed-options.ts";
import { aLabel, anEvent, aTask, zone } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { migrations, testDirectory } from "../support/test-store.ts";
import { feedKey, feedRig, secretIn } from "./rig.ts";

/** They show how this build writes. */
const samples = new Set(sampleViews.map(({ uid }) => uid));

/** A daemon that stops and starts again on the same database file. */
function daemon() {
  const file = join(testDirectory(), "dayferry.sqlite");
  const first = feedRig({ file });
  for (let id = 1; id <= 30; id++) first.put(anEvent(id));
  first.put(aTask(1, { labels: [labelId(51)] }));

  function start(options: Partial<FeedOptions> = {}, render: RenderEvent = writeEvent) {
    let renders = 0;
    const store = openStore({
      file,
      migrations,
      zone,
      clock: first.clock,
      randomId: () => "again",
    });
    const feeds = createPublishedFeeds({
      store,
      key: feedKey,
      clock: first.clock,
      options: feedOptions(options),
      render(card) {
        if (!samples.has(card.uid)) renders++;
        return render(card);
      },
    });
    feeds.ensure();
    const feed = feeds.open(secretIn(feeds.list()[0]?.path ?? ""));
    if (!feed) throw new Error("the feed does not open");
    return { store, feed, renders: () => renders, stop: () => store.close() };
  }
  return { ...first, start };
}

describe("a feed after a restart", () => {
  it("keeps ETag and time if nothing has changed, and nothing is rendered", () => {
    const { head, text, store, clock, start } = daemon();
    const before = head();
    const body = text();
    store.close();
    clock.advance({ hours: 2 });
    const again = start();
    expect(again.feed.head()).toEqual(before);
    expect(again.feed.body().toString()).toBe(body);
    expect(again.renders()).toBe(0);
    expect(again.feed.head()).toEqual(before);
    again.stop();
  });

  it("renders only the item that changed", () => {
    const { head, text, store, start } = daemon();
    const before = head();
    text();
    store.close();
    const again = start();
    again.store.mirror.put(anEvent(3, { title: "changed" }), "events:2001");
    expect(again.feed.head().etag).not.toBe(before.etag);
    expect(readBack(again.feed.body()).size).toBe(31);
    expect(again.renders()).toBe(1);
    again.stop();
  });

  it("keeps ETag and time on another day with the same contents", () => {
    const { head, store, clock, start } = daemon();
    const before = head();
    store.close();
    clock.advance({ hours: 24 });
    const again = start();
    expect(again.feed.head()).toEqual(before);
    expect(again.renders()).toBe(0);
    again.stop();
  });

  it("raises SEQUENCE and LAST-MODIFIED only where an option changed the text", () => {
    const { text, store, clock, start } = daemon();
    const before = readBack(text());
    store.close();
    clock.advance({ minutes: 5 });
    const again = start({ webUrl: null });
    const after = readBack(again.feed.body());
    for (const [uid, event] of after) {
      expect(event.sequence).toBe((before.get(uid)?.sequence ?? 0) + 1);
      expect(event.lastModified > (before.get(uid)?.lastModified ?? "")).toBe(true);
    }
    again.stop();
    const third = start({ webUrl: null, completed: Temporal.Duration.from("P15D") });
    expect(readBack(third.feed.body())).toEqual(after);
    third.stop();
  });

  it("raises SEQUENCE if a newer version writes differently", () => {
    const { text, head, store, start } = daemon();
    const before = readBack(text());
    const { etag } = head();
    store.close();
    const newer: RenderEvent = (card) =>
      writeEvent(card).replace("END:VEVENT", "X-NEW:1\r\nEND:VEVENT");
    const again = start({}, newer);
    expect(again.feed.head().etag).not.toBe(etag);
    const after = readBack(again.feed.body());
    for (const [uid, event] of after)
      expect(event.sequence).toBe((before.get(uid)?.sequence ?? 0) + 1);
    again.stop();
  });

  it("raises SEQUENCE of items whose label was renamed", () => {
    const { text, store } = daemon();
    const before = readBack(text());
    store.directory.putLabels([aLabel(51, "Art")], false);
    const after = readBack(text());
    const risen = [...after.values()].filter(
      ({ uid, sequence }) => sequence > (before.get(uid)?.sequence ?? 0),
    );
    expect(risen.map(({ summary, categories }) => [summary, categories])).toEqual([
      ["Task 1", ["Art"]],
    ]);
  });

  it("continues SEQUENCE if it replaces a revoked feed", () => {
    const { text, store, feeds } = daemon();
    const before = readBack(text());
    const [open] = feeds.list();
    if (!open?.projectId) throw new Error("there is no feed");
    const wish = { ...open, name: null, filter: null };
    feeds.revoke(open.id);
    feeds.create(wish);
    expect(readBack(text())).toEqual(before);
    feeds.revoke(feeds.list()[2]?.id ?? open.id);
    store.directory.putLabels([aLabel(51, "Art")], false);
    feeds.create(wish);
    const after = readBack(text());
    const risen = [...after.values()].filter(
      ({ uid, sequence }) => sequence > (before.get(uid)?.sequence ?? 0),
    );
    expect(risen.map(({ categories }) => categories)).toEqual([["Art"]]);
  });
});
