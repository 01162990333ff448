import fc from "fast-check";
import { expect, it } from "vitest";
import type { Edit, EditAction } from "../../../src/domain/edit.ts";
import { overlay } from "../../../src/domain/edit.ts";
import { type ItemKey, listId, projectId } from "../../../src/domain/ids.ts";
import { toPlain } from "../../../src/domain/plain-item.ts";
import { runs } from "../../support/effort.ts";
import { anEvent, aTask } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

type Rig = ReturnType<typeof storeRig>;

const id = fc.integer({ min: 1, max: 4 });
const word = fc.constantFrom("a", "b", "c");
const step = fc.oneof(
  fc.record({
    kind: fc.constant("put" as const),
    id,
    title: word,
    list: fc.constantFrom(3001, 3002),
    project: fc.constantFrom(2001, 2002),
  }),
  fc.record({ kind: fc.constant("event" as const), id, title: word }),
  fc.record({ kind: fc.constant("bury" as const), nth: fc.nat(9) }),
  fc.record({
    kind: fc.constant("edit" as const),
    nth: fc.nat(9),
    action: fc.constantFrom<EditAction>("update", "complete", "delete"),
    title: word,
    held: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("create" as const),
    title: word,
    uid: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ kind: fc.constant("claim" as const) }),
  fc.record({
    kind: fc.constant("confirm" as const),
    title: word,
    newId: fc.integer({ min: 1, max: 8 }),
  }),
  fc.record({ kind: fc.constant("retry" as const), seconds: fc.constantFrom(0, 5) }),
  fc.record({ kind: fc.constant("park" as const) }),
  fc.record({ kind: fc.constant("resume" as const), edit: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant("discard" as const), edit: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant("release" as const) }),
  fc.record({ kind: fc.constant("touch" as const), nth: fc.nat(9) }),
  fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(-60, 1, 60) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface World {
  readonly rig: Rig;
  readonly keys: ItemKey[];
  readonly claimed: Edit[];
}

function keyAt({ keys }: World, nth: number): ItemKey | undefined {
  return keys[nth % Math.max(1, keys.length)];
}

function remember({ keys }: World, key: ItemKey): void {
  if (!keys.includes(key)) keys.push(key);
}

function take(world: World, one: Step): void {
  const { rig, claimed } = world;
  const { store } = rig;
  switch (one.kind) {
    case "put": {
      const placed = { listId: listId(one.list), projectId: projectId(one.project) };
      remember(world, rig.put(aTask(one.id, { ...placed, title: one.title })));
      return;
    }
    case "event":
      remember(world, rig.put(anEvent(one.id, { title: one.title })));
      return;
    case "create": {
      const uid = `born-${one.uid}`;
      if (store.mirror.findUid(uid)) return;
      remember(world, rig.appendCreation(anEvent(99, { title: one.title }), uid).key);
      return;
    }
    case "bury": {
      const key = keyAt(world, one.nth);
      if (key) store.mirror.bury(key);
      return;
    }
    case "edit": {
      const key = keyAt(world, one.nth);
      const base = key && store.view.get(key)?.item;
      if (!key || !base) return;
      const patch = one.action === "complete" ? { completed: true } : { title: one.title };
      rig.append({
        item: key,
        action: one.action,
        base,
        patch,
        ...(one.held && { state: "held" as const }),
      });
      return;
    }
    case "claim": {
      const edit = store.journal.claimNext();
      if (edit) claimed.push(edit);
      return;
    }
    case "confirm": {
      const edit = claimed.shift();
      if (!edit || store.journal.get(edit.id)?.state !== "claimed") return;
      const { serviceId: known } = store.mirror.identity(edit.item);
      const answerId = known ?? one.newId;
      const fields = { title: one.title, projectId: edit.base.projectId };
      const answer =
        edit.base.kind === "event"
          ? anEvent(answerId, fields)
          : aTask(answerId, { ...fields, kind: edit.base.kind });
      store.journal.confirm(edit, edit.action === "delete" ? null : answer);
      return;
    }
    case "retry": {
      const edit = claimed.shift();
      if (!edit || store.journal.get(edit.id)?.state !== "claimed") return;
      store.journal.settle(edit, {
        kind: "retry",
        notBefore: rig.clock().add({ seconds: one.seconds }),
        problem: "busy",
      });
      return;
    }
    case "park": {
      const edit = claimed.shift();
      if (!edit || store.journal.get(edit.id)?.state !== "claimed") return;
      store.journal.settle(edit, { kind: "park", reason: "failed", problem: "no" });
      return;
    }
    case "resume":
    case "discard": {
      const [edit] = store.journal.list({ limit: 99 }).filter((listed) => listed.id === one.edit);
      if (edit) store.journal[one.kind](edit.id);
      return;
    }
    case "release":
      claimed.length = 0;
      store.journal.release();
      return;
    case "touch": {
      const key = keyAt(world, one.nth);
      if (key) store.changes.touch(key);
      return;
    }
    case "wait":
      rig.clock.advance({ seconds: one.seconds });
  }
}

/** What the view must show of an item, from the mirror and the journal alone. */
function expected({ rig: { store } }: World, key: ItemKey) {
  const open = store.journal
    .list({ limit: 1000 })
    .filter((edit) => edit.item === key && ["pending", "claimed"].includes(edit.state))
    .toReversed();
  const item = overlay(store.mirror.get(key)?.item ?? null, open);
  return item && { content: toPlain(item), id: item.id };
}

it("the view is always the mirror with the open edits over it, whatever steps they take", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 40 }), (steps) => {
      const rig = storeRig();
      const world: World = { rig, keys: [], claimed: [] };
      const { store } = rig;
      const told = new Map<ItemKey, { sequence: number; modifiedAt: string }>();
      let latest = 0;
      const revisions = new Map<number, number>();
      for (const one of steps) {
        const before = new Map(
          world.keys.map((key) => [key, JSON.stringify(expected(world, key)?.content)]),
        );
        take(world, one);
        for (const key of world.keys) {
          const shown = store.view.get(key);
          const wanted = expected(world, key);
          expect(shown && { content: toPlain(shown.item), id: shown.item.id }).toEqual(wanted);
          const { sequence, modifiedAt } = store.mirror.identity(key);
          const last = told.get(key);
          expect(sequence).toBeGreaterThanOrEqual(last?.sequence ?? 0);
          expect(modifiedAt.toString() >= (last?.modifiedAt ?? "")).toBe(true);
          if (last && sequence > last.sequence)
            expect(modifiedAt.toString() > last.modifiedAt).toBe(true);
          told.set(key, { sequence, modifiedAt: modifiedAt.toString() });
          const changed = before.has(key) && before.get(key) !== JSON.stringify(wanted?.content);
          if (changed) expect(store.changes.latest()).toBeGreaterThan(latest);
        }
        expect(store.changes.latest()).toBeGreaterThanOrEqual(latest);
        latest = store.changes.latest();
        for (const project of [2001, 2002]) {
          const now = store.changes.revisionOf(projectId(project));
          expect(now).toBeGreaterThanOrEqual(revisions.get(project) ?? 0);
          revisions.set(project, now);
        }
      }
      const inProjects = [2001, 2002].flatMap((project) =>
        store.view.ofProject(projectId(project)),
      );
      expect(inProjects).toHaveLength(world.keys.filter((key) => expected(world, key)).length);
      store.close();
    }),
    { numRuns: runs(150) },
  );
});
