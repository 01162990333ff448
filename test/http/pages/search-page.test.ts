import { describe, expect, it } from "vitest";
import { searchPage } from "../../../src/http/pages/search-page.ts";

const nothing = {
  items: [],
  hasMoreItems: false,
  projects: [],
  people: [],
  edits: [],
  settings: [],
};

describe("the search page", () => {
  it("says what to do if nothing was entered or found", () => {
    expect(searchPage(" ", nothing).body.text).toContain("Finds items, projects, people and edits");
    const { text } = searchPage("<nowhere>", nothing).body;
    expect(text).toContain("<q><bdi>&lt;nowhere&gt;</bdi></q>");
    expect(text).toContain("Try fewer or shorter words.");
  });

  it("says if there are more items than it lists", () => {
    const item = {
      ...({ uid: "1@x", kind: "task", title: "Write", project: "Website", when: null } as const),
      completed: true,
      url: "calendar/items/1",
    };
    const { text } = searchPage("w", { ...nothing, items: [item], hasMoreItems: true }).body;
    expect(text).toContain("There are more");
    expect(text).toContain('<a href="calendar/items/1"><bdi>Write</bdi></a>');
  });
});
