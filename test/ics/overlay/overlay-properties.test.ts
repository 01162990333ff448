import {
  createZoneWriter,
  type EventCard,
  foldLine,
  inEnglish,
  readCalendarObject,
  type TodoCard,
  writeEvent,
  writeObject,
  writeTodo,
} from "@dayferry/ical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { card } from "../../../packages/ical/test/cards.ts";
import { octets as bytes, zone } from "../../../packages/ical/test/files.ts";
import { day, instant, todo } from "../../../packages/ical/test/todos.ts";
import { sameWhen } from "../../../src/domain/same-values.ts";
import { canonicalText, overlayOctets } from "../../../src/ics/overlay/overlay.ts";

const stamp = { sequence: 8, modifiedAt: instant("2026-06-03T10:00:00Z") };
const zones = createZoneWriter();

const words = fc.constantFrom(
  "",
  "a",
  "a, b; c",
  "back\\slash\\n",
  "zwei\nZeilen",
  "ä€😀 ".repeat(30),
);
const title = words.map((text) => text.trim() || "x");
const names = fc.subarray(["Idea", "Home, sweet", "Ärger"]);
const days = fc
  .integer({ min: 0, max: 700 })
  .map((count) => day("2026-01-01").add({ days: count }));

const when: fc.Arbitrary<EventCard["when"]> = fc.oneof(
  fc.tuple(days, fc.integer({ min: 1, max: 5 })).map(([start, count]) => {
    return { kind: "dates" as const, start, end: start.add({ days: count }) };
  }),
  fc
    .tuple(days, fc.integer({ min: 0, max: 95 }), fc.integer({ min: 1, max: 200 }))
    .map(([date, quarter, length]) => {
      const start = date.toZonedDateTime(zone).add({ minutes: quarter * 15 });
      return { kind: "times" as const, start, end: start.add({ minutes: length * 15 }) };
    }),
);

const event: fc.Arbitrary<string> = fc
  .record({
    summary: title,
    description: words,
    when,
    categories: fc.constantFrom([], ["Milestone"]),
    reminder: fc.option(
      fc.constantFrom("PT0S", "PT15M", "P1D").map((text) => Temporal.Duration.from(text)),
    ),
    classification: fc.constantFrom(null, "PRIVATE" as const),
  })
  .map((fields) => writeEvent(card(fields)));

const task: fc.Arbitrary<string> = fc
  .record({
    summary: title,
    description: words,
    startOn: fc.option(days),
    dueOn: fc.option(days),
    categories: names,
    relatedTo: fc.constantFrom(null, "p1", "p;2"),
    percent: fc.integer({ min: 0, max: 100 }),
    status: fc.constantFrom<TodoCard["status"]>("NEEDS-ACTION", "IN-PROCESS", "COMPLETED"),
    completedAt: fc.constantFrom(null, instant("2026-05-05T05:05:05Z")),
  })
  .map((fields) => writeTodo(todo(fields)));

/** Lines unknown to the service. */
const foreign = fc.subarray([
  "X-MOZ-GENERATION:4",
  `x-long;X-P="a:b;c":${"ä".repeat(60)}`,
  "LOCATION:Room 5\\, left",
  "PRIORITY:1",
  'ATTENDEE;CN="A, B":mailto:a@b.example',
  "ORGANIZER:mailto:c@d.example",
  "RELATED-TO;RELTYPE=SIBLING:s1",
  "COMMENT:DTSTART:20260101",
]);
const parts = fc.subarray([
  ["BEGIN:VALARM", "ACTION:EMAIL", "TRIGGER:-PT2H", "ATTENDEE:mailto:a@b.example", "END:VALARM"],
  ["BEGIN:X-PART", "SUMMARY:not the title", "END:X-PART"],
]);

interface Shape {
  readonly own: readonly string[];
  readonly parts: readonly (readonly string[])[];
  readonly lost: readonly string[];
  readonly lineEnd: "\r\n" | "\n";
}

const shape: fc.Arbitrary<Shape> = fc.record({
  own: foreign,
  parts,
  lost: fc.subarray([
    "DESCRIPTION",
    "TRANSP",
    "PERCENT-COMPLETE",
    "RELATED-TO",
    "DTEND",
    "X-DAYFERRY-BASE",
    "SEQUENCE",
  ]),
  lineEnd: fc.constantFrom("\r\n" as const, "\n" as const),
});

