import { createEventLoopBudget } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { type AcceptFile, createAcceptFile } from "../../../src/edits/intake/accept.ts";
import type { Plan } from "../../../src/edits/intake/plan-answer.ts";
import { aTask } from "../../support/items.ts";
import { acceptRig, calendar, list, vevent, vtodo } from "../rig.ts";

const dated = "DTSTART;VALUE=DATE:20261224";

/** So many new events. */
const parties = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, nth) =>
    vevent(`party-${nth}@example.com`, `SUMMARY:Party ${nth}`, dated),
  );

/** Accepts files in parts, in turns that have room for almost nothing. */
function partsRig() {
  const rig = acceptRig();
  let now = 0;
  // Each look at the clock is a millisecond later, whatever the machine does.
  const eventLoop = createEventLoopBudget({ monotonic: () => (now += 1) });
  const acceptFile: AcceptFile = createAcceptFile({ ...rig.deps, eventLoop });
  const send = async (text: string, fields = {}): Promise<Plan> => {
    const answer = await acceptFile({ ...rig.request, bytes: Buffer.from(text), ...fields });
    if (answer.kind === "plan") return answer;
    throw new Error(JSON.stringify(answer.errors));
  };
  return { ...rig, sendInParts: send };
}

describe("a long file", () => {
  it.each([
    ["planned", calendar(...parties(200)), true],
    ["stored", calendar(...parties(200)), false],
    ["refused", calendar(...parties(200).map((party) => party.replace("20261224", "2026"))), false],
  ])("does not delay other files while it is %s", async (_what, text, dryRun) => {
    const { sendInParts } = partsRig();
    const done: string[] = [];
    const long = sendInParts(text, { dryRun }).then(() => done.push("long"));
    const short = sendInParts(calendar(vevent("tea@example.com", "SUMMARY:Tea", dated)));
    await Promise.all([long, short.then(() => done.push("short"))]);
    expect(done).toEqual(["short", "long"]);
  });

  const children = (from: number) =>
    Array.from({ length: 20 }, (_, nth) =>
      vtodo(`child-${from + nth}@example.com`, "SUMMARY:Child", "RELATED-TO:parent@example.com"),
    );
  const parent = vtodo("parent@example.com", "SUMMARY:Parent", "DUE;VALUE=DATE:20261224");
  it.each([
    ["events", parties(40)],
    ["to-dos behind the one above them", [parent, ...children(0), ...children(20)]],
    ["to-dos before the one above them", [...children(0), ...children(20), parent]],
    ["some that are refused", [...parties(20), vevent("bad@example.com", "DTSTART:2026")]],
  ])("makes the same edits as in one step: %s", async (_what, items) => {
    const [inParts, atOnce] = [partsRig(), acceptRig()];
    const text = calendar(...items);
    const told = await inParts.sendInParts(text, { listId: list });
    // A to-do below one that was just stored is called a subtask at once.
    const short = ({ items, summary, errors }: Plan) => ({
      ...{ summary, errors },
      items: items.map(({ uid, action, editId, problems }) => ({ uid, action, editId, problems })),
    });
    expect(short(told)).toEqual(short(atOnce.plan(text, { listId: list })));
    const kept = ({ edits }: typeof atOnce) =>
      edits().map(({ id, action, state, patch }) => ({ id, action, state, patch }));
    expect(kept({ ...atOnce, edits: inParts.edits })).toEqual(kept(atOnce));
  });

  it("holds every deletion if there are many, including the first ones", async () => {
    const rig = partsRig();
    const uids = Array.from({ length: 30 }, (_, nth) => rig.put(aTask(601 + nth)));
    const text = calendar(...uids.map((uid) => vtodo(uid, "STATUS:CANCELLED")));
    const { summary } = await rig.sendInParts(text);
    expect(summary).toMatchObject({ delete: 30 });
    expect(new Set(rig.edits().map(({ state }) => state))).toEqual(new Set(["held"]));
  });

  it("is unchanged if it is sent again", async () => {
    const rig = partsRig();
    const text = calendar(...parties(40));
    await rig.sendInParts(text);
    const { summary, items } = await rig.sendInParts(text);
    expect(summary).toMatchObject({ unchanged: 40, create: 0 });
    expect(items).toHaveLength(40);
    expect(rig.edits()).toHaveLength(40);
  });
});

it("a long answer counts everything and lists a thousand items, unchanged ones last", async () => {
  const rig = partsRig();
  const known = rig.put(aTask(serviceId(601), { title: "Known" }));
  const same = vtodo(known, "SUMMARY:Known");
  const bad = Array.from({ length: 1100 }, (_, nth) =>
    vevent(`bad-${nth}@example.com`, "SUMMARY:Bad", "DTSTART:2026"),
  );
  const { summary, items, errors, more } = await rig.sendInParts(calendar(same, ...bad));
  expect(summary).toMatchObject({ refused: 1100, unchanged: 1 });
  expect(items).toHaveLength(1000);
  expect(items.every(({ action }) => action === "refused")).toBe(true);
  expect(errors).toHaveLength(1000);
  expect(more).toEqual({ items: 101, errors: 100 });
});
