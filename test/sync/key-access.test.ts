import { ifAllowed } from "@dayferry/sandbox";
import { describe, expect, it, onTestFinished } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { createKeyAccess } from "../../src/sync/key-access.ts";
import { createUpstream } from "../../src/upstream/client.ts";
import { calendarsOf } from "../calendars/rig.ts";
import { noGateHistory } from "../support/gate-history.ts";
import { aPerson, aProject, zone } from "../support/items.ts";
import { testSandbox } from "../support/sandbox.ts";
import { handClock, testStore } from "../support/test-store.ts";

// Without look-ups only people's keys show who is on a project.

/** A service without look-ups, the calendars of everybody with a key there, and what their keys open. */
async function keysRig() {
  const sandbox = await testSandbox({
    seed: 3,
    size: "s",
    discovery: false,
    quota: { requests: 1000, perMs: 100 },
  });
  onTestFinished(() => sandbox.close());
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
  const people = sandbox.keys.map(({ personId: id, name }) => aPerson(id, name));
  store.directory.putPeople(people, true);
  const projects = sandbox.workspace.places().map(({ project }) => project);
  store.directory.putProjects(
    projects.map((id) => aProject(id, `Project ${id}`)),
    true,
  );
  const keys = new Map(sandbox.keys.map(({ personId: id, apiKey }) => [personId(id), apiKey]));
  const upstream = createUpstream({
    baseUrl: sandbox.baseUrl,
    uploadUrl: sandbox.uploadUrl,
    apiKey: sandbox.keys[0]?.apiKey ?? "",
    keyOf: (person) => keys.get(person) ?? null,
    contact: "test@example.com",
    timeZone: zone,
    quota: { requests: 1000, per: Temporal.Duration.from({ milliseconds: 100 }) },
    timeout: Temporal.Duration.from({ seconds: 5 }),
    clock,
    monotonic: () => performance.now(),
    random: () => 0,
    history: noGateHistory,
    onEvent: () => undefined,
  });
  onTestFinished(() => upstream.close());
  const lookOf = (other: Store) => {
    const look = createKeyAccess({ store: other, upstream, people: new Set(keys.keys()), clock });
    return () => look(new AbortController().signal);
  };
  const calendars = calendarsOf(store);
  /** Whose key opens which project in the service. */
  const opens = (person: number, project: number) =>
    ifAllowed(() => sandbox.workspace.events.list({ by: person, project }, { view: "all" })) !==
    null;
  const offered = (person: number) =>
    projects.filter((id) => calendars.find(personId(person), `events-${id}`) !== null);
  return {
    ...sandbox,
    store,
    clock,
    projects,
    opens,
    offered,
    lookOf,
    look: lookOf(store),
  };
}

