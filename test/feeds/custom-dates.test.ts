import { describe, expect, it } from "vitest";
import { listId, serviceId } from "../../src/domain/ids.ts";
import { aTask } from "../support/items.ts";
import { feedRig } from "./rig.ts";

const dated = (value: string, title = "Launch") => ({
  customFields: [
    { id: serviceId(601), title, type: "Date", value },
    { id: serviceId(602), title: "Budget", type: "Currency", value: "12" },
  ],
});

/** UID, SEQUENCE, DTSTART and SUMMARY of each component of a feed. */
function shown(text: string): readonly string[] {
  return text
    .split("BEGIN:VEVENT")
    .slice(1)
    .map((component) =>
      ["UID", "SEQUENCE", "DTSTART", "SUMMARY"]
        .map((name) => new RegExp(`^${name}[^:\\r]*:(.*?)\\r$`, "m").exec(component)?.[1] ?? "-")
        .join(" ")
        .replace(/@\S+/, ""),
    );
}

describe("feeds with customDates", () => {
  it("show a custom date as its own all-day event, even for a task without a due date", () => {
    const rig = feedRig({ options: { customDates: true } });
    rig.put(aTask(1, dated("2026-12-24")));
    rig.put(aTask(2, { ...dated("2026-12-31"), dueOn: null }));
    expect(shown(rig.text())).toEqual([
      "task-1 0 20261124 Task 1",
      "field-601-task-1 0 20261224 Task 1: Launch",
      "field-601-task-2 0 20261231 Task 2: Launch",
    ]);
    expect(rig.fromScratch()).toBe(rig.text());
  });

  it("show none by default, for private tasks, or outside the window", () => {
    const off = feedRig();
    off.put(aTask(1, dated("2026-12-24")));
    expect(shown(off.text())).toHaveLength(1);
    const on = feedRig({ options: { customDates: true } });
    on.put(aTask(1, { ...dated("2026-12-24"), listId: listId(3002) }));
    on.put(aTask(2, { ...dated("2020-12-24"), dueOn: null }));
    expect(shown(on.text())).toEqual([]);
  });

  it("raise SEQUENCE with the date, and leave other feeds alone", () => {
    const [on, off] = [feedRig({ options: { customDates: true } }), feedRig()];
    for (const rig of [on, off]) rig.put(aTask(1, dated("2026-12-24")));
    const before = off.text();
    on.text();
    for (const rig of [on, off]) rig.put(aTask(1, dated("2026-12-25")));
    expect(shown(on.text())).toEqual([
      "task-1 1 20261124 Task 1",
      "field-601-task-1 1 20261225 Task 1: Launch",
    ]);
    expect(off.text()).toBe(before);
    expect(on.fromScratch()).toBe(on.text());
  });

  it("follow a renamed field, drop an emptied one, and never repeat a SEQUENCE", () => {
    const rig = feedRig({ options: { customDates: true } });
    rig.put(aTask(1, dated("2026-12-24")));
    rig.text();
    rig.put(aTask(1, dated("2026-12-24", "Go live")));
    expect(shown(rig.text())[1]).toBe("field-601-task-1 1 20261224 Task 1: Go live");
    rig.put(aTask(1, dated("")));
    expect(shown(rig.text())).toHaveLength(1);
    rig.put(aTask(1, dated("2026-12-29")));
    expect(shown(rig.text())[1]).toBe("field-601-task-1 2 20261229 Task 1: Launch");
  });

  it("follow the title and deletion of the task", () => {
    const rig = feedRig({ options: { customDates: true } });
    rig.put(aTask(1, dated("2026-12-24")));
    rig.text();
    rig.put(aTask(1, { ...dated("2026-12-24"), title: "Site" }));
    expect(shown(rig.text())[1]).toBe("field-601-task-1 1 20261224 Site: Launch");
    const key = rig.store.mirror.find("task", serviceId(1));
    if (key === null) throw new Error("the mirror has lost the task");
    rig.store.mirror.bury(key);
    expect(shown(rig.text())).toEqual([]);
  });
});
