import { randomUUID } from "node:crypto";

import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Edit } from "../../src/domain/edit.ts";
import { serviceId } from "../../src/domain/ids.ts";
import { ok } from "../../src/domain/result.ts";
import { sourceOf } from "../../src/domain/source.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import type { Listing, Upstream } from "../../src/upstream/client.ts";
import { leaveCreating } from "../support/edits.ts";
import { emptyDatabase, migrations } from "../support/test-store.ts";
import { pollByHand } from "./support/poll-by-hand.ts";
import { roomy, stage } from "./support/stage.ts";
import { addTask, placeAt } from "./support/workspace.ts";

const step = fc.oneof(
  ...(["change", "add", "remove", "move", "subtask", "answer", "bury", "elsewhere"] as const).map(
    (kind) => fc.record({ kind: fc.constant(kind), which: fc.nat(), list: fc.nat(1) }),
  ),
  fc.record({ kind: fc.constant("create" as const), which: fc.nat(), list: fc.nat(1) }),
  fc.record({ kind: fc.constant("give up" as const), which: fc.nat(), list: fc.nat(1) }),
  fc.record({ kind: fc.constant("stale" as const), which: fc.nat(), list: fc.nat(1) }),
  fc.record({ kind: fc.constant("ask" as const), which: fc.nat(), list: fc.nat(1) }),
);

it("skipping identical responses never changes what is known of a list", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const it = await twins();
      for (const { kind, which, list } of steps) {
        await it[kind](which, list);
        await it.pollAll();
        it.expectAlike();
      }
    }),
    { numRuns: 12 },
  );
});

