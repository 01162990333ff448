import { describe, expect, it } from "vitest";
import { type LabelId, labelId } from "../../../src/domain/ids.ts";
import { fieldsOf, type Patch } from "../../../src/domain/patch.ts";
import { patchToPlain } from "../../../src/domain/plain-item.ts";
import { rows } from "../../support/effort.ts";
import { days, times } from "../../support/items.ts";
import { clashRig, withClash } from "./clash-rig.ts";

type Rig = Awaited<ReturnType<typeof clashRig>>;
const day = (text: string) => Temporal.PlainDate.from(text);
const minutes = (count: number) => Temporal.Duration.from({ minutes: count });

type Side = Patch | ((rig: Rig) => Patch);
/** Two different values of a field, one by each side, and the value before. */
const clashes: readonly (readonly [string, "event" | "task", Side, Side, Patch])[] = [
  ["title", "event", { title: "Mine" }, { title: "Theirs" }, {}],
  ["description", "event", { description: "Mine\nin two lines" }, { description: "Theirs" }, {}],
  [
    "description, taken away there",
    "task",
    { description: "Mine" },
    { description: null },
    { description: "Before" },
  ],
  [
    "times",
    "event",
    { when: times("2026-11-24T09:00", "2026-11-24T10:00") },
    { when: times("2026-11-25T11:00", "2026-11-25T12:00") },
    {},
  ],
  [
    "times against a whole day",
    "event",
    { when: days("2026-11-24") },
    { when: times("2026-11-25T11:00", "2026-11-25T12:00") },
    {},
  ],
  [
    "a whole day against times",
    "event",
    { when: times("2026-11-24T09:00", "2026-11-24T10:00") },
    { when: days("2026-11-26", "2026-11-27") },
    { when: days("2026-11-23") },
  ],
  ["reminder", "event", { reminder: minutes(15) }, { reminder: minutes(60) }, {}],
  ["due date", "task", { dueOn: day("2026-12-01") }, { dueOn: day("2026-12-02") }, {}],
  ["due date, taken away here", "task", { dueOn: null }, { dueOn: day("2026-12-02") }, {}],
  ["start date", "task", { startOn: day("2026-11-20") }, { startOn: day("2026-11-21") }, {}],
  ["estimated time", "task", { estimated: minutes(90) }, { estimated: minutes(30) }, {}],
  [
    "list",
    "task",
    (rig) => ({ place: { projectId: rig.project, listId: rig.otherList } }),
    (rig) => ({ place: { projectId: rig.otherProject, listId: rig.farList } }),
    {},
  ],
];

