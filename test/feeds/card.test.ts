import type { EventCard } from "@dayferry/ical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelId, listId, personId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { type CardNames, cardInputs, cardOf } from "../../src/feeds/card.ts";
import type { FeedOptions } from "../../src/feeds/window.ts";
import { feedPlaceOf } from "../../src/feeds/window.ts";
import { feedOptions } from "../support/feed-options.ts";
import { anEvent, aTask, days, times } from "../support/items.ts";
import { viewOf } from "./rig.ts";

const names: CardNames = {
  labels: new Map([
    [labelId(51), "Design"],
    [labelId(52), " Print,\nweb "],
    [labelId(53), ""],
  ]),
  people: new Map([
    [personId(11), "Ana"],
    [personId(12), "Björn"],
  ]),
  privateLists: new Set([listId(3002)]),
};

function card(item: Item, changes: Partial<FeedOptions> = {}): EventCard {
  const options = feedOptions(changes);
  const place = feedPlaceOf(item, options);
  if (!place) throw new Error("the item has no place");
  return cardOf(viewOf(item), { place, names, options, links: null });
}

describe("the card of an item", () => {
  it("has the times of an event", () => {
    const reminder = Temporal.Duration.from({ minutes: 15 });
    const made = card(anEvent(7, { title: "Kick-off", description: "Room 4", reminder }));
    expect(made).toMatchObject({
      uid: "one@test",
      sequence: 3,
      summary: "Kick-off",
      transparent: false,
      categories: [],
      classification: null,
      status: null,
      html: null,
      reminder,
      url: "https://work.example.com/#/2001/event/7",
    });
    expect(made.stampAt.toString()).toBe("2026-11-01T09:00:00Z");
    expect(made.createdAt?.toString()).toBe("2026-01-05T08:00:00Z");
    expect(made.description).toContain("Room 4\n\n");
    expect(made.description).toContain("Open: https://work.example.com/#/2001/event/7");
  });

  it("of an all-day event blocks no time", () => {
    const made = card(anEvent(7, { when: days("2026-11-23", "2026-11-24") }));
    expect(made.transparent).toBe(true);
    expect(made.when.end?.toString()).toBe("2026-11-25");
  });

  it.each([
    ["open", false, "◆ Launch"],
    ["completed", true, "✓ Launch"],
  ])("marks a milestone that is %s", (_state, completed, summary) => {
    const made = card(
      anEvent(7, { title: "Launch", milestone: true, completed, when: days("2026-12-01") }),
    );
    expect(made).toMatchObject({ summary, categories: ["Milestone"], transparent: true });
  });

  it("has labels and people of a task", () => {
    const task = aTask(8, {
      labels: [labelId(51), labelId(52), labelId(53), labelId(99)],
      assigned: [personId(11), personId(12), personId(99)],
    });
    const made = card(task);
    expect(made).toMatchObject({
      summary: "Task 8",
      categories: ["Design", "Print, web"],
      transparent: true,
      reminder: null,
      url: "https://work.example.com/#/2001/task/8",
    });
    expect(made.description).toContain("Assigned: Ana, Björn");
    expect(card({ ...task, completed: true }).summary).toBe("✓ Task 8");
  });

  it("omits people and links on request", () => {
    const task = aTask(8, { description: "Text", assigned: [personId(11)] });
    expect(card(task, { assignees: false, webUrl: null })).toMatchObject({
      description: "Text",
      url: null,
    });
  });

  it("of a pending creation has no address, and keeps its first time", () => {
    const made = card({ ...anEvent(7), id: null, createdAt: null });
    expect(made.url).toBeNull();
    expect(made.description).toBe("");
    expect(made.createdAt?.toString()).toBe("2026-10-01T09:00:00Z");
  });

  it("of an HTML description has text, and HTML with the same additional lines", () => {
    const made = card(aTask(8, { description: "<p>One &amp; two</p>", assigned: [personId(11)] }), {
      webUrl: "https://work.example.com/?a={id}&b=<c>",
    });
    expect(made.description).toMatch(/^One & two\n\n/);
    expect(made.html).toContain("<p>One &amp; two</p>");
    expect(made.html).toContain("Assigned: Ana<br>");
    expect(made.html).toContain("?a=8&amp;b=");
    expect(made.html).not.toContain("<c>");
  });

  it("keeps only formatting of HTML, and the text says the same", () => {
    const active = `<p>One</p><svg onload=alert(1)></svg><img src="https://spy.example/p.gif"><a href="java&Tab;script:x">two</a>`;
    const made = card(aTask(8, { description: active }));
    expect(made.html).toMatch(/^<html><body><p>One<\/p><a>two<\/a><p>— Dayferry/);
    expect(made.description).toContain("two");
  });

  const secrets = {
    title: "sécret-title",
    description: "<b>secret-text</b>",
    assigned: [personId(11)],
    createdAt: Temporal.Instant.from("2020-02-02T02:02:02Z"),
  };
  it.each([
    [
      "a private event",
      anEvent(7, { ...secrets, private: true, reminder: Temporal.Duration.from("PT5M") }),
      false,
    ],
    [
      "a private milestone",
      anEvent(7, { ...secrets, private: true, milestone: true, completed: true }),
      true,
    ],
    [
      "a task of a private list",
      aTask(8, { ...secrets, listId: listId(3002), labels: [labelId(51)], completed: true }),
      true,
    ],
  ])("shows only the time of %s that is busy", (_name, item, transparent) => {
    expect(card(item, { private: "busy" })).toEqual({
      uid: "one@test",
      sequence: 3,
      stampAt: Temporal.Instant.from("2026-11-01T09:00:00Z"),
      when: feedPlaceOf(item, feedOptions()),
      zone: "Europe/Berlin",
      summary: "Busy",
      description: "",
      html: null,
      categories: [],
      reminder: null,
      createdAt: null,
      url: null,
      status: null,
      transparent,
      classification: "PRIVATE",
    });
    const shown = card(item, { private: "show" });
    expect(shown.classification).toBe("PRIVATE");
    expect(shown.summary).toContain("sécret-title");
  });
});