/** Two mirrors of one workspace: one skips what it may, the other reads everything every time. */
async function twins() {
  const world = await stage({ quota: roomy });
  const places = [placeAt(world, 0), placeAt(world, 0, 1)];
  const { sandbox } = world;
  const { tasks, subtasks } = sandbox.workspace;
  const long = "A long description, so that lists are compared element by element. ".repeat(12);
  for (const place of places) {
    for (let n = 0; n < 14; n += 1)
      addTask(world, place, { title: `Task ${n}`, description: long });
  }
  const stores = [world.store, secondStore()];
  const [quick, thorough] = [
    pollByHand(world),
    pollByHand(world, { store: stores[1] ?? world.store, upstream: forgetful(world.upstream) }),
  ];
  const both = [quick, thorough];
  for (const { poll, poller, sources } of both) {
    sources.put({ kind: "projects" }, null);
    await poll("projects");
    poller.updateScope();
    for (const { project } of sandbox.workspace.places()) await poll(`todolists:${project}`);
  }
  const placeIn = (list: number) => {
    const place = places[list];
    if (!place) throw new Error("no such list");
    return place;
  };
  const inList = (list: number) => tasks.list(placeIn(list));
  const any = (which: number, list: number) => {
    const all = inList(list);
    return all[which % Math.max(1, all.length)]?.id ?? null;
  };
  const bodies = new Map<number, unknown>();
  const pollAll = async () => {
    for (const { poll, sources } of both) {
      for (const { list } of places) await poll(`tasks:${list}`);
      for (const { name } of sources.ofKind("subtasks")) await poll(name);
    }
    sandbox.faults.clear();
  };
  const known = (store: Store, id: number) => {
    const key = store.mirror.find("task", serviceId(id));
    return key === null ? null : store.mirror.get(key);
  };
  const open: Edit[][] = [];

  const it = {
    pollAll,
    async change(which: number, list: number) {
      const task = any(which, list);
      if (task) tasks.update({ ...placeIn(list), task }, { title: `Changed ${which}` });
    },
    async add(which: number, list: number) {
      addTask(world, placeIn(list), { title: `Added ${which}`, description: long });
    },
    async remove(which: number, list: number) {
      const task = any(which, list);
      if (task) tasks.remove({ ...placeIn(list), task });
    },
    async move(which: number, list: number) {
      const task = any(which, list);
      const to = placeIn(1 - list);
      const body = { project: to.project, list_id: to.list, move_task: true };
      if (task) tasks.update({ ...placeIn(list), task }, body);
    },
    async subtask(which: number, list: number) {
      const task = any(which, list);
      if (task) subtasks.create({ ...placeIn(list), task }, { title: `Below ${which}` });
    },
    /** The answer to an edit has what the list does not show yet, and maybe never does. */
    async answer(which: number, list: number) {
      const task = any(which, list);
      for (const store of stores) {
        const mirrored = task && known(store, task);
        if (!mirrored) continue;
        const { key, item } = mirrored;
        const wish = { channel: "cli", actor: null, newLabels: [], state: "pending" } as const;
        store.journal.append({ ...wish, item: key, action: "update", base: item, patch: {} });
        const edit = store.journal.claimNext();
        if (edit) store.journal.confirm(edit, { ...item, title: "As answered" });
      }
    },
    async bury(which: number, list: number) {
      const task = any(which, list);
      for (const store of stores) {
        const mirrored = task && known(store, task);
        if (mirrored) store.mirror.bury(mirrored.key);
      }
    },
    /** Another list contains it. */
    async elsewhere(which: number, list: number) {
      const task = any(which, list);
      for (const store of stores) {
        const mirrored = task && known(store, task);
        if (!mirrored || mirrored.item.kind === "event") continue;
        const item = { ...mirrored.item, id: serviceId(task), listId: listIdOf(store, 1 - list) };
        store.mirror.put(item, sourceOf(item));
      }
    },
    /** A creation is under way, and the list has its item before its answer comes. */
    async create(which: number, list: number) {
      const like = known(world.store, any(which, list) ?? 0)?.item;
      if (!like || like.kind === "event") return;
      const title = `Made ${which}`;
      const base = {
        ...like,
        id: null,
        title,
        description: null,
        listId: listIdOf(world.store, list),
      };
      const edits = stores.map((store) => {
        const item = store.mirror.createIdentity("task", `made-${randomUUID()}`);
        const wish = { channel: "cli", actor: null, newLabels: [], state: "pending" } as const;
        store.journal.append({ ...wish, item, action: "create", base, patch: {} });
        const edit = store.journal.claimNext();
        if (!edit) throw new Error("nothing to claim");
        leaveCreating(store, edit.id);
        return store.journal.get(edit.id) ?? edit;
      });
      open.push(edits);
      tasks.create({ ...placeIn(list) }, { title });
    },
    async "give up"() {
      const edits = open.pop() ?? [];
      for (const [index, edit] of edits.entries()) {
        stores[index]?.journal.settle(edit, {
          kind: "park",
          reason: "unknown-outcome",
          problem: "lost",
        });
      }
    },
    /** The service answers as it did some time ago. */
    async stale(_: number, list: number) {
      const { project, list: id } = placeIn(list);
      const body = bodies.get(list);
      bodies.set(list, structuredClone(inList(list)));
      const path = new RegExp(`/projects/${project}/todolists/${id}/tasks$`);
      if (body) sandbox.faults.add({ kind: "replace", body, path, times: 2 });
    },
    /** Missing items are requested, and gone ones are buried. */
    async ask() {
      const { signal } = new AbortController();
      for (const { deletionChecks } of both) {
        for (const key of deletionChecks.next(50, null)) await deletionChecks.ask(key, signal);
        deletionChecks.settle();
      }
    },
    expectAlike() {
      const [seen, expected] = both.map(({ sources }, index) => {
        const { mirror, absences, brakes, sources: kept } = stores[index] ?? world.store;
        const names = sources.all().map(({ name }) => name);
        const lines = [
          ...names.map((name) => `polled ${name}`),
          ...names.flatMap((name) =>
            [...mirror.contents(name)].map(([id, { content }]) => `${name} ${id} ${content}`),
          ),
          ...absences
            .all()
            .map(({ item, source }) => `missing ${mirror.identity(item).serviceId} ${source}`),
          ...brakes.all().map(({ source, missing }) => `braked ${source} ${missing}`),
          ...kept.all().map(({ name, items, failure }) => `read ${name} ${items} ${failure}`),
        ];
        return lines.toSorted();
      });
      expect(seen).toEqual(expected);
    },
  };
  await pollAll();
  await pollAll();
  it.expectAlike();
  return it;
}

function listIdOf(store: Store, list: number) {
  const found = store.directory.todolists().toSorted((a, b) => a.id - b.id)[list];
  if (!found) throw new Error("no such list");
  return found.id;
}

function secondStore(): Store {
  const store = openStore({
    file: emptyDatabase(),
    migrations,
    zone: "Europe/Berlin",
    clock: () => Temporal.Now.instant(),
    randomId: randomUUID,
  });
  onTestFinished(() => store.close());
  return store;
}

/** The client that makes every list different from the one before. */
function forgetful(upstream: Upstream): Upstream {
  const unlike = <Value>(listing: Listing<Value>): Listing<Value> => ({
    digest: randomUUID(),
    read: () => listing.read(null),
  });
  const { tasks, subtasks } = upstream;
  return {
    ...upstream,
    tasks: {
      ...tasks,
      listing: async (place, call) => {
        const answer = await tasks.listing(place, call);
        return answer.ok ? ok(unlike(answer.value)) : answer;
      },
    },
    subtasks: {
      ...subtasks,
      listing: async (place, call) => {
        const answer = await subtasks.listing(place, call);
        return answer.ok ? ok(unlike(answer.value)) : answer;
      },
    },
  };
}
