import { describe, expect, it } from "vitest";
import { personId, projectId } from "../../src/domain/ids.ts";
import type { Source } from "../../src/domain/source.ts";
import type { Topic } from "../../src/store/topic-watch.ts";
import { anEvent, aProject } from "../support/items.ts";
import { storeRig, title } from "./rig.ts";

describe("topics.follow()", () => {
  it("reports news, and no poll that finds nothing new", () => {
    const { store, put, wish } = storeRig();
    store.directory.putProjects([aProject(2001, "Website")], true);
    const events: Source = { kind: "events", projectId: projectId(2001) };
    store.sources.put([events]);
    const item = put(anEvent(1, { title: "Review" }));
    let heard: Topic[] = [];
    store.topics.follow(({ topic }) => void heard.push(topic));
    const topicsOf = (steps: () => unknown): readonly Topic[] => {
      heard = [];
      steps();
      return [...new Set(heard)];
    };

    expect(topicsOf(() => store.mirror.put(anEvent(1, { title: "Other" }), "events:2001"))).toEqual(
      ["mirror"],
    );
    expect(topicsOf(() => wish(item, "update", title("Mine")))).toContain("edits");
    expect(topicsOf(() => store.journal.claimNext())).toEqual(["edits"]);
    expect(topicsOf(() => store.feeds.create(projectId(2001), "Website"))).toEqual(["feeds"]);
    expect(topicsOf(() => store.mailChoices.turnOff(personId(11), "all"))).toEqual(["mail"]);
    const read = { items: 1, gaps: null };
    expect(topicsOf(() => store.sources.succeeded(events, read))).toEqual([]);
    expect(topicsOf(() => store.sources.failed(events, "down"))).toEqual(["mirror"]);
    expect(topicsOf(() => store.sources.failed(events, "still down"))).toEqual([]);
    expect(topicsOf(() => store.sources.succeeded(events, read))).toEqual(["mirror"]);
  });

  it("stores nothing in the database, and reports to every listener", () => {
    const { store } = storeRig();
    const heard: string[] = [];
    store.topics.follow(({ topic }) => void heard.push(`first ${topic}`));
    store.topics.follow(({ topic }) => void heard.push(`second ${topic}`));
    store.mailChoices.turnOff(personId(11), "all");
    expect(heard).toEqual(["first mail", "second mail"]);
  });
});
