import { describe, expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

const ana = personId(11);
const on = (text: string) => Temporal.PlainDate.from(text);

describe("since()", () => {
  it("gives assigned items whose dates changed, with the former dates", () => {
    const { store, put, clock } = storeRig();
    const mine = { assigned: [ana] };
    const moved = put(aTask(1, mine));
    put(aTask(2, mine));
    put(aTask(3));
    const milestone = put(anEvent(4, { ...mine, when: days("2026-11-24") }));
    const at = clock();
    clock.advance({ hours: 1 });
    put(aTask(1, { ...mine, dueOn: on("2026-11-25") }));
    clock.advance({ hours: 1 });
    put(aTask(1, { ...mine, dueOn: on("2026-11-26") }));
    put(aTask(2, { ...mine, title: "Renamed" }));
    put(aTask(3, { dueOn: on("2026-11-26") }));
    put(anEvent(4, { ...mine, when: days("2026-11-30") }));
    put(aTask(5, { ...mine, dueOn: on("2026-11-26") }));
    const found = store.dateMoves.since(at, ana);
    expect(found.map(({ shown, actor }) => [shown.key, actor])).toEqual([
      [moved, null],
      [milestone, null],
    ]);
    const [first] = found;
    expect(first?.before.kind === "task" && first.before.dueOn?.toString()).toBe("2026-11-24");
    expect(store.dateMoves.since(clock(), ana)).toEqual([]);
    expect(store.dateMoves.since(at, personId(12))).toEqual([]);
  });

  it("gives nothing when an item moved back", () => {
    const { store, put, clock } = storeRig();
    put(aTask(1, { assigned: [ana] }));
    const at = clock();
    clock.advance({ hours: 1 });
    put(aTask(1, { assigned: [ana], dueOn: on("2026-11-25") }));
    put(aTask(1, { assigned: [ana] }));
    expect(store.dateMoves.since(at, ana)).toEqual([]);
  });

  it("names who moved it by an edit, also while that is under way", () => {
    const { store, put, clock } = storeRig();
    const item = put(aTask(1, { assigned: [ana] }));
    const at = clock();
    clock.advance({ hours: 1 });
    const base = store.view.get(item)?.item;
    if (!base) throw new Error("the task is shown");
    const edit = { channel: "caldav", item, action: "update", base, newLabels: [] } as const;
    const patch = { dueOn: on("2026-11-25") };
    store.journal.append({ ...edit, actor: personId(12), patch, state: "pending" });
    store.journal.append({ ...edit, actor: ana, patch: { title: "New" }, state: "pending" });
    expect(store.dateMoves.since(at, ana).map(({ actor }) => actor)).toEqual([12]);
  });
});