describe("resolving a field that both sides changed", () => {
  it.each(rows(clashes, 3))(
    "%s: shows both values, and either one can win",
    async (_name, kind, mineOf, theirsOf, before) => {
      for (const keep of ["mine", "theirs"] as const) {
        const rig = await clashRig();
        const of = (side: Side) => (typeof side === "function" ? side(rig) : side);
        const [mine, theirs] = [of(mineOf), of(theirsOf)];
        const [field = "title"] = fieldsOf(mine);
        const uid = await rig.item(kind, before);
        rig.wish(uid, mine);
        await rig.there(uid, theirs);
        expect(await rig.drained()).toEqual(["parked: conflict"]);
        const { fields, version } = rig.choice();
        expect(fields).toMatchObject([{ field }]);
        const [told] = fields;
        expect(new Set([told?.before, told?.theirs, told?.mine]).size).toBe(3);
        expect(JSON.stringify(told)).not.toMatch(/\dZ/);

        const preview = rig.preview({ keep, fields: {} });
        expect(rig.resolve({ keep, fields: {} }, { version })).toMatchObject({ kind: "done" });
        expect(await rig.drained()).toEqual([keep === "mine" ? "confirmed" : "discarded"]);
        const item = await rig.now(uid);
        rig.expectAsPreviewed(item, preview);
        rig.expectAsPreviewed(item, { result: patchToPlain(keep === "mine" ? mine : theirs) });
        // The abandoned value is shown for as long as the edit exists.
        expect(rig.edit().conflicts).toMatchObject([
          {
            field,
            ours: patchToPlain(theirs)[field],
            theirs: patchToPlain(mine)[field],
            taken: keep === "mine" ? "theirs" : "ours",
          },
        ]);
      }
    },
  );

  it("takes a side for each field, and sends fields that only this edit changed", async () => {
    const { rig, uid } = await withClash("event");
    const when = times("2026-11-24T09:00", "2026-11-24T10:00");
    rig.wish(uid, { title: "Mine", when, reminder: minutes(10), description: "Mine" });
    await rig.there(uid, { title: "Theirs", description: "Theirs", when: days("2026-11-26") });
    await rig.drained();
    const picks = {
      fields: { title: "mine", when: "theirs", description: { text: "Both:\nMine and theirs" } },
    } as const;
    const preview = rig.preview(picks);
    expect(preview.fields.map(({ name, whose }) => [name, whose])).toEqual([
      ["Title", "mine"],
      ["Description", "combined"],
      ["When", "theirs"],
      ["Reminder", "nobody-else"],
    ]);
    expect(preview.losses).toHaveLength(4);
    expect(rig.states()).toEqual(["parked: conflict"]);
    rig.resolve(picks);
    await rig.drained();
    const item = await rig.now(uid);
    rig.expectAsPreviewed(item, preview);
    expect(item).toMatchObject({ title: "Mine", description: "Both:\nMine and theirs" });
    const told = JSON.stringify(rig.editActions.show(1)?.story);
    for (const value of ["Theirs", "Mine", "Mine and theirs", "Thu 26 Nov 2026 (all day)"]) {
      expect(told).toContain(value);
    }
  });

  it("merges people, labels and completion without asking", async () => {
    const rig = await clashRig();
    const owner = rig.owner;
    const other = rig.person("member");
    const made = (name: string): LabelId =>
      labelId(rig.sandbox.workspace.labels.create({ by: owner }, { name, color: "#123456" }).id);
    const [blue, red] = [made("Blue"), made("Red")];
    const uid = await rig.item("task");
    rig.wish(uid, { title: "Mine", labels: [blue], assigned: [owner], completed: true });
    await rig.there(uid, { title: "Theirs", labels: [red], assigned: [other], completed: true });
    await rig.drained();
    expect(rig.choice().fields.map(({ field }) => field)).toEqual(["title"]);
    const preview = rig.preview({ keep: "theirs", fields: {} });
    rig.resolve({ keep: "theirs", fields: {} });
    await rig.drained();
    const item = await rig.now(uid);
    rig.expectAsPreviewed(item, preview);
    expect(item).toMatchObject({ title: "Theirs", completed: true });
    expect(item.assigned).toEqual(expect.arrayContaining([owner, other]));
    expect(item.kind === "task" && item.labels).toEqual(expect.arrayContaining([blue, red]));
  });
});

