import { createHash } from "node:crypto";
import { itemKey, projectId, type ServiceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import type { LinkMaker } from "../../src/domain/signed-links.ts";
import { sourceOf } from "../../src/domain/source.ts";
import type { RenderEvent } from "../../src/feeds/fragments.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import type { FeedOptions } from "../../src/feeds/window.ts";
import type { Store } from "../../src/store/store.ts";
import type { ViewItem } from "../../src/store/view/view.ts";
import { feedOptions } from "../support/feed-options.ts";
import { aLabel, aPerson, aProject, aTodolist } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { type HandClock, handClock, testStore } from "../support/test-store.ts";

export const feedKey = createHash("sha256").update("a key that only tests use").digest();

/** A view item without a store. */
export function viewOf(item: Item, changes: Partial<Omit<ViewItem, "item">> = {}): ViewItem {
  return {
    key: itemKey(1),
    uid: "one@test",
    collection: "directory",
    sequence: 3,
    modifiedAt: Temporal.Instant.from("2026-11-01T09:00:00Z"),
    knownAt: Temporal.Instant.from("2026-10-01T09:00:00Z"),
    pending: false,
    ...changes,
    item,
  };
}

/** Feeds over a real store with two projects, with a clock advanced by hand. */
export function feedRig(
  setting: {
    readonly options?: Partial<FeedOptions>;
    readonly links?: LinkMaker;
    readonly render?: RenderEvent;
    readonly file?: string;
    readonly clock?: HandClock;
    readonly budget?: number;
  } = {},
) {
  const clock = setting.clock ?? handClock("2026-11-20T12:00:00Z");
  const store = testStore(clock, setting.file);
  seed(store);
  const start = () =>
    createPublishedFeeds({
      store,
      key: feedKey,
      clock,
      options: feedOptions(setting.options),
      ...(setting.budget !== undefined && { budget: setting.budget }),
      ...(setting.links && { links: setting.links }),
      ...(setting.render && { render: setting.render }),
    });
  const feeds = start();
  feeds.ensure();

  function opened(project = 2001) {
    const feed = feeds.list().find((one) => one.projectId === project && one.revokedAt === null);
    if (!feed) throw new Error(`project ${project} has no feed`);
    const open = feeds.open(secretIn(feed.path));
    if (!open) throw new Error(`feed ${feed.id} does not open`);
    return open;
  }
  return {
    clock,
    store,
    feeds,
    opened,
    put: (item: Item & { readonly id: ServiceId }) => store.mirror.put(item, sourceOf(item)),
    text: (project = 2001) => opened(project).body().toString(),
    head: (project = 2001) => opened(project).head(),
    /** The same feed without anything in memory yet. */
    fromScratch: (project = 2001) => {
      const path = feeds.list().find((one) => one.projectId === project)?.path ?? "";
      return start().open(secretIn(path))?.body().toString();
    },
  };
}

export const secretIn = (path: string): string => path.split("/")[2] ?? "";

/** What other programs read in a feed, by title. */
export const byTitle = (text: string) => {
  const read = [...readBack(text).values()];
  return new Map(read.map((event) => [event.summary, event]));
};

function seed({ directory }: Store): void {
  directory.putProjects([aProject(2001, "Website"), aProject(2002, "Trade fair")], true);
  directory.putPeople([aPerson(11, "Ana"), aPerson(12, "Björn")], true);
  directory.putLabels([aLabel(51, "Design"), aLabel(52, "Print, web")], true);
  directory.putTodolists(
    projectId(2001),
    [aTodolist(3001), aTodolist(3002, { private: true })],
    true,
  );
}
