import { describe, expect, it } from "vitest";
import { type Edit, editStates, overlay, visibleStates } from "../../src/domain/edit.ts";
import { editId, itemKey, serviceId } from "../../src/domain/ids.ts";
import { untouched } from "../support/edits.ts";
import { anEvent } from "./items.ts";

const at = Temporal.Instant.from("2026-11-24T10:00:00Z");

const edit = (fields: Pick<Edit, "action" | "patch"> & Partial<Edit>): Edit => ({
  ...untouched,
  id: editId(1),
  channel: "cli",
  actor: null,
  program: null,
  item: itemKey(1),
  base: anEvent(),
  state: "pending",
  attempts: 0,
  createdAt: at,
  updatedAt: at,
  ...fields,
});

describe("an item with pending edits", () => {
  it("is the mirrored item if there are none", () => {
    const item = anEvent();
    expect(overlay(item, [])).toBe(item);
    expect(overlay(null, [])).toBeNull();
  });

  it("has the edits applied in order, field by field", () => {
    const edits = [
      edit({ action: "update", patch: { title: "B", private: true } }),
      edit({ action: "complete", patch: { completed: true } }),
      edit({ action: "update", patch: { title: "C" } }),
    ];
    const expected = anEvent({ title: "C", private: true, completed: true });
    expect(overlay(anEvent(), edits)).toEqual(expected);
  });

  it("stays private if the event was recreated without its privacy", () => {
    const base = anEvent({ private: true });
    const renamed = edit({ action: "update", base, patch: { title: "B" } });
    const anew = anEvent({ id: serviceId(99) });
    expect(overlay(anew, [renamed])).toEqual({ ...anew, title: "B", private: true });
    // Someone has published it, or the edit itself does.
    expect(overlay(anEvent(), [renamed])).toEqual(anEvent({ title: "B" }));
    const published = edit({ action: "update", base, patch: { title: "B", private: false } });
    expect(overlay(anew, [published])).toEqual({ ...anew, title: "B" });
  });

  it("is null after a deletion, whatever edits follow", () => {
    const gone = edit({ action: "delete", patch: {} });
    expect(overlay(anEvent(), [gone])).toBeNull();
    expect(
      overlay(anEvent(), [gone, edit({ action: "update", patch: { title: "B" } })]),
    ).toBeNull();
  });

  it("is the new item while its creation is pending", () => {
    const base = anEvent({ id: null });
    const created = edit({ action: "create", base, patch: { title: "New" } });
    expect(overlay(null, [created])).toEqual(anEvent({ id: null, title: "New" }));
    expect(overlay(null, [created, edit({ action: "update", patch: { title: "Newer" } })])).toEqual(
      anEvent({ id: null, title: "Newer" }),
    );
  });

  it("ignores an edit of an unknown item", () => {
    expect(overlay(null, [edit({ action: "update", patch: { title: "B" } })])).toBeNull();
  });
});

it("visible states exclude edits that wait for a person or are settled", () => {
  const hidden = editStates.filter((state) => !visibleStates.includes(state));
  expect(hidden).toEqual(["confirmed", "parked", "held", "discarded", "undone"]);
});
