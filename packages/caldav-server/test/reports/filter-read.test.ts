import { describe, expect, it } from "vitest";
import { readFilter } from "../../src/reports/filter-read.ts";
import { readXml } from "../../src/xml/read-xml.ts";

function filterOf(inner: string) {
  const xml = readXml(
    Buffer.from(`<filter xmlns="urn:ietf:params:xml:ns:caldav" xmlns:d="DAV:">${inner}</filter>`),
  );
  if (!xml.ok || !xml.value) throw new Error(`no XML: ${JSON.stringify(xml)}`);
  return readFilter(xml.value);
}

const calendar = (inner: string) => `<comp-filter name="VCALENDAR">${inner}</comp-filter>`;
const event = (inner: string) => calendar(`<comp-filter name="VEVENT">${inner}</comp-filter>`);
const range = `<time-range start="20261101T000000Z" end="20261201T000000Z"/>`;

describe("readFilter()", () => {
  it("reads names in any case and ignores unknown ones", () => {
    const read = filterOf(
      `<d:note/><comp-filter name="vcalendar"><d:x/><comp-filter name="vevent">${range}
        <prop-filter name="summary"><text-match negate-condition="yes">aB</text-match></prop-filter>
      </comp-filter></comp-filter>`,
    );
    expect(read).toMatchObject({
      ok: true,
      value: {
        name: "VCALENDAR",
        conditions: {
          components: [
            {
              name: "VEVENT",
              conditions: {
                properties: [
                  { name: "SUMMARY", conditions: { text: { part: "AB", negate: true } } },
                ],
              },
            },
          ],
        },
      },
    });
  });

  it.each([
    ["is empty", ""],
    ["does not begin with the calendar", `<comp-filter name="VEVENT"/>`],
    ["has two roots", calendar("") + calendar("")],
    ["has a component without a name", calendar("<comp-filter/>")],
    [
      "nests an event in a to-do",
      calendar(`<comp-filter name="VTODO"><comp-filter name="VEVENT"/></comp-filter>`),
    ],
    ["nests an alarm in the calendar", calendar(`<comp-filter name="VALARM"/>`)],
    ["asks a calendar for a time", calendar(range)],
    [
      "asks a time zone for a time",
      calendar(`<comp-filter name="VTIMEZONE">${range}</comp-filter>`),
    ],
    ["has a range without ends", event("<time-range/>")],
    ["has a range in local time", event(`<time-range start="20261101T000000"/>`)],
    ["has a range of dates", event(`<time-range start="20261101"/>`)],
    ["has a range of no day", event(`<time-range start="20261131T000000Z"/>`)],
    [
      "has a range that ends as it starts",
      event(`<time-range start="20261101T000000Z" end="20261101T000000Z"/>`),
    ],
    ["has two ranges", event(range + range)],
    ["requires an undefined property to have a time", event(`<is-not-defined/>${range}`)],
    ["compares the text of a component", event("<text-match>x</text-match>")],
    ["has a property without a name", event("<prop-filter/>")],
    ["asks a title for a time", event(`<prop-filter name="SUMMARY">${range}</prop-filter>`)],
    [
      "asks a property for time and text",
      event(`<prop-filter name="DTSTART">${range}<text-match>x</text-match></prop-filter>`),
    ],
    [
      "nests a component in a property",
      event(`<prop-filter name="UID"><comp-filter name="VALARM"/></prop-filter>`),
    ],
    [
      "has a parameter without a name",
      event(`<prop-filter name="DTSTART"><param-filter/></prop-filter>`),
    ],
    [
      "asks a parameter for a time",
      event(
        `<prop-filter name="DTSTART"><param-filter name="TZID">${range}</param-filter></prop-filter>`,
      ),
    ],
    [
      "negates by maybe",
      event(
        `<prop-filter name="UID"><text-match negate-condition="maybe">x</text-match></prop-filter>`,
      ),
    ],
    ["has too many conditions", event(`<prop-filter name="UID"/>`.repeat(201))],
  ])("refuses a filter by valid-filter when it %s", (_why, inner) => {
    expect(filterOf(inner)).toMatchObject({
      ok: false,
      failure: { status: 403, precondition: { name: "valid-filter" }, reason: expect.any(String) },
    });
  });

  it("refuses unknown components by supported-filter and names them", () => {
    expect(filterOf(calendar(`<comp-filter name="X-NOTE"/>`))).toMatchObject({
      ok: false,
      failure: {
        status: 403,
        precondition: { name: "supported-filter", content: `<c:comp-filter name="X-NOTE"/>` },
      },
    });
  });

  it.each(["i;ascii-numeric", "", "i;unicode-casemap;x"])(
    "refuses the collation %j by supported-collation",
    (collation) => {
      const text = `<text-match collation="${collation}">x</text-match>`;
      expect(filterOf(event(`<prop-filter name="UID">${text}</prop-filter>`))).toMatchObject({
        ok: false,
        failure: { status: 403, precondition: { name: "supported-collation" } },
      });
    },
  );
});