describe("access if the service does not list project members", () => {
  it("is given exactly to the projects that the person's own key opens", async () => {
    const rig = await keysRig();
    await rig.look();
    let closed = 0;
    for (const { personId: person } of rig.keys) {
      const open = rig.projects.filter((project) => rig.opens(person, project));
      expect(rig.offered(person), `person ${person}`).toEqual(open);
      closed += rig.projects.length - open.length;
    }
    expect(closed).toBeGreaterThan(0);
  });

  it("is checked again after a while, and not sooner", async () => {
    const rig = await keysRig();
    await rig.look();
    const asked = () => rig.requests.entries().length;
    const before = asked();
    await rig.look();
    expect(asked()).toBe(before);
    rig.clock.advance({ hours: 2 });
    await rig.look();
    expect(asked()).toBeGreaterThan(before);
  });

  it("is computed only when a check is due or the directory has changed", async () => {
    const rig = await keysRig();
    await rig.look();
    await rig.look();
    let looks = 0;
    const { directory } = rig.store;
    const projects = () => directory.projects();
    const store = {
      ...rig.store,
      directory: {
        ...directory,
        projects: () => {
          looks += 1;
          return projects();
        },
      },
    };
    const look = rig.lookOf(store);
    for (let second = 0; second < 50; second += 1) {
      rig.clock.advance({ seconds: 1 });
      await look();
    }
    expect(looks).toBe(1);
    const added = aProject(rig.projects.length + 5000, "Another one");
    rig.store.directory.putProjects([aProject(rig.projects[0] ?? 0, "Renamed"), added], false);
    await look();
    expect(looks).toBe(2);
  });

  it("is removed after two refusals, and returned at once", async () => {
    const rig = await keysRig();
    await rig.look();
    const [, other] = rig.keys;
    const person = other?.personId ?? 0;
    const open = rig.offered(person);
    expect(open.length).toBeGreaterThan(0);
    const refuse = () =>
      rig.faults.add({ kind: "status", status: 403, path: /\/events$/, times: 1000 });
    rig.clock.advance({ hours: 2 });
    refuse();
    await rig.look();
    expect(rig.offered(person)).toEqual(open);
    rig.clock.advance({ minutes: 2 });
    await rig.look();
    expect(rig.offered(person)).toEqual([]);
    rig.faults.clear();
    rig.clock.advance({ minutes: 2 });
    await rig.look();
    expect(rig.offered(person)).toEqual(open);
  });

  it("does not change if a key is refused everywhere, or the service is down", async () => {
    for (const status of [401, 403, 503]) {
      const rig = await keysRig();
      await rig.look();
      const [, other] = rig.keys;
      const open = rig.offered(other?.personId ?? 0);
      rig.faults.add({ kind: "status", status, times: 10_000 });
      for (const _ of [1, 2, 3]) {
        rig.clock.advance({ hours: 2 });
        await rig.look();
      }
      expect(rig.offered(other?.personId ?? 0)).toEqual(open);
    }
  });

  it("is not checked if the service lists project members", async () => {
    const rig = await keysRig();
    const members = [personId(rig.keys[0]?.personId ?? 0)];
    const named = rig.projects.map((id) => ({ ...aProject(id, "Named"), members }));
    rig.store.directory.putProjects(named, true);
    await rig.look();
    expect(rig.requests.entries()).toEqual([]);
  });

  it("is checked less and less often while it stays refused", async () => {
    const rig = await keysRig();
    await rig.look();
    const closed = rig.keys.flatMap(({ personId: person }) =>
      rig.projects.filter((project) => !rig.opens(person, project)),
    ).length;
    const before = rig.requests.entries().length;
    for (let minute = 0; minute < 55; minute++) {
      rig.clock.advance({ minutes: 1 });
      await rig.look();
    }
    // After 1, 3, 7, 15 and 31 minutes, each time with a look at what else the key opens.
    expect(rig.requests.entries().length - before).toBe(closed * 5 * 2);
  });

  it("is checked less and less often while the key is refused everywhere", async () => {
    for (const status of [401, 403]) {
      const rig = await keysRig();
      rig.faults.add({ kind: "status", status, times: 10_000 });
      for (let second = 0; second < 300; second++) {
        await rig.look();
        rig.clock.advance({ seconds: 1 });
      }
      // At once, then after 5, 15, 35, 75 and 155 seconds.
      const each = status === 401 ? 1 : 2;
      expect(rig.requests.entries().length).toBe(rig.keys.length * 6 * each);
    }
  });

  it("is checked for the other projects if one does not respond", async () => {
    const rig = await keysRig();
    const [silent = 0] = rig.projects;
    rig.faults.add({
      kind: "status",
      status: 400,
      path: new RegExp(`/${silent}/events$`),
      times: 10_000,
    });
    for (let second = 0; second < 60; second++) {
      await rig.look();
      rig.clock.advance({ seconds: 1 });
    }
    const asked = rig.requests.entries().filter(({ path }) => path.includes(`/${silent}/`));
    expect(asked.length).toBe(rig.keys.length * 4);
    const { personId: person } = rig.keys[0] ?? { personId: 0 };
    const open = rig.projects.filter((project) => rig.opens(person, project));
    expect(rig.offered(person).filter((id) => id !== silent)).toEqual(
      open.filter((id) => id !== silent),
    );
  });
});