describe("resolving while the workspace changes", () => {
  it("asks again if the value to overwrite has changed, and loses nothing", async () => {
    const { rig, uid } = await withClash("event");
    rig.wish(uid, { title: "Mine" });
    await rig.there(uid, { title: "Theirs" });
    await rig.drained();
    const seen = rig.choice().version;
    await rig.there(uid, { title: "Newest" });
    rig.resolve({ keep: "mine", fields: {} }, { version: seen });
    expect(await rig.drained()).toEqual(["parked: conflict"]);
    expect((await rig.now(uid)).title).toBe("Newest");
    expect(rig.choice()).toMatchObject({ fields: [{ theirs: "Newest", mine: "Mine" }] });
    expect(rig.choice().version).not.toBe(seen);
    expect(rig.resolve({ keep: "mine", fields: {} }, { version: seen })).toMatchObject({
      kind: "overwrites",
      version: rig.choice().version,
    });
    expect(JSON.stringify(rig.editActions.show(1)?.story)).toContain("Theirs");
  });

  it("asks again if the value to keep has changed", async () => {
    const { rig, uid } = await withClash("event");
    rig.wish(uid, { title: "Mine", description: "Mine" });
    await rig.there(uid, { title: "Theirs", description: "Theirs" });
    await rig.drained();
    rig.resolve({ fields: { title: "theirs", description: "mine" } });
    await rig.there(uid, { title: "Newest" });
    expect(await rig.drained()).toEqual(["parked: conflict"]);
    expect(await rig.now(uid)).toMatchObject({ title: "Newest", description: "Theirs" });
    expect(rig.choice().fields).toMatchObject([{ field: "title", theirs: "Newest", mine: "Mine" }]);
    const preview = rig.preview({ keep: "mine", fields: {} });
    rig.resolve({ keep: "mine", fields: {} });
    await rig.drained();
    const item = await rig.now(uid);
    rig.expectAsPreviewed(item, preview);
    expect(item).toMatchObject({ title: "Mine", description: "Mine" });
  });

  it("shows what a sweep has read since, and refuses a decision about an older version", async () => {
    const { rig, uid } = await withClash("task");
    rig.wish(uid, { title: "Mine" });
    await rig.there(uid, { title: "Theirs" });
    await rig.drained();
    const { version } = rig.choice();
    await rig.there(uid, { title: "Newest" });
    await rig.sweep();
    expect(rig.choice()).toMatchObject({ fields: [{ theirs: "Newest" }] });
    expect(rig.resolve({ keep: "mine", fields: {} }, { version }).kind).toBe("overwrites");
    // There is no conflict any more: the edit can be sent unchanged.
    await rig.there(uid, { title: "Write" });
    await rig.sweep();
    expect(rig.choice().fields).toEqual([]);
    expect(rig.editActions.retry(1)).toMatchObject({ kind: "done" });
    await rig.drained();
    expect((await rig.now(uid)).title).toBe("Mine");
  });
});

describe("resolving deletions", () => {
  it.each(["mine", "theirs"] as const)(
    "keep %s: deletion of an item that someone else changed",
    async (keep) => {
      const { rig, uid } = await withClash("event");
      rig.wish(uid, {}, "delete");
      await rig.there(uid, { title: "Important now" });
      await rig.drained();
      expect(rig.choice()).toMatchObject({
        kind: "deletion",
        fields: [{ theirs: "Important now" }],
      });
      const told = rig.editActions.show(1)?.problem;
      expect(told).toMatch(/changed since you saw it.*"Important now"/);
      expect(rig.preview({ keep, fields: {} }).kind).toBe(keep === "mine" ? "deletes" : "yields");
      rig.resolve({ keep, fields: {} });
      expect(await rig.drained()).toEqual([keep === "mine" ? "confirmed" : "discarded"]);
      expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(
        keep === "mine" ? [] : ["Important now"],
      );
    },
  );

  it.each(["mine", "theirs"] as const)(
    "keep %s: change of an item that someone else deleted",
    async (keep) => {
      const { rig, uid } = await withClash("event", { description: "Kept" });
      rig.wish(uid, { title: "Mine" });
      await rig.there(uid, null);
      expect(await rig.drained()).toEqual(["parked: refused"]);
      await rig.sweep();
      await rig.sweep();
      expect(rig.choice()).toMatchObject({ kind: "revival" });
      rig.resolve({ keep, fields: {} });
      expect(await rig.drained()).toEqual(
        keep === "mine" ? ["discarded", "confirmed"] : ["discarded"],
      );
      expect(rig.workspaceEvents()).toMatchObject(
        keep === "mine" ? [{ title: "Mine", description: "Kept" }] : [],
      );
      if (keep === "mine") expect(rig.store.view.findUid(uid)?.item.title).toBe("Mine");
    },
  );
});

