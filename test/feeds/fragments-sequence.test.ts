import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelId, listId, personId, projectId } from "../../src/domain/ids.ts";
import { runs } from "../support/effort.ts";
import { aLabel, anEvent, aPerson, aTask, aTodolist, days, times } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { feedRig } from "./rig.ts";

const words = fc.constantFrom("plain", "a,b;c\\n", "<p>html</p>", "", "✓ done", "two\nlines");

/** One thing that may happen between two fetches. */
const step = fc.oneof(
  { weight: 7, arbitrary: fc.record({ kind: fc.constant("fetch") }) },
  fc.record({
    kind: fc.constant("event"),
    id: fc.integer({ min: 1, max: 3 }),
    title: words,
    secret: fc.boolean(),
    day: fc.integer({ min: -5, max: 5 }),
  }),
  fc.record({
    kind: fc.constant("task"),
    id: fc.integer({ min: 1, max: 3 }),
    title: words,
    completed: fc.boolean(),
    comments: fc.nat(2),
    elsewhere: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("label"), name: words }),
  fc.record({ kind: fc.constant("person"), name: words }),
  fc.record({ kind: fc.constant("hide"), hidden: fc.boolean() }),
  fc.record({ kind: fc.constant("bury"), id: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant("wait"),
    seconds: fc.constantFrom(-3600, 0, 1, 60, 86_400, 7 * 86_400),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Rig = ReturnType<typeof feedRig>;

function take({ put, store, clock }: Rig, one: Step): void {
  if ("secret" in one) {
    const day = Temporal.PlainDate.from("2026-11-20").add({ days: one.day });
    const when = one.day % 2 === 0 ? days(day.toString()) : times(`${day.toString()}T10:00`);
    put(anEvent(one.id, { title: one.title, description: one.title, private: one.secret, when }));
  } else if ("comments" in one) {
    const placed = one.elsewhere ? { projectId: projectId(2002), listId: listId(3009) } : {};
    const { completed, title } = one;
    put(
      aTask(one.id, {
        ...placed,
        title,
        completed,
        commentCount: one.comments,
        labels: [labelId(51)],
        assigned: [personId(11)],
      }),
    );
  } else if ("name" in one) {
    if (one.kind === "label") store.directory.putLabels([aLabel(51, one.name)], false);
    else store.directory.putPeople([aPerson(11, one.name)], false);
  } else if ("hidden" in one) {
    store.directory.putTodolists(
      projectId(2001),
      [aTodolist(3001, { private: one.hidden })],
      false,
    );
  } else if ("seconds" in one) {
    clock.advance({ seconds: one.seconds });
  } else if ("id" in one) {
    const [found] = store.mirror.ofSource("events:2001").filter(({ item }) => item.id === one.id);
    if (found) store.mirror.bury(found.key);
  }
}

function components(text: string): ReadonlyMap<string, string> {
  const blocks = text.match(/BEGIN:VEVENT[\s\S]*?END:VEVENT/g) ?? [];
  return new Map(blocks.map((block) => [/^UID:(.*)$/m.exec(block)?.[1] ?? "", block]));
}

describe("what a feed says", () => {
  it("has one text per SEQUENCE after any changes, never goes back, and is the same without a cache", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("omit" as const, "busy" as const, "show" as const),
        fc.array(step, { minLength: 5, maxLength: 25 }),
        (mode, steps) => {
          const rig = feedRig({
            options: { private: mode, completed: Temporal.Duration.from("P3D") },
          });
          const told = new Map<string, string>();
          const last = new Map<string, { sequence: number; lastModified: string }>();
          let feedModified = "";
          for (const one of [...steps, { kind: "fetch" } as const]) {
            take(rig, one);
            if (one.kind !== "fetch") continue;
            const { etag, modifiedAt } = rig.head();
            const text = rig.text();
            expect(rig.head().etag).toBe(etag);
            expect(rig.fromScratch()).toBe(text);
            expect(modifiedAt.toString() >= feedModified).toBe(true);
            feedModified = modifiedAt.toString();
            const read = readBack(text);
            for (const [uid, block] of components(text)) {
              const event = read.get(uid);
              if (!event) throw new Error(`${uid} was not read`);
              const version = `${uid} ${event.sequence}`;
              expect(told.get(version) ?? block).toBe(block);
              const before = last.get(uid);
              if (before && before.sequence !== event.sequence) {
                expect(event.sequence).toBeGreaterThan(before.sequence);
                expect(event.lastModified > before.lastModified).toBe(true);
              }
              told.set(version, block);
              last.set(uid, event);
            }
          }
          rig.store.close();
        },
      ),
      { numRuns: runs(80) },
    );
  });

  it("never turns a line of a hostile text into a line of ours", () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        "\r",
        "\n",
        "\\",
        '"',
        ",",
        ";",
        ":",
        "^",
        "n",
        "N",
        "\u2028",
        "\t",
        "\0",
        "\u000b",
        "😀",
        "ב",
        "é",
        "BEGIN:VEVENT",
        "END:VEVENT\r\n",
        "ATTENDEE:",
        " ",
        "<b>",
        "&amp;",
      ),
      maxLength: 60,
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, nasty, (title, description, label, person) => {
        const rig = feedRig();
        rig.store.directory.putLabels([aLabel(51, label)], false);
        rig.store.directory.putPeople([aPerson(11, person)], false);
        rig.put(anEvent(1, { title, description, assigned: [personId(11)] }));
        rig.put(aTask(1, { title, description, labels: [labelId(51)], assigned: [personId(11)] }));
        const text = rig.text();
        expect(readBack(text).size).toBe(2);
        const names = text
          .replaceAll("\r\n ", "")
          .split("\r\n")
          .map((line) => /^[A-Z-]*/.exec(line)?.[0] ?? line);
        expect(names.filter((name) => name === "ATTENDEE")).toEqual([]);
        expect(names.filter((name) => name === "BEGIN").length).toBe(
          names.filter((name) => name === "END").length,
        );
        rig.store.close();
      }),
      { numRuns: runs(80) },
    );
  });
});
