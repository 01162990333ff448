import fc from "fast-check";
import { expect, it } from "vitest";
import { labelId, personId, type ServiceId, serviceId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import { runs } from "../../support/effort.ts";
import { aLabel, anEvent, aTask, days, times } from "../../support/items.ts";
import { acceptRig } from "../rig.ts";

type Stored = Item & { readonly id: ServiceId };

// Weighted with what breaks calendars: escapes, separators, line ends, marks of feeds, foreign scripts.
const letter = fc.oneof(
  fc.constantFrom("\\", '"', ",", ";", ":", "^", "n", "N", "\u2028", "\t", "\n", "\r", "✓ ", "◆ "),
  fc.constantFrom(
    "— Dayferry —",
    "\n\n",
    "— ",
    "<b>",
    "</b>",
    "<br>",
    "&amp;",
    "é",
    "👩‍💻",
    "שלום",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
);
const text = fc.array(letter, { maxLength: 12 }).map((letters) => letters.join(""));
const description = fc.option(text, { nil: null });
const date = fc.integer({ min: 0, max: 700 }).map((count) => {
  return Temporal.PlainDate.from("2026-01-01").add({ days: count });
});
const when = fc.oneof(
  fc.tuple(date, fc.integer({ min: 0, max: 9 })).map(([first, length]) => {
    return days(first.toString(), first.add({ days: length }).toString());
  }),
  fc
    .tuple(date, fc.integer({ min: 0, max: 1439 }), fc.option(fc.integer({ min: 1, max: 5000 })))
    .map(([first, minute, length]) => {
      const start = first.toPlainDateTime().add({ minutes: minute });
      const end = length === null ? null : start.add({ minutes: length }).toString();
      return times(start.toString(), end);
    }),
);
const people = fc.subarray([personId(11), personId(12), personId(13)]);

const event = fc
  .record({
    title: text,
    description,
    when,
    assigned: people,
    reminder: fc.option(fc.integer({ min: 0, max: 20_000 })),
    milestone: fc.boolean(),
    completed: fc.boolean(),
    private: fc.boolean(),
  })
  .map(
    (drawn): Stored =>
      anEvent(501, {
        ...drawn,
        when: drawn.milestone ? days("2026-11-23") : drawn.when,
        completed: drawn.milestone && drawn.completed,
        reminder:
          drawn.reminder === null ? null : Temporal.Duration.from({ minutes: drawn.reminder }),
      }),
  );

const task = fc
  .record({
    title: text,
    description,
    startOn: fc.option(date),
    dueOn: fc.option(date),
    completed: fc.boolean(),
    assigned: people,
    labels: fc.subarray([labelId(51), labelId(52), labelId(53), labelId(54), labelId(99)]),
    sub: fc.boolean(),
  })
  .map(
    ({ sub, ...drawn }): Stored =>
      aTask(601, {
        ...drawn,
        ...(sub && { kind: "subtask" as const, parentId: serviceId(600) }),
        completedAt: drawn.completed ? Temporal.Instant.from("2026-11-01T00:00:00Z") : null,
      }),
  );

const setting = fc.record({
  tasks: fc.constantFrom("due" as const, "span" as const),
  private: fc.constantFrom("show" as const, "busy" as const),
  webUrl: fc.constantFrom(null, "https://work.example.com/#/{project}/{kind}/{id}?a=1,2;3"),
});

it("a downloaded feed contains no edit, whatever the items say", () => {
  fc.assert(
    fc.property(event, task, setting, (anyEvent, anyTask, feeds) => {
      const rig = acceptRig({ feeds });
      rig.store.directory.putLabels([aLabel(54, 'x;"\\n, ✓ y')], false);
      rig.put(anyEvent);
      rig.put(anyTask);
      const plan = rig.plan(rig.feed());
      expect(plan.items.length).toBeGreaterThan(0);
      for (const item of plan.items) {
        expect(item).toMatchObject({ action: "unchanged", changes: [], problems: [] });
      }
      expect(rig.edits()).toEqual([]);
    }),
    { numRuns: runs(120) },
  );
});

it("a changed title is found below every decoration, and nothing else", () => {
  fc.assert(
    fc.property(event, setting, (anyEvent, feeds) => {
      const rig = acceptRig({ feeds: { ...feeds, private: "show" } });
      rig.put(anyEvent);
      const feed = rig.feed().replace(/\r\n[ \t]/g, "");
      const changed = feed.replace(/^(SUMMARY:(?:[✓◆] )?).*$/mu, "$1Changed by a person");
      const [item] = rig.plan(changed).items;
      const marked = /^[✓◆]/u.test(anyEvent.title.trim());
      expect(item?.action).toBe("update");
      expect(item?.changes.map(({ field }) => field)).toContain("title");
      if (!marked) {
        expect(item?.changes).toMatchObject([{ field: "title", to: "Changed by a person" }]);
      }
    }),
    { numRuns: runs(60) },
  );
});
