import { describe, expect, it } from "vitest";
import type { EventItem } from "../../../src/domain/item.ts";
import { anEvent, days } from "../../support/items.ts";
import {
  acceptRig,
  calendar,
  codes,
  type RigSetting,
  vevent,
  vtodo,
  wishes,
  withItem,
} from "../rig.ts";

function edited(lines: readonly string[], fields: Partial<EventItem> = {}, setting?: RigSetting) {
  const { rig, uid } = withItem(acceptRig(setting), anEvent(501, { title: "Review", ...fields }));
  return rig.one(calendar(vevent(uid, ...lines)));
}

describe("a milestone that is", () => {
  const milestone = { milestone: true, when: days("2026-11-23") };

  it.each<[string, readonly string[], Partial<EventItem>, string, object]>([
    [
      "moved",
      ["DTSTART;VALUE=DATE:20261130"],
      {},
      "update",
      { when: { startOn: "2026-11-30", endOn: "2026-12-01" } },
    ],
    ["renamed below its prefix", ["SUMMARY:◆ Go live"], {}, "update", { title: "Go live" }],
    ["renamed without its prefix", ["SUMMARY:Go live"], {}, "update", { title: "Go live" }],
    ["done by STATUS", ["STATUS:COMPLETED"], {}, "complete", { completed: true }],
    ["done by the mark", ["SUMMARY:✓ Review"], {}, "complete", { completed: true }],
    [
      "done by the mark before its prefix",
      ["SUMMARY:✓ ◆ Review"],
      {},
      "complete",
      { completed: true },
    ],
    [
      "reopened by the mark",
      ["SUMMARY:Review"],
      { completed: true },
      "reopen",
      { completed: false },
    ],
    [
      "reopened by STATUS",
      ["STATUS:NEEDS-ACTION", "SUMMARY:✓ Review"],
      { completed: true },
      "reopen",
      { completed: false },
    ],
    [
      "done and renamed",
      ["SUMMARY:✓ Go live"],
      {},
      "update",
      { title: "Go live", completed: true },
    ],
    ["made an event by its categories", ["CATEGORIES:Other"], {}, "update", { milestone: false }],
  ])("%s", (_name, lines, fields, action, expected) => {
    const item = edited(lines, { ...milestone, ...fields });
    expect(item).toMatchObject({ action, kind: "milestone" });
    expect(wishes(item)).toEqual(expected);
  });

  it.each<[string, readonly string[], string, object]>([
    ["COMPLETED", ["COMPLETED:20261120T100000Z"], "complete", { completed: true }],
    [
      "PERCENT-COMPLETE",
      ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:100"],
      "complete",
      { completed: true },
    ],
    [
      "DUE",
      ["DUE;VALUE=DATE:20261130"],
      "update",
      { when: { startOn: "2026-11-30", endOn: "2026-12-01" } },
    ],
    [
      "DTSTART",
      ["DTSTART;VALUE=DATE:20261130"],
      "update",
      { when: { startOn: "2026-11-30", endOn: "2026-12-01" } },
    ],
  ])("changed by %s of its to-do", (_name, lines, action, expected) => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501, milestone));
    const item = rig.one(calendar(vtodo(uid, ...lines)));
    expect(item.action).toBe(action);
    expect(wishes(item)).toEqual(expected);
  });

  it("given a time of day in its to-do is refused", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501, milestone));
    const item = rig.one(calendar(vtodo(uid, "DUE:20261130T100000Z")));
    expect(codes(item)).toEqual(["milestone-time"]);
  });

  it("completed stays so if its to-do has no mark in the title", () => {
    const { rig, uid } = withItem(
      acceptRig(),
      anEvent(501, { ...milestone, title: "Live", completed: true }),
    );
    expect(rig.one(calendar(vtodo(uid, "SUMMARY:Live", "STATUS:COMPLETED"))).action).toBe(
      "unchanged",
    );
  });

  it.each([
    ["kind", ["SUMMARY:New"]],
    ["not-completable", ["STATUS:COMPLETED"]],
  ])("no milestone refuses a to-do (%s)", (code, lines) => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501));
    expect(codes(rig.one(calendar(vtodo(uid, ...lines))))).toEqual([code]);
  });

  it("made by adding the category to an all-day event", () => {
    const item = edited(["CATEGORIES:MILESTONE"], { when: days("2026-11-23") });
    expect(wishes(item)).toEqual({ milestone: true });
  });
});

describe("titles that look decorated", () => {
  it.each<[string, string, Partial<EventItem>, object]>([
    ["✓ shipped", "✓ shipped", {}, {}],
    ["✓ shipped", "shipped", {}, { title: "shipped" }],
    ["✓ shipped", "✓ sent", {}, { title: "✓ sent" }],
    ["◆ gem", "✓ ◆ gem", { completed: true, milestone: true, when: days("2026-11-23") }, {}],
    [
      "◆ gem",
      "◆ gem",
      { completed: true, milestone: true, when: days("2026-11-23") },
      { completed: false },
    ],
    [
      "◆ gem",
      "✓ ◆ jewel",
      { completed: true, milestone: true, when: days("2026-11-23") },
      { title: "◆ jewel" },
    ],
    ["(untitled)", "(untitled)", {}, {}],
    ["", "(untitled)", {}, {}],
    ["", "Named", {}, { title: "Named" }],
  ])("%j shown back as %j", (title, summary, fields, expected) => {
    expect(wishes(edited([`SUMMARY:${summary}`], { ...fields, title }))).toEqual(expected);
  });

  it("are taken literally from a channel without decorations", () => {
    const { rig, uid } = withItem(
      acceptRig(),
      anEvent(501, { title: "Live", milestone: true, completed: true, when: days("2026-11-23") }),
    );
    const file = calendar(vevent(uid, "SUMMARY:Live"));
    expect(rig.one(file, { channel: "caldav" }).action).toBe("unchanged");
    const marked = calendar(vevent(uid, "SUMMARY:✓ Live"));
    expect(wishes(rig.one(marked, { channel: "caldav" }))).toEqual({ title: "✓ Live" });
  });
});