describe("inputs of a card", () => {
  const context = { names, options: feedOptions(), links: null, format: "1" };
  const task = aTask(8, { labels: [labelId(51)], assigned: [personId(11)] });
  const inputs = cardInputs(viewOf(task), context);

  it("stay if only hidden values change", () => {
    const same = { ...task, commentCount: 5, logged: Temporal.Duration.from("PT3H"), byMe: true };
    const elsewhere = new Map([...names.labels, [labelId(54), "Other"]] as const);
    expect(cardInputs(viewOf(same), { ...context, names: { ...names, labels: elsewhere } })).toBe(
      inputs,
    );
  });

  it.each([
    ["SEQUENCE", viewOf(task, { sequence: 4 }), context],
    [
      "LAST-MODIFIED",
      viewOf(task, { modifiedAt: Temporal.Instant.from("2026-11-01T09:00:01Z") }),
      context,
    ],
    ["the service's id", viewOf({ ...task, id: null }), context],
    ["the creation time", viewOf({ ...task, createdAt: null }), context],
    ["the format", viewOf(task), { ...context, format: "2" }],
    [
      "a name of a label",
      viewOf(task),
      { ...context, names: { ...names, labels: new Map([[labelId(51), "Art"]]) } },
    ],
    [
      "a name of a person",
      viewOf(task),
      { ...context, names: { ...names, people: new Map([[personId(11), "Anna"]]) } },
    ],
    [
      "the list's privacy",
      viewOf(task),
      { ...context, names: { ...names, privateLists: new Set([listId(3001)]) } },
    ],
  ])("change if %s changes", (_name, view, changed) => {
    expect(cardInputs(view, changed)).not.toBe(inputs);
  });

  it("are equal exactly if the cards are equal", () => {
    const name = fc.constantFrom("Design", "Art", "");
    const world = fc.record({
      label: name,
      person: name,
      assignees: fc.boolean(),
      hidden: fc.boolean(),
      sequence: fc.integer({ min: 0, max: 1 }),
      comments: fc.integer({ min: 0, max: 2 }),
      born: fc.boolean(),
    });
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(world, ({ label, person, assignees, hidden, sequence, comments, born }) => {
        const options = feedOptions({ assignees, private: "busy" });
        const told: CardNames = {
          labels: new Map([[labelId(51), label]]),
          people: new Map([[personId(11), person]]),
          privateLists: new Set(hidden ? [listId(3001)] : []),
        };
        const view = viewOf(
          { ...task, id: born ? task.id : null, commentCount: comments },
          { sequence },
        );
        const place = feedPlaceOf(view.item, options) ?? times("2026-11-20T10:00");
        const made = JSON.stringify(cardOf(view, { place, names: told, options, links: null }));
        const key = cardInputs(view, {
          names: told,
          options,
          links: null,
          format: String(assignees),
        });
        expect(seen.get(key) ?? made).toBe(made);
        seen.set(key, made);
      }),
      { numRuns: 500 },
    );
  });
});
