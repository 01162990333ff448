import { oneLine } from "@dayferry/ical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { event } from "../../../packages/ical/test/items.ts";
import { nastyText } from "../../../packages/ical/test/nasty.ts";
import { plainDescription } from "../../../src/domain/text.ts";
import {
  type Decoration,
  publishedDescription,
  publishedSummary,
  readDescription,
  readSummary,
} from "../../../src/ics/text/decoration.ts";

const none: Decoration = { assignees: [], links: [] };
const some: Decoration = {
  assignees: ["Ana", "Bo"],
  links: [{ label: "Done", url: "https://a.b/act/1,2" }],
};
const block = "— Dayferry —\n— Assigned: Ana, Bo\n— Done: https://a.b/act/1%2C2";

it.each([
  [event({ title: "Kickoff" }), "Kickoff"],
  [event({ title: "Launch", milestone: true }), "◆ Launch"],
  [event({ title: "Launch", milestone: true, completed: true }), "✓ Launch"],
  [event({ title: " a\r\nDTSTART:1\u0000 " }), "a DTSTART:1"],
  [event({ title: "\n" }), "(untitled)"],
])("published summary, case %#", (item, expected) => {
  expect(publishedSummary(item)).toBe(expected);
});

describe("a summary read back", () => {
  it.each([
    ["Kickoff", "Kickoff", false, false],
    ["◆ Launch", "Launch", false, true],
    ["✓ Launch", "Launch", true, false],
    ["✓ ◆ Launch ", "Launch", true, true],
    ["◆\u00a0✓ Launch", "Launch", true, true],
    ["✓Launch", "✓Launch", false, false],
    ["Done ✓ ", "Done ✓", false, false],
    ["✓", "✓", false, false],
    ["✓ (untitled)", "", true, false],
  ])("%j is %j", (shown, title, done, milestone) => {
    expect(readSummary(shown)).toEqual({ title, done, milestone });
  });

  it("is the title of every published summary", () => {
    fc.assert(
      fc.property(nastyText, fc.boolean(), fc.boolean(), (text, milestone, completed) => {
        const title = oneLine(text.replace(/[✓◆]/g, ""));
        const read = readSummary(publishedSummary(event({ title: text, milestone, completed })));
        expect(read).toEqual({ title, done: completed, milestone: milestone && !completed });
      }),
    );
  });
});

describe("a published description", () => {
  it.each([
    ["", none, ""],
    ["Text\r\n", none, "Text"],
    ["Text", some, `Text\n\n${block}`],
    ["", some, block],
    ["<p>One</p><p>Two</p>", some, `One\n\nTwo\n\n${block}`],
    [`Text\n\n${block}`, some, `Text\n\n${block}`],
  ])("of %j with %j is %j", (description, decoration, expected) => {
    expect(publishedDescription(event({ description }), decoration)).toBe(expected);
  });

  it("keeps hostile names, labels and addresses on their lines", () => {
    const hostile: Decoration = {
      assignees: ["A\nB", " "],
      links: [
        { label: "x\r\n\r\ny", url: "https://a.b/\nc" },
        { label: "", url: "https://a.b" },
      ],
    };
    expect(publishedDescription(event({}), hostile).split("\n")).toEqual([
      "— Dayferry —",
      "— Assigned: A B",
      "— x y: https://a.b/%0Ac",
      "— Link: https://a.b",
    ]);
  });
});

describe("a description read back", () => {
  it.each([
    [`Text\n\n${block}`, "Text"],
    [`Text\r\n\r\n${block.replaceAll("\n", "\r\n")}\r\n\r\n`, "Text"],
    [`Text\n\n${block.replaceAll("\n", "\n\n")}`, "Text"],
    [`Text\n\n${block.replaceAll(" ", "\u00a0")}`, "Text"],
    [`Text\n\n${block}\n\n${block}`, "Text"],
    [block, ""],
    [`Text\n\n${block}\nMy own line`, "Text\n\nMy own line"],
    [`Text\n\n${block}\n\n\nMy own line\n— mine, too`, "Text\n\nMy own line\n— mine, too"],
    [`My own line\n${block}`, "My own line"],
    [`${block}\nMy own line`, "My own line"],
    [`One\n${block}\nTwo\n${block}\nThree`, "One\n\nTwo\n\nThree"],
    ["Text\n\n— Dayferry —\n— Done <https://a.b/act/1>\n> quoted", "Text\n\n> quoted"],
    ["Text\n— a dash of mine", "Text\n— a dash of mine"],
    ["  Text\n\nmore  ", "  Text\n\nmore"],
    ["", ""],
  ])("%j is %j", (text, expected) => {
    expect(readDescription(text)).toBe(expected);
  });

  it("is what every published description decorated", () => {
    const decoration = fc.record({
      assignees: fc.array(nastyText, { maxLength: 3 }),
      links: fc.array(fc.record({ label: nastyText, url: nastyText }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(nastyText, decoration, (description, added) => {
        const shown = publishedDescription(event({ description }), added);
        expect(readDescription(shown)).toBe(readDescription(plainDescription(description)));
      }),
    );
  });
});
