import { describe, expect, it } from "vitest";
import type { FieldTypeName } from "../../../src/domain/field-types.ts";
import { fieldOf, fieldsOfKind, isEdited } from "../../../src/domain/fields.ts";
import { labelId, personId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import { applyPatch, type Patch } from "../../../src/domain/patch.ts";
import { fromPlain, toPlain } from "../../../src/domain/plain-item.ts";
import { sameStored } from "../../../src/domain/sameness.ts";
import { fieldInWords } from "../../../src/domain/wording.ts";
import { didInWords } from "../../../src/edits/actions/sentence.ts";
import { namesOf } from "../../../src/edits/field-changes.ts";
import { fieldsOfItem, readItemFields } from "../../../src/edits/forms/item-fields.ts";
import { readEvent, writeEventBody } from "../../../src/upstream/resources/events.ts";
import { readTask, writeTask } from "../../../src/upstream/resources/task-shape.ts";
import { anEvent, aTask, days, zone } from "../../support/items.ts";
import { objectRig } from "./object-rig.ts";

// Each field that an edit may set, by each way in and out, as the table of fields declares it.

const samples: Readonly<Partial<Record<FieldTypeName, unknown>>> = {
  day: Temporal.PlainDate.from("2026-12-01"),
  flag: true,
  labels: [labelId(51)],
  line: "Room 5; first floor",
  minutes: Temporal.Duration.from({ minutes: 45 }),
  people: [personId(12)],
  prose: "Text, and more",
  title: "Another title",
  when: days("2026-12-02"),
};

const me = personId(11);
const bases = [
  ["event", anEvent(501, { creatorId: me, when: days("2026-11-24") })],
  ["milestone", anEvent(501, { creatorId: me, when: days("2026-11-24"), milestone: true })],
  ["task", aTask(501, { dueOn: Temporal.PlainDate.from("2026-12-24") })],
] as const;

const cases = bases.flatMap(([kind, base]) =>
  fieldsOfKind(base.kind)
    .filter(isEdited)
    .filter((field) => !(kind === "event" && field === "completed"))
    .filter((field) => !(kind === "milestone" && field === "milestone"))
    .map((field) => {
      const patch: Patch = { [field]: samples[fieldOf(field).type.name] };
      return { kind, field, base, patch, changed: applyPatch(base, patch) };
    }),
);

const editable = (item: Item): Patch => ({ ...item });

describe.each(cases)("$field of a $kind", ({ field, base, patch, changed }) => {
  const isSet = (item: Item | null) =>
    expect(item && sameStored(field, editable(item), patch), JSON.stringify(item)).toBe(true);

  it("differs once it is set", () => {
    expect(sameStored(field, editable(base), patch)).toBe(false);
    isSet(changed);
  });

  it("can be stored", () => {
    isSet(fromPlain(JSON.parse(JSON.stringify(toPlain(changed))), changed, zone));
  });

  it.skipIf(field === "completed")("is sent to the service and read from it", () => {
    const known = base.kind === "event" ? { start: "2026-11-24", all_day: true } : {};
    const body =
      base.kind === "event" ? writeEventBody(patch, "update") : writeTask(patch, "update");
    const raw = { id: 501, title: base.title, private: false, ...known, ...body };
    const { projectId } = base;
    const read =
      base.kind === "event"
        ? readEvent(raw, { projectId, timeZone: zone })
        : readTask(raw, { projectId, listId: base.listId, parentId: null });
    isSet(read.ok ? read.value : null);
  });

  it("is changed by a form", () => {
    const zones = { reader: zone, account: zone };
    const read = readItemFields(fieldsOfItem(changed, zone), base, zones);
    expect(read.ok && sameStored(field, read.value, patch)).toBe(true);
  });

  it("is named in sentences", () => {
    const { store, clock } = objectRig();
    const names = namesOf(store);
    const said = fieldInWords(field, patch, names);
    expect(said).not.toBe("none");
    expect(said).not.toBe(fieldInWords(field, editable(base), names));
    const about = { action: "update", newLabels: [], createdAt: clock() } as const;
    expect(didInWords({ ...about, base, patch }, names)).not.toMatch(/undefined|set the {2}/);
  });

  it("raises SEQUENCE exactly if calendars show it", () => {
    const rig = objectRig();
    rig.member(base);
    const key = rig.store.mirror.find(base.kind, base.id);
    const sequence = () => (key === null ? null : rig.store.mirror.identity(key).sequence);
    const before = sequence();
    rig.member({ ...changed, id: base.id } as typeof base);
    expect(sequence() !== before).toBe(fieldOf(field).shown !== "nowhere");
  });

  // An event's component has no completion; milestones have it in their own calendar of to-dos.
  const isShown =
    fieldOf(field).shown === "everywhere" && !(base.kind === "event" && field === "completed");
  it.runIf(isShown)("survives a round trip through a calendar program", () => {
    const [sender, receiver] = [objectRig(), objectRig()];
    const text = sender.text(sender.member({ ...changed, id: base.id } as typeof base));
    const path = receiver.member(base);
    const headers = { "if-match": receiver.etag(path) };
    expect(receiver.ask("PUT", path, { body: text, headers }).status).toBe(204);
    const key = receiver.store.mirror.find(base.kind, base.id);
    isSet(key === null ? null : (receiver.store.view.get(key)?.item ?? null));
  });
});
