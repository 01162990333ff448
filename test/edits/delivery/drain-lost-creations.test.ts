import type { Fault } from "@dayferry/sandbox";
import { expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { sourceOf } from "../../../src/domain/source.ts";
import { worked } from "../../contract/pair.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import { change, type DrainRig, drainRig, settingFor, withEvent } from "./drain-rig.ts";
import { moveRig } from "./move-rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");
const outage = { kind: "status", status: 503, times: 4 } as const;

const partyBody = { title: "Party", start: "2026-12-24", all_day: true };

/** Sends the party, and loses the request or its answer. */
async function lost<Rig extends Pick<DrainRig, "send" | "sandbox" | "step">>(
  what: "request" | "answer",
  opened: Rig | Promise<Rig>,
): Promise<Rig> {
  const rig = await opened;
  rig.send(calendar(party));
  rig.sandbox.faults.add({
    kind: what === "request" ? "drop-before" : "drop-after",
    method: "POST",
  });
  await rig.step();
  return rig;
}

it.each<[string, Fault, number]>([
  ["a lost request", { kind: "drop-before" }, 2],
  ["a lost answer", { kind: "drop-after" }, 1],
  ["a request that hangs", { kind: "hang-before" }, 2],
  ["an answer that hangs", { kind: "hang-after" }, 1],
  ["a 500", { kind: "status", status: 500 }, 2],
  ["a web page", { kind: "html" }, 2],
  ["half an answer", { kind: "cut" }, 1],
  ["another answer", { kind: "replace", body: { hello: "world" } }, 1],
  ["a 429", { kind: "status", status: 429, headers: { "retry-after": "1" } }, 2],
])("creates the item exactly once despite %s", async (_name, fault, posts) => {
  const rig = await drainRig(settingFor(fault));
  rig.send(calendar(party));
  rig.sandbox.faults.add({ ...fault, method: "POST" });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(["Party"]);
  expect(rig.requests("POST")).toHaveLength(posts);
  expect(rig.store.view.ofProject(rig.project)).toMatchObject([{ uid: "party@example.com" }]);
});

it.each([
  ["is looked for", false],
  ["is known from the database that a restore has replaced", true],
])("keeps changes that others made to a lost creation that %s", async (_how, isKnown) => {
  const rig = await lost("answer", drainRig());
  rig.send(calendar(vevent("party@example.com", "SUMMARY:Feast", "DTSTART;VALUE=DATE:20261224")));
  rig.clock.advance({ minutes: 1 });
  const id = rig.workspaceEvents()[0]?.id ?? 0;
  change(rig, id, { title: "Christmas" });
  const { item } = rig.store.mirror.findUid("party@example.com") ?? expect.fail("it is gone");
  if (isKnown) rig.store.mirror.adopt(item, serviceId(id));
  expect(await rig.drainAll()).toEqual(["confirmed", "parked: conflict"]);
  expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(["Christmas"]);
});

it("after a restart, looks before it sends a creation that was in flight", async () => {
  const rig = await drainRig();
  rig.send(calendar(party, vtodo("sub@example.com", "SUMMARY:Chore")));
  rig.sandbox.faults.add({ kind: "hang-after", method: "POST", times: 2 });
  const steps = [rig.step(), rig.step()];
  await expect.poll(() => rig.workspaceEvents().length + rig.workspaceTasks().length).toBe(2);
  rig.abort();
  await Promise.all(steps);
  expect(rig.states()).toEqual(["pending", "pending"]);
  rig.restart();
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(1);
  expect(rig.workspaceTasks()).toHaveLength(1);
  expect(rig.requests("POST")).toHaveLength(2);
});

it("a list is complete even if it lacks an item that was created while it was on its way", async () => {
  const beside: { make: (() => Promise<unknown>) | null } = { make: null };
  const rig = await drainRig({
    wrap: (upstream) => ({
      ...upstream,
      events: {
        ...upstream.events,
        async list(...args) {
          const answer = await upstream.events.list(...args);
          await beside.make?.();
          return answer;
        },
      },
    }),
  });
  await lost("request", rig);
  beside.make = () => rig.event({ title: "Made beside it" });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents().filter(({ title }) => title === "Party")).toHaveLength(1);
  expect(rig.workspaceEvents().length).toBeGreaterThan(1);
});

it("puts back claims of an earlier run", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed"), party));
  rig.store.journal.claimNext();
  rig.store.journal.claimNext();
  expect(rig.recover()).toBe(2);
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
});

it("does nothing once aborted", async () => {
  const rig = await drainRig();
  rig.send(calendar(party));
  rig.abort();
  expect(await rig.step()).toBe("idle");
  expect(rig.states()).toEqual(["pending"]);
});

it("adopts one of several matching items and leaves the other alone", async () => {
  const rig = await lost("answer", drainRig());
  rig.sandbox.workspace.events.create(rig.by, partyBody);
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.edit().answer?.id).toBe(rig.workspaceEvents()[0]?.id);
  expect(rig.workspaceEvents()).toHaveLength(2);
  expect(rig.requests("POST")).toHaveLength(1);
});