/** How a program changes our text: it adds its own lines and loses some of ours. */
function asClient(component: string, { own, parts: inner, lost, lineEnd }: Shape): string {
  const lines = component.replaceAll("\r\n ", "").split("\r\n").slice(0, -1);
  const kept = lines.filter((line) => !lost.includes(line.split(/[;:]/)[0] ?? ""));
  const alarm = kept.indexOf("BEGIN:VALARM");
  const end = alarm < 0 ? kept.length - 1 : alarm;
  kept.splice(end, 0, ...own, ...inner.flat());
  const text = kept.map((line) => `${foldLine(line)}\r\n`).join("");
  const object = writeObject(text, zones(component));
  return lineEnd === "\n" ? object.replaceAll("\r\n", "\n") : object;
}

function readItemOf(text: string) {
  const object = readCalendarObject(bytes(text), { zone });
  if (!object.ok) throw new Error(`${inEnglish(object.failure.message)}\n${text}`);
  return object.value;
}

/** An item's values, as far as the service can store them. */
function saidBy(text: string) {
  const item = readItemOf(text);
  return {
    uid: item.uid,
    summary: item.summary,
    description: item.description ?? "",
    start: String(
      item.component === "VTODO" && (item.start?.kind === "date" ? item.start.on : null),
    ),
    due: String(item.due?.kind === "date" ? item.due.on : null),
    status: item.status,
    percent: item.percent,
    completedAt: String(item.completedAt),
    categories: (item.categories ?? []).toSorted(),
    relatedTo: item.relatedTo,
    classification: item.classification,
    alarm: item.component === "VEVENT" ? (item.alarm?.total("seconds") ?? null) : null,
  };
}

describe.each([
  ["VEVENT", event],
  ["VTODO", task],
] as const)("an overlay of a %s", (component, version) => {
  const turn = fc.record({ before: version, after: version, shape });
  const overlay = (octets: string, { said, now }: { said: string | null; now: string }) =>
    overlayOctets({
      octets,
      component,
      said: said === null ? null : canonicalText(said),
      now: canonicalText(now),
      stamp,
      zone,
      zones: zones(now),
    });

  it("returns the same octets if nothing changed", () => {
    fc.assert(
      fc.property(turn, ({ before, shape: client }) => {
        const octets = asClient(before, client);
        expect(overlay(octets, { said: before, now: before })).toBe(octets);
      }),
    );
  });

  it.each([true, false])("has present values: %s", (isKnown) => {
    fc.assert(
      fc.property(turn, ({ before, after, shape: client }) => {
        const octets = asClient(before, client);
        const text = overlay(octets, { said: isKnown ? before : null, now: after });
        if (isKnown && text === octets) {
          expect(canonicalText(after)).toBe(canonicalText(before));
          return;
        }
        const expected = saidBy(writeObject(after, zones(after)));
        const result = saidBy(text);
        // With an unknown past the client keeps its progress, and its time that we do not know.
        const isDone = expected.status === "COMPLETED";
        expect(isDone).toBe(result.status === "COMPLETED");
        const time = expected.completedAt === "undefined" ? { completedAt: "" } : {};
        const blur = { percent: 0, status: "", ...time };
        if (isKnown) expect(result).toEqual(expected);
        else if (text !== octets && component === "VEVENT") expect(result).toEqual(expected);
        else expect({ ...result, ...blur }).toEqual({ ...expected, ...blur });
        const [a, b] = [readItemOf(text).when, readItemOf(writeObject(after, zones(after))).when];
        expect(a && b ? sameWhen(a, b) : a === b).toBe(true);
      }),
    );
  });

  it("keeps every unrelated line", () => {
    fc.assert(
      fc.property(turn, ({ before, after, shape: client }) => {
        const text = overlay(asClient(before, client), { said: before, now: after });
        const folded = (line: string) => foldLine(line).replaceAll("\r\n", client.lineEnd);
        for (const line of [...client.own, ...client.parts.flat()]) {
          expect(text).toContain(`${client.lineEnd}${folded(line)}${client.lineEnd}`);
        }
        expect(text.replaceAll("\r\n", "").includes("\r")).toBe(false);
        if (client.lineEnd === "\n") expect(text).not.toContain("\r");
      }),
    );
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(turn, ({ before, after, shape: client }) => {
        const octets = asClient(before, client);
        const once = overlay(octets, { said: before, now: after });
        expect(overlay(octets, { said: before, now: after })).toBe(once);
        expect(overlay(once, { said: after, now: after })).toBe(once);
        const unknown = overlay(octets, { said: null, now: after });
        expect(overlay(unknown, { said: null, now: after })).toBe(unknown);
      }),
    );
  });
});
