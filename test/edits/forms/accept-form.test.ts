import { describe, expect, it } from "vitest";
import { itemKey, personId, projectId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import type { Patch } from "../../../src/domain/patch.ts";
import { sourceOf } from "../../../src/domain/source.ts";
import {
  createAcceptForm,
  type FormOutcome,
  type FormWish,
} from "../../../src/edits/forms/accept-form.ts";
import { anEvent, aTask, days, times, zone } from "../../support/items.ts";
import { acceptRig, type RigSetting, withItem } from "../rig.ts";

const ana = personId(11);
const call = anEvent(1, { title: "Release call" });

function formRig(item = call, setting: RigSetting = {}) {
  const { rig, uid } = withItem(acceptRig(setting), item);
  const accept = createAcceptForm(rig.deps);
  const shown = () => {
    const viewed = rig.store.view.findUid(uid);
    if (!viewed) throw new Error("the item is not shown");
    return viewed;
  };
  const first = shown();
  return {
    ...rig,
    shown,
    key: first.key,
    sequence: first.sequence,
    ask: (wish: FormWish, { dryRun = false, actor = ana } = {}) =>
      accept({ actor, dryRun, zone, wish }),
    put: (item: Parameters<typeof rig.put>[0]) => rig.put(item),
    change: (patch: Patch, options: { readonly dryRun?: boolean } = {}): FormOutcome => {
      const wish = { kind: "change", item: first.key, sequence: first.sequence, patch } as const;
      return accept({ actor: ana, dryRun: false, zone, ...options, wish });
    },
    remove: () =>
      accept({
        actor: ana,
        dryRun: false,
        zone,
        wish: { kind: "delete", item: first.key, sequence: first.sequence },
      }),
    /** Someone else changes the item in the workspace. */
    theirs: (next: typeof call) => {
      rig.store.mirror.put(next, sourceOf(next));
    },
  };
}

const eleven = times("2026-11-23T11:00", "2026-11-23T12:00");

describe("createAcceptForm() of a change", () => {
  it("stores one edit by this person with what differs alone, and wakes the drain", () => {
    const { change, edits, shown, woken } = formRig();
    expect(change({ title: "Release call", when: eleven })).toMatchObject({
      kind: "planned",
      action: "update",
      subject: { kind: "event", title: "Release call" },
      state: "pending",
      notes: [],
    });
    expect(edits()).toMatchObject([{ channel: "dashboard", actor: ana, state: "pending" }]);
    expect(Object.keys(edits()[0]?.patch ?? {})).toEqual(["when"]);
    expect(shown().item).toMatchObject({ when: eleven });
    expect(woken()).toBe(1);
  });

  it("says for a dry run what would be done in the words of people, and stores nothing", () => {
    const { change, edits, woken } = formRig();
    const outcome = change({ when: eleven }, { dryRun: true });
    expect(outcome).toMatchObject({ kind: "planned", edit: null });
    expect(outcome.kind === "planned" && outcome.changes).toEqual([
      {
        name: expect.any(String),
        from: "Mon 23 Nov 2026, 10:00–11:00 (Europe/Berlin)",
        to: "Mon 23 Nov 2026, 11:00–12:00 (Europe/Berlin)",
      },
    ]);
    expect(edits()).toEqual([]);
    expect(woken()).toBe(0);
  });

  it("is no edit where the item is so already", () => {
    const { change, edits } = formRig();
    expect(change({ title: "Release call" })).toMatchObject({ kind: "unchanged" });
    expect(edits()).toEqual([]);
  });

  it("is asked again when someone else has changed the same since the form was shown", () => {
    const { change, theirs, edits } = formRig();
    theirs({ ...call, title: "Launch call" });
    expect(change({ title: "Release party" })).toMatchObject({
      kind: "moved",
      since: [{ from: "Release call", to: "Launch call" }],
    });
    expect(edits()).toEqual([]);
  });

  it("goes beside what someone else has changed of other fields", () => {
    const { change, theirs, shown } = formRig();
    theirs({ ...call, title: "Launch call" });
    expect(change({ when: eleven })).toMatchObject({ kind: "planned" });
    expect(shown().item).toMatchObject({ title: "Launch call", when: eleven });
  });

  it("waits for a person in review mode, once for the same wish", () => {
    const { change, edits, woken } = formRig(call, { mode: "review" });
    const [first, second] = [change({ title: "Launch call" }), change({ title: "Launch call" })];
    expect(first).toMatchObject({ kind: "planned", state: "held" });
    expect(second).toEqual(first);
    expect(edits()).toHaveLength(1);
    expect(woken()).toBe(0);
  });

  it.each<[string, typeof call, Patch, RegExp]>([
    ["an empty title", call, { title: "  " }, /title is empty/],
    ["an event that is done", call, { completed: true }, /only milestones and tasks/],
    ["a milestone at a time", call, { milestone: true }, /without a time of day/],
    [
      "a milestone of two days",
      { ...call, milestone: true, when: days("2026-11-23") },
      { when: days("2026-11-23", "2026-11-24") },
      /one day, not 2 days/,
    ],
    [
      "an hour that the clocks repeat",
      call,
      {
        when: {
          kind: "times",
          start: Temporal.ZonedDateTime.from("2026-10-25T02:30+01:00[Europe/Berlin]"),
          end: null,
        },
      },
      /second 2026-10-25 02:30/,
    ],
  ])("refuses %s with the reason", (_what, item, patch, reason) => {
    const { change, edits } = formRig(item);
    const outcome = change(patch);
    expect(outcome.kind).toBe("refused");
    expect(outcome.kind === "refused" ? outcome.reasons.join("; ") : "").toMatch(reason);
    expect(edits()).toEqual([]);
  });

  it("assigns who would not see a private event any more", () => {
    const mine = { ...call, creatorId: personId(12), private: false };
    const { change, shown } = formRig(mine);
    const outcome = change({ private: true });
    expect(outcome.kind === "planned" && outcome.notes).toEqual([
      "it is visible only to its creator and assignees: you are assigned, so that you still see it",
    ]);
    expect(shown().item.assigned).toEqual([ana]);
  });

  it("says that formatted text becomes plain text", () => {
    const { change } = formRig({ ...call, description: "<p>Bring <b>cake</b></p>" });
    const outcome = change({ description: "Bring fruit" });
    expect(outcome.kind === "planned" && outcome.notes.join()).toMatch(/formatted text/);
  });

  it("has nothing to say of an item that is gone", () => {
    const { ask } = formRig();
    const wish = { kind: "change", item: itemKey(99), sequence: 0, patch: { title: "x" } } as const;
    expect(ask(wish)).toEqual({ kind: "gone" });
  });
});

describe("createAcceptForm() of a deletion", () => {
  it("takes the item out of the view at once", () => {
    const { remove, store, key, edits } = formRig();
    expect(remove()).toMatchObject({ kind: "planned", action: "delete", state: "pending" });
    expect(edits()).toMatchObject([{ action: "delete", channel: "dashboard" }]);
    expect(store.view.get(key)).toBeNull();
  });

  it("is asked again when anything of the item has changed since", () => {
    const { remove, theirs, edits } = formRig();
    theirs({ ...call, title: "Launch call" });
    expect(remove()).toMatchObject({ kind: "moved" });
    expect(edits()).toEqual([]);
  });

  it("waits for approval from the eleventh within a minute on", () => {
    const { put, store, ask, edits } = formRig();
    for (let id = 10; id < 21; id++) {
      const viewed = store.view.findUid(put(anEvent(id)));
      if (!viewed) throw new Error("the event is not shown");
      ask({ kind: "delete", item: viewed.key, sequence: viewed.sequence });
    }
    expect(edits().map(({ state }) => state)).toEqual([...Array(10).fill("pending"), "held"]);
  });
});

describe("createAcceptForm() of a new item", () => {
  const fresh: Item = { ...anEvent(5, { title: "Kick-off", creatorId: ana }), id: null };

  it("is shown at once under the UID that it was given", () => {
    const { ask, store, edits } = formRig();
    expect(ask({ kind: "create", item: fresh, uid: "new@pages" })).toMatchObject({
      kind: "planned",
      action: "create",
      state: "pending",
    });
    expect(edits()).toMatchObject([{ action: "create", base: { title: "Kick-off", id: null } }]);
    expect(store.view.findUid("new@pages")?.item).toMatchObject({ title: "Kick-off" });
  });

  it("keeps a private one in the sight of whoever makes it", () => {
    const { ask, store } = formRig();
    ask({ kind: "create", item: { ...fresh, private: true } as Item, uid: "own@pages" });
    expect(store.view.findUid("own@pages")?.item.assigned).toEqual([ana]);
  });

  it.each<[string, Item, RegExp]>([
    ["without a title", { ...fresh, title: " " }, /title is empty/],
    [
      "a milestone with a time",
      { ...anEvent(6, { milestone: true }), id: null },
      /without a time of day/,
    ],
  ])("refuses one %s", (_what, item, reason) => {
    const { ask, edits } = formRig();
    const outcome = ask({ kind: "create", item, uid: "x@pages" });
    expect(outcome.kind === "refused" ? outcome.reasons.join() : "").toMatch(reason);
    expect(edits()).toEqual([]);
  });

  it("makes a task of a list", () => {
    const { ask, store } = formRig();
    const task: Item = { ...aTask(7, { projectId: projectId(2001) }), id: null };
    ask({ kind: "create", item: task, uid: "task@pages" });
    expect(store.view.findUid("task@pages")?.item).toMatchObject({ kind: "task", listId: 3001 });
  });
});
