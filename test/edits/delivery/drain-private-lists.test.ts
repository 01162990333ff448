import type { Fault } from "@dayferry/sandbox";
import { expect, it } from "vitest";
import { calendar, vevent } from "../rig.ts";
import { drainRig } from "./drain-rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");

/** A workspace of which the account's key sees more than the editor's own. */
async function hidingRig(hidden = 2) {
  const rig = await drainRig();
  await rig.event({ title: "For all" });
  for (let at = 0; at < hidden; at++) await rig.event({ title: `Private ${at}`, private: true });
  const member = rig.person("member");
  const place = { by: member, project: rig.project };
  const seen = rig.sandbox.workspace.events.list(place, { view: "all" });
  expect(seen.map(({ title }) => title)).toEqual(["For all"]);
  return { ...rig, member, place };
}

const parties = (rig: Awaited<ReturnType<typeof hidingRig>>) =>
  rig.workspaceEvents().filter(({ title }) => title === "Party");

it.each<[string, Fault, number]>([
  ["a lost request", { kind: "drop-before" }, 2],
  ["a lost answer", { kind: "drop-after" }, 1],
  ["a 500", { kind: "status", status: 500 }, 2],
  ["another answer", { kind: "replace", body: { error: "no" } }, 1],
])(
  "a person who sees less than the account creates an item exactly once despite %s",
  async (_name, fault, posts) => {
    const rig = await hidingRig();
    rig.send(calendar(party), { actor: rig.member });
    rig.sandbox.faults.add({ ...fault, method: "POST" });
    expect(await rig.drainAll({ most: 20 })).toEqual(["confirmed"]);
    expect(parties(rig)).toMatchObject([{ creator: { id: rig.member } }]);
    expect(rig.requests("POST")).toHaveLength(posts);
  },
);

it("adopts an item that was created despite a 500", async () => {
  const rig = await hidingRig();
  rig.send(calendar(party), { actor: rig.member });
  rig.sandbox.faults.add({ kind: "status", status: 500, method: "POST" });
  await rig.step();
  const made = { title: "Party", start: "2026-12-24", all_day: true };
  rig.sandbox.workspace.events.create(rig.place, made);
  expect(await rig.drainAll({ most: 20 })).toEqual(["confirmed"]);
  expect(parties(rig)).toHaveLength(1);
  expect(rig.requests("POST")).toHaveLength(1);
});

it("finds the person's own private event after a restart with the request in flight", async () => {
  const rig = await hidingRig();
  const secret = vevent(
    "secret@example.com",
    "SUMMARY:Party",
    "DTSTART;VALUE=DATE:20261224",
    "CLASS:PRIVATE",
  );
  rig.send(calendar(secret), { actor: rig.member });
  rig.sandbox.faults.add({ kind: "hang-after", method: "POST" });
  const step = rig.step();
  await expect.poll(() => parties(rig)).toHaveLength(1);
  rig.abort();
  await step;
  rig.restart();
  expect(await rig.drainAll({ most: 20 })).toEqual(["confirmed"]);
  expect(parties(rig)).toMatchObject([{ private: true }]);
  expect(rig.requests("POST")).toHaveLength(1);
});

it("asks for each missing item individually if the reason is unknown", async () => {
  const rig = await hidingRig(0);
  const { id } = await rig.event({ title: "Deleted meanwhile" });
  rig.send(calendar(party), { actor: rig.member });
  rig.sandbox.faults.add({ kind: "drop-before", method: "POST" });
  await rig.step();
  rig.sandbox.workspace.events.remove({ ...rig.by, event: id });
  expect(await rig.drainAll({ most: 20 })).toEqual(["confirmed"]);
  expect(parties(rig)).toHaveLength(1);
});

it("waits while the list lacks an item that the person can see", async () => {
  const rig = await hidingRig();
  rig.send(calendar(party), { actor: rig.member });
  rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
  await rig.step();
  rig.sandbox.faults.add({ kind: "transform", method: "GET", transform: () => [] });
  rig.clock.advance({ seconds: 181 });
  await rig.step();
  expect(rig.edit().problem).toContain("cannot be read completely: 1 known");
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(parties(rig)).toHaveLength(1);
});