it.each<[string, object]>([
  ["renamed", { title: "Feast" }],
  ["moved to another day", { start: "2026-12-27", end: "2026-12-27", all_day: true }],
])("recognizes its creation even if someone has %s it within the second", async (_how, body) => {
  const rig = await lost("answer", drainRig());
  const [made] = rig.workspaceEvents();
  change(rig, made?.id ?? 0, body);
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.edit().answer?.id).toBe(made?.id);
  expect(rig.editActions.show(1)?.problem).toContain("was dropped");
  expect(rig.workspaceEvents()).toHaveLength(1);
  expect(rig.requests("POST")).toHaveLength(1);
});

it("recognizes its creation even if nothing is as created, since a list showed it in between", async () => {
  const rig = await lost("answer", moveRig());
  const [made] = rig.eventsIn(rig.project);
  change(rig, made?.id ?? 0, { title: "Feast" });
  await rig.sweep();
  change(rig, made?.id ?? 0, { start: "2026-12-27", end: "2026-12-27", all_day: true });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.edit().answer?.id).toBe(made?.id);
  expect(rig.eventsIn(rig.project)).toHaveLength(1);
});

it.each([
  ["renamed", "SUMMARY:Mine", { title: "Theirs" }],
  ["described", "SUMMARY:Party\r\nDESCRIPTION:Mine", { description: "Theirs" }],
])(
  "asks about a later edit if someone has %s the item before its response",
  async (_what, line, theirs) => {
    const rig = await lost("answer", drainRig());
    rig.send(calendar(party.replace("SUMMARY:Party", line)));
    const [made] = rig.workspaceEvents();
    rig.clock.advance({ seconds: 1 });
    change(rig, made?.id ?? 0, theirs);
    expect(await rig.drainAll()).toEqual(["confirmed", "parked: conflict"]);
    expect(rig.workspaceEvents()).toMatchObject([theirs]);
  },
);

it("never adopts someone else's item, however similar", async () => {
  const rig = await lost("request", drainRig());
  const by = { ...rig.by, by: rig.person("member") };
  rig.sandbox.workspace.events.create(by, { ...partyBody, title: "Feast" });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(["Feast", "Party"]);
});

it.each([-70_000_000, -3600, -30, -4, 4, 30, 3600, 70_000_000])(
  "creates once although the clock of the service is %i s wrong",
  async (seconds) => {
    const at = { sky: Temporal.Instant.from("2026-11-20T12:00:00Z") };
    const rig = await drainRig({ sandbox: { clock: () => at.sky.add({ seconds }) } });
    await rig.event({ title: "Party", start: "2026-12-24", end: undefined, all_day: true });
    await lost("answer", rig);
    at.sky = rig.clock();
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(2);
    expect(rig.requests("POST")).toHaveLength(1);
  },
);

it("adopts its creation if a sweep has shown it under a UID of its own", async () => {
  const rig = await lost("answer", drainRig());
  const { items } = worked(
    await rig.upstream.events.list({ projectId: rig.project, view: "all" }, { priority: "sweep" }),
  );
  for (const item of items) {
    rig.store.mirror.put({ ...item, id: item.id ?? serviceId(1) }, sourceOf(item));
  }
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(1);
  expect(rig.store.view.ofProject(rig.project)).toMatchObject([{ uid: "party@example.com" }]);
});

it.each([
  ["and changed since, as a sweep saw it before", true, 2],
  ["and changed at once, as nobody saw it before", false, 1],
])(
  "treats an item that the same person created meanwhile, %s, correctly",
  async (_what, isSeen, events) => {
    const rig = await lost("request", moveRig());
    rig.clock.advance({ seconds: 40 });
    const other = rig.sandbox.workspace.events.create(rig.by, { ...partyBody, title: "Other" });
    if (isSeen) await rig.sweep();
    rig.clock.advance({ seconds: 5 });
    change(rig, other.id, { description: "More" });
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.eventsIn(rig.project)).toHaveLength(events);
  },
);

it("a retry adopts a creation that was carried out although it was refused", async () => {
  const rig = await drainRig();
  rig.send(calendar(party));
  rig.sandbox.faults.add({ kind: "status", status: 403, method: "POST" });
  await rig.step();
  expect(rig.states()).toEqual(["parked: refused"]);
  rig.sandbox.workspace.events.create(rig.by, partyBody);
  rig.clock.advance({ hours: 3 });
  rig.editActions.retry(1);
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(1);
  expect(rig.requests("POST")).toHaveLength(1);
});

it("sends again if only an existing item has changed", async () => {
  const rig = await drainRig();
  const { id } = await rig.event({ title: "Meeting" });
  rig.clock.advance({ seconds: 1 });
  await lost("request", rig);
  rig.clock.advance({ seconds: 1 });
  change(rig, id, { title: "Board meeting" });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(2);
});

