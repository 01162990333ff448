import { describe, expect, it } from "vitest";
import { ageText, hoursText } from "../../../src/reports/formats/cell-text.ts";
import { csvField } from "../../../src/reports/formats/data-formats.ts";
import { writeReport } from "../../../src/reports/formats/format.ts";
import { displayWidth, shorten } from "../../../src/reports/formats/text-formats.ts";
import type { ReportDocument } from "../../../src/reports/report.ts";

import { fill, readEverything, reportRig } from "../rig.ts";

const nasty = 'Say "hi", <script>alert(1)</script> | *now* & then\n=1+1';

function aDocument(fields: Partial<ReportDocument> = {}): ReportDocument {
  return {
    name: "agenda",
    title: "Agenda",
    about: "What is due.",
    columns: [
      { key: "title", title: "Title", type: "text" },
      { key: "at", title: "When", type: "instant" },
      { key: "logged_minutes", title: "Logged", type: "minutes" },
      { key: "done", title: "Done", type: "flag" },
    ],
    rows: [
      [nasty, "2026-11-21T12:00:00.000Z", 65, 1],
      ["会議 🚢", null, 5, 0],
    ],
    madeAt: Temporal.Instant.from("2026-11-21T12:00:00Z"),
    asOf: null,
    zone: "Europe/Berlin",
    filters: ["project Website"],
    freshness: {
      ...{ sources: 3, neverRead: 1, failing: 0, newestSeconds: 5, oldestSeconds: 125 },
      oldestReadAt: "2026-11-21T11:57:55Z",
    },
    ...fields,
  };
}

describe("writeReport()", () => {
  it("aligns the columns of a table with wide cells", () => {
    const lines = writeReport(aDocument(), "table").split("\n");
    expect(lines[0]).toBe("Agenda · 2026-11-21 13:00 (Europe/Berlin) · project Website");
    const [head = "", first = "", second = ""] = lines.slice(2);
    const column = displayWidth(head.slice(0, head.indexOf("When")));
    expect(displayWidth(first.slice(0, first.indexOf("2026-11-21 13:00")))).toBe(column);
    expect(displayWidth(second.slice(0, second.indexOf("0:05")))).toBe(
      displayWidth(first.slice(0, first.indexOf("1:05"))),
    );
    expect(lines.at(-2)).toBe("Mirror: 3 sources, read 5 s to 2 min 5 s ago; 1 never read.");
  });

  it("writes CSV with quotes, CRLF, no formulas, and the age of the data", () => {
    expect(writeReport(aDocument(), "csv")).toBe(
      "title,at,logged_minutes,done,mirror_read_at\r\n" +
        '"Say ""hi"", <script>alert(1)</script> | *now* & then\n=1+1",2026-11-21T12:00:00.000Z,65,1,2026-11-21T11:57:55Z\r\n' +
        "会議 🚢,,5,0,2026-11-21T11:57:55Z\r\n",
    );
  });

  it("writes JSON rows by key, with real booleans and freshness as a member", () => {
    const said: unknown = JSON.parse(writeReport(aDocument(), "json"));
    expect(said).toMatchObject({
      report: "agenda",
      asOf: null,
      timeZone: "Europe/Berlin",
      freshness: { oldestSeconds: 125, neverRead: 1 },
      rows: [
        { title: nasty, done: true, logged_minutes: 65 },
        { at: null, done: false },
      ],
    });
    expect(JSON.parse(writeReport(aDocument({ rows: [] }), "json"))).toMatchObject({ rows: [] });
  });

  it("writes Markdown in which no cell breaks the table or becomes markup", () => {
    const text = writeReport(aDocument(), "md");
    const row = text.split("\n").find((line) => line.includes("Say"));
    expect(row).toContain("\\<script\\>alert(1)\\</script\\> \\| \\*now\\* \\& then =1+1");
    expect(row?.match(/(?<!\\)\|/g)).toHaveLength(5);
    expect(text).toContain("2 min 5 s ago");
  });

  it("writes one escaped HTML page without script or request", () => {
    const text = writeReport(aDocument(), "html");
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).not.toMatch(/<script|<link|<img|\bsrc=|https?:|url\(|@import|\son\w+=/i);
    expect(text).toContain("prefers-color-scheme: dark");
    expect(text).toContain("2 min 5 s ago");
  });

  it("writes a chart as SVG with title and description, and the table", () => {
    const rig = reportRig();
    fill(rig);
    readEverything(rig);
    rig.clock.advance({ hours: 5 });
    fill({
      put: (item) =>
        rig.put(
          item.kind === "task" ? { ...item, dueOn: item.dueOn?.add({ days: 9 }) ?? null } : item,
        ),
    });
    for (const name of ["workload", "slippage", "hours", "freshness"]) {
      const text = writeReport(rig.report(name), "html");
      expect(text).toMatch(/<svg role="img" aria-labelledby="chart-title chart-about"/);
      expect(text).toMatch(/<title id="chart-title">[^<]+<\/title>\n<desc id="chart-about">[^<]+</);
      expect(text).toContain("<table>");
      expect(text).not.toMatch(/NaN|undefined|Infinity/);
    }
  });
});

it.each([
  ["=SUM(A1)", "'=SUM(A1)"],
  ["Review;=SUM(A1)", "Review;'=SUM(A1)"],
  ["a; +1;-2", "a; '+1;'-2"],
  ["a;;@x", "a;;'@x"],
  ["a;b - c = d", "a;b - c = d"],
  ["\tx", "'\tx"],
  ['a";=1', `"a"";'=1"`],
  ["+49 30 1", "'+49 30 1"],
  ["-1 day", "'-1 day"],
  ["@home", "'@home"],
  ["\t=1", "'\t=1"],
  [" =1,2", '"\' =1,2"'],
  ["＝1+1", "'＝1+1"],
  ["a=b", "a=b"],
  ["a\rb", '"a\rb"'],
  ["", ""],
  [null, ""],
  [-5, "-5"],
])("csvField() writes %j as %j", (cell, field) => {
  expect(csvField(cell)).toBe(field);
});

it.each([
  ["abc", 3],
  ["für – „x“ →", 11],
  ["日本語", 6],
  ["🚢", 2],
  ["👩‍👩‍👧", 2],
  ["é", 1],
  ["한글", 4],
  ["❤️", 2],
])("displayWidth() of %s is %i", (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

it("shorten() drops an emoji at the cut as a whole", () => {
  expect(shorten("abc🚢def", 5)).toBe("abc…");
  expect(shorten("abc🚢def", 6)).toBe("abc🚢…");
  expect(shorten("a \n b", 6)).toBe("a b");
});

it("hoursText() and ageText() use two units at most", () => {
  expect([0, 65, -90].map(hoursText)).toEqual(["0:00", "1:05", "-1:30"]);
  expect([0, 59, 61, 3700, 90_000].map(ageText)).toEqual([
    "0 s",
    "59 s",
    "1 min 1 s",
    "1 h 1 min",
    "1 d 1 h",
  ]);
});
