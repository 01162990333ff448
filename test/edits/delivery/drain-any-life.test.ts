import fc from "fast-check";
import { expect, it } from "vitest";
import { vtodo } from "../rig.ts";
import { above, type Written, withdrawalRig, written } from "./withdrawal-rig.ts";

// What a program does with items that the service may not have yet, while requests are under way and answers get lost.

const kinds = ["event", "milestone", "task", "subtask", "subtask"] as const;
/** How each is written in the other list: a subtask follows its task. */
const elsewhere = {
  event: "milestone",
  milestone: "event",
  task: "task",
  subtask: "task",
} as const satisfies Record<Written, Written>;

type Act =
  | { readonly kind: "put"; readonly nth: number; readonly where: "here" | "there" }
  | { readonly kind: "remove"; readonly nth: number }
  | { readonly kind: "step" | "meanwhile" | "restart" | "rest" }
  | { readonly kind: "lose"; readonly how: "drop-before" | "drop-after" };

const nth = fc.nat(kinds.length - 1);
const where = fc.constantFrom("here" as const, "there" as const);
const how = fc.constantFrom("drop-before" as const, "drop-after" as const);
const act: fc.Arbitrary<Act> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("put"), nth, where }), weight: 10 },
  { arbitrary: fc.record({ kind: fc.constant("remove"), nth }), weight: 10 },
  { arbitrary: fc.record({ kind: fc.constantFrom("step", "meanwhile") }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constantFrom("restart", "rest") }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant("lose"), how }), weight: 3 },
);

const uidOf = (item: number): string => `item-${item}@example.com`;

/** Sends the changes. `words`: the titles that were put last, of items not deleted since. */
async function live(acts: readonly Act[]) {
  const rig = await withdrawalRig();
  rig.put(vtodo(above, "SUMMARY:Above"));
  for (const [item, kind] of kinds.entries()) rig.put(written[kind](`First ${item}`, uidOf(item)));
  const words = new Map(kinds.map((_, item) => [item, `First ${item}`]));
  let steps: Promise<unknown>[] = [];

  async function take(one: Act, index: number): Promise<void> {
    switch (one.kind) {
      case "put": {
        const own = kinds[one.nth] ?? "task";
        const kind = one.where === "here" ? own : elsewhere[own];
        const title = `Title ${index}`;
        const done = rig.put(written[kind](title, uidOf(one.nth)), one.where);
        if (done !== "refused") words.set(one.nth, title);
        return;
      }
      case "remove":
        if (!rig.isShown(uidOf(one.nth))) return;
        expect(rig.remove(vtodo(uidOf(one.nth)))).toBe("delete");
        words.delete(one.nth);
        return;
      case "step":
        await rig.step();
        return;
      case "meanwhile":
        steps.push(rig.step());
        return;
      case "restart":
        rig.abort();
        await Promise.all(steps);
        steps = [];
        rig.restart();
        return;
      case "rest":
        rig.clock.advance({ seconds: 2 });
        return;
      case "lose":
        rig.sandbox.faults.add({ kind: one.how, method: "POST" });
        return;
    }
  }
  for (const [index, one] of acts.entries()) await take(one, index);
  await Promise.all(steps);
  await rig.drainAll({ loops: 2 });
  return { rig, words };
}

it("any sequence of puts and deletions ends with the last state of each item at the service, once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 15, maxLength: 30 }), async (acts) => {
      const { rig, words } = await live(acts);
      const edits = rig.store.journal.list({ limit: 100 }).toReversed();
      const told = edits.map(
        ({ id, item, action, state, problem }) => `${id} ${action} ${item} ${state} ${problem}`,
      );
      const titles = await rig.titles();
      expect(titles, told.join("\n")).toEqual(["Above", ...words.values()].toSorted());
      const shown = kinds.map((_, item) => rig.isShown(uidOf(item)));
      expect(shown).toEqual(kinds.map((_, item) => words.has(item)));
    }),
    { numRuns: 12, seed: 501, endOnFailure: true },
  );
});
