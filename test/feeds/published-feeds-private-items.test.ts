import { describe, expect, it } from "vitest";
import { labelId, listId, personId } from "../../src/domain/ids.ts";
import { aLabel, anEvent, aPerson, aTask } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { byTitle, feedRig } from "./rig.ts";

describe("private items", () => {
  const secrets = ["Zahnarzt", "Wurzelbehandlung", "Geheimliste-Aufgabe", "Patientin", "Intern"];
  const rig = (mode: "omit" | "busy" | "show") => {
    const made = feedRig({ options: { private: mode } });
    made.store.directory.putPeople([aPerson(13, "Patientin")], false);
    made.store.directory.putLabels([aLabel(53, "Intern")], false);
    made.put(
      anEvent(1, {
        title: "Zahnarzt",
        description: "<p>Wurzelbehandlung</p>",
        private: true,
        assigned: [personId(13)],
        reminder: Temporal.Duration.from("PT1H"),
      }),
    );
    made.put(
      aTask(1, {
        title: "Geheimliste-Aufgabe",
        listId: listId(3002),
        labels: [labelId(53)],
        assigned: [personId(13)],
      }),
    );
    made.put(anEvent(2, { title: "Open to all" }));
    return made;
  };

  it.each([
    ["omit", ["Open to all"]],
    ["busy", ["Busy", "Open to all", "Busy"]],
  ] as const)("with option %s reveal nothing", (mode, expected) => {
    const text = rig(mode).text();
    const unfolded = text.replaceAll("\r\n ", "");
    for (const secret of secrets) expect(unfolded).not.toContain(secret);
    expect([...readBack(text).values()].map(({ summary }) => summary)).toEqual(expected);
    expect(unfolded.includes("VALARM")).toBe(false);
  });

  it("are marked as private if they are shown", () => {
    const read = byTitle(rig("show").text());
    expect(read.get("Zahnarzt")?.classification).toBe("PRIVATE");
    expect(read.get("Geheimliste-Aufgabe")?.classification).toBe("PRIVATE");
    expect(read.get("Open to all")?.classification).toBeNull();
  });

  it("disappear when they become private after publication", () => {
    const { put, text } = feedRig();
    put(anEvent(1, { title: "Zahnarzt" }));
    expect(readBack(text()).size).toBe(1);
    put(anEvent(1, { title: "Zahnarzt", private: true }));
    expect(text()).not.toContain("Zahnarzt");
  });
});