it("names open, unknown and empty choices, and does nothing", async () => {
  const { rig, uid } = await withClash("event");
  rig.wish(uid, { title: "Mine", description: "Mine" });
  await rig.there(uid, { title: "Theirs", description: "Theirs" });
  await rig.drained();
  for (const [picks, reason] of [
    [{ fields: { title: "mine" } }, /fields\.description/],
    [{ keep: "mine", fields: { when: "mine" } }, /fields\.when: there is nothing to choose/],
    [{ keep: "mine", fields: { title: { text: "  " } } }, /fields\.title: it is empty/],
  ] as const) {
    expect(rig.resolve(picks)).toEqual({
      kind: "unclear",
      reason: expect.stringMatching(reason),
    });
  }
  expect(rig.states()).toEqual(["parked: conflict"]);
  expect(
    rig.editActions.resolve(9, {
      version: null,
      picks: { fields: {} },
      by: { channel: "dashboard", actor: null },
      dryRun: false,
    }).kind,
  ).toBe("unknown");
  rig.editActions.discard(1);
  expect(
    rig.editActions.resolve(1, {
      version: null,
      picks: { fields: {} },
      by: { channel: "dashboard", actor: null },
      dryRun: false,
    }).kind,
  ).toBe("refused");
});

/** The same sequence for a seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1) >>> 0;
    return state / 2 ** 32;
  };
}

it.each(rows([1, 2, 3, 4, 5, 6, 7, 8], 4))(
  "random walk %i: the service ends as previewed or the person is asked again, and no value is lost",
  async (seed) => {
    const rig = await clashRig();
    const random = randomOf(seed);
    const one = <Value>(values: readonly [Value, ...Value[]]): Value =>
      values[Math.floor(random() * values.length)] ?? values[0];
    const value = (who: string): Patch => ({
      ...(random() < 0.7 && { title: `${who} title ${Math.floor(random() * 100)}` }),
      ...(random() < 0.7 && { description: `${who} text ${Math.floor(random() * 100)}` }),
      ...(random() < 0.6 && { reminder: minutes(5 + Math.floor(random() * 50)) }),
      ...(random() < 0.6 && {
        when: one([
          days(`2026-12-${10 + Math.floor(random() * 10)}`),
          times(`2026-12-0${1 + Math.floor(random() * 9)}T09:00`, null),
        ]),
      }),
    });
    const uid = await rig.item("event", { description: "First" });
    const mine = { ...value("Mine"), title: `Mine of walk ${seed}` };
    rig.wish(uid, mine);
    const said = [patchToPlain(mine)];
    const change = async (patch: Patch) => {
      if (Object.keys(patch).length === 0) return;
      said.push(patchToPlain(patch));
      await rig.there(uid, patch);
    };
    await change({ ...value("Theirs"), title: "Theirs of the walk" });
    await rig.drained();
    for (let round = 0; round < 4 && rig.edit().state === "parked"; round++) {
      const { fields } = rig.choice();
      const picks = {
        fields: Object.fromEntries(
          fields.map(({ field, texts }) => [
            field,
            texts && random() < 0.3
              ? { text: `Both ${Math.floor(random() * 1000)}` }
              : one(["mine", "theirs"] as const),
          ]),
        ),
      };
      const preview = rig.preview(picks);
      expect(rig.resolve(picks).kind).toBe("done");
      const isDisturbed = round < 2 && random() < 0.5;
      if (isDisturbed) await change(value("Later"));
      await rig.drained();
      const item = await rig.now(uid);
      const { state } = rig.edit();
      if (!isDisturbed) rig.expectAsPreviewed(item, preview);
      // Whatever nobody was shown is in the workspace, or was never in conflict.
      if (!isDisturbed) expect(["confirmed", "discarded"]).toContain(state);
    }
    const kept = JSON.stringify([rig.edit(), rig.store.editSteps.of(rig.edit().id)]);
    const wished = said[0]?.title;
    expect(kept).toContain(wished);
    expect(rig.store.view.history(rig.keyOf(uid), null).length).toBeGreaterThan(0);
    expect(kept).toContain("Theirs of the walk");
  },
);