it("sends nothing while the list cannot be read completely", async () => {
  const rig = await lost("request", drainRig());
  rig.sandbox.faults.add({ kind: "transform", method: "GET", transform: () => [{ id: null }] });
  rig.sandbox.faults.add({ ...outage, method: "GET" });
  rig.clock.advance({ seconds: 181 });
  await rig.step();
  expect(rig.edit().problem).toContain("cannot be read completely");
  rig.clock.advance({ minutes: 1 });
  await rig.step();
  expect(rig.requests("POST")).toHaveLength(1);
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(1);
});

it.each([
  ["an empty list where something is known", () => []],
  ["a list that ends at a page", () => aPage],
])("does not take %s as proof that nothing was created", async (_what, shown) => {
  const rig = await drainRig();
  await rig.event({ title: "Known already" });
  await lost("answer", rig);
  rig.sandbox.faults.add({ kind: "transform", method: "GET", transform: shown });
  rig.clock.advance({ seconds: 181 });
  await rig.step();
  expect(rig.edit().problem).toContain("cannot be read completely");
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(2);
  expect(rig.requests("POST")).toHaveLength(1);
});

it("adopts a renamed creation even if its edit had waited for approval", async () => {
  const rig = await moveRig({ mode: "review" });
  rig.send(calendar(party));
  expect(rig.store.journal.resume(rig.edit().id)).toBe(true);
  rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
  await rig.step();
  const [made] = rig.eventsIn(rig.project);
  rig.clock.advance({ seconds: 2 });
  change(rig, made?.id ?? 0, { title: "Feast" });
  await rig.sweep();
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.eventsIn(rig.project)).toHaveLength(1);
});

it("asks less and less often while other lists have not been read", async () => {
  const rig = await moveRig();
  await rig.sweep();
  await lost("request", rig);
  rig.clock.advance({ seconds: 181 });
  const before = rig.requests("GET").length;
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  const asked = rig.requests("GET").length - before;
  expect(asked).toBeGreaterThan(3);
  expect(asked).toBeLessThan(15);
});

it("keeps looking while the list is refused, and parks nothing", async () => {
  const rig = await drainRig();
  rig.send(calendar(party));
  rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
  rig.sandbox.faults.add({
    kind: "status",
    status: 403,
    path: /events$/,
    method: "GET",
    times: 6,
  });
  await rig.drainAll();
  expect(rig.events.map(({ kind }) => kind)).not.toContain("parked");
  expect(rig.states()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(1);
  expect(rig.requests("POST")).toHaveLength(1);
});

it("waits for a person if its list has been missing for a minute", async () => {
  const rig = await drainRig();
  rig.send(calendar(party));
  rig.sandbox.faults.add({ kind: "drop-before", method: "POST" });
  const gone = { kind: "status", status: 404, path: /events$/, method: "GET" } as const;
  rig.sandbox.faults.add({ ...gone, times: 100 });
  expect(await rig.drainAll()).toEqual(["parked: unknown-outcome"]);
  expect(rig.clock().toString() > "2026-11-20T12:04:00").toBe(true);
});

it.each([
  ["lost, made, made", [false, true, true]],
  ["made, lost, made", [true, false, true]],
  ["lost, lost, made", [false, false, true]],
  ["made, lost, lost", [true, false, false]],
])("tells creations of one day apart if all were renamed: %s", async (_what, isMade) => {
  const rig = await drainRig();
  const ids: (number | null | undefined)[] = [];
  for (const [nth, name] of ["Standup", "Lunch", "Retro"].entries()) {
    const fault = isMade[nth] ? "drop-after" : "drop-before";
    rig.sandbox.faults.add({ kind: fault, method: "POST" });
    rig.send(calendar(party.replace("party@", `${name}@`).replace("Party", name)));
    for (let round = 0; rig.edit(nth + 1).sentAt === null && round < 100; round++) {
      rig.clock.advance({ seconds: 1 });
      await rig.step();
    }
    const made = rig.workspaceEvents().find(({ title }) => title === name);
    ids.push(made?.id);
    rig.clock.advance({ seconds: 1 });
    if (made) change(rig, made.id, { title: `Number ${nth}` });
  }
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed", "confirmed"]);
  const answers = ids.map((_, nth) => rig.edit(nth + 1).answer?.id);
  expect(answers.map((id) => (ids.includes(id) ? id : undefined))).toEqual(ids);
  expect(rig.workspaceEvents()).toHaveLength(3);
});

it("creates identical items one after the other, each once", async () => {
  const rig = await drainRig();
  const twins = [1, 2, 3].map((n) => party.replace("party@", `party-${n}@`));
  rig.send(calendar(...twins));
  rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
  rig.sandbox.faults.add({ kind: "drop-before", method: "POST" });
  expect(await rig.drainAll({ loops: 3 })).toEqual(["confirmed", "confirmed", "confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(3);
  const ids = rig.store.view.ofProject(rig.project).map(({ item }) => item.id);
  expect(new Set(ids).size).toBe(3);
});

const aPage = Array.from({ length: 20 }, (_, index) => ({
  id: 880_000 + index,
  title: `Listed ${index}`,
  start: "2027-01-01 00:00",
  end: "2027-01-01 23:59",
  all_day: true,
}));
