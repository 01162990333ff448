import { expect } from "vitest";
import { listId, projectId, serviceId } from "../../../src/domain/ids.ts";
import { createAcceptMove } from "../../../src/edits/intake/accept-move.ts";
import { Sync } from "../../../src/sync/sync.ts";
import type { Upstream } from "../../../src/upstream/client.ts";
import { untilHung } from "../../support/eventually.ts";

import { type DrainSetting, drainRig, intakeOf } from "./drain-rig.ts";

interface MoveSetting extends Omit<DrainSetting, "wrap"> {
  /** Runs after each changing request of an edit, before its answer arrives. */
  readonly between?: (rig: MoveRig) => Promise<void>;
}

/** A drain rig with all lists of both projects, the intake of moves, and sweeps. */
export async function moveRig({ between, ...setting }: MoveSetting = {}) {
  const held: { rig: MoveRig | null } = { rig: null };
  const pause = async () => {
    if (held.rig) await between?.(held.rig);
  };
  const base = await drainRig({ ...setting, wrap: (upstream) => interrupted(upstream, pause) });
  const { store, upstream, sandbox, clock, project, otherProject, list, otherList, farList } = base;
  const sync = new Sync({
    store,
    upstream,
    scope: { projects: "discover", people: [], discoverPeople: true },
    clock,
    maxAge: Temporal.Duration.from({ minutes: 15 }),
    quota: { requests: 25, per: Temporal.Duration.from({ seconds: 10 }) },
    share: 1,
    onEvent: () => {},
  });
  const sweep = () => sync.sweep({ signal: untilHung() });
  await sweep();
  sandbox.requests.clear();

  const acceptMove = createAcceptMove(intakeOf(base, setting.mode));
  const keyOf = (uid: string) => {
    const known = store.mirror.findUid(uid);
    if (!known) throw new Error(`nothing is known as ${uid}`);
    return known.item;
  };
  const by = base.owner;
  const rig = {
    ...base,
    sweep,
    keyOf,
    /** Moves a task to a list, or an event to a project by default. */
    move(uid: string, to: { readonly project?: number; readonly list: number | null }) {
      return acceptMove({
        channel: "caldav",
        actor: by,
        item: keyOf(uid),
        projectId: projectId(to.project ?? project),
        listId: to.list === null ? null : listId(to.list),
      });
    },
    toOther: (uid: string) => rig.move(uid, { list: otherList }),
    toFar: (uid: string) => rig.move(uid, { project: otherProject, list: farList }),
    eventToFar: (uid: string) => rig.move(uid, { project: otherProject, list: null }),
    /** A new subtask of the workspace, mirrored. Returns its UID. */
    async subtask(task: number, title: string) {
      const place = { by, project, list, task };
      const { id } = sandbox.workspace.subtasks.create(place, { title });
      await sweep();
      sandbox.requests.clear();
      const key = store.mirror.find("subtask", serviceId(id));
      return { id, uid: key === null ? "" : store.mirror.identity(key).uid };
    },
    tasksIn: (id: number, of: number = project) =>
      sandbox.workspace.tasks.list({ by, project: of, list: id }),
    eventsIn: (of: number) => sandbox.workspace.events.list({ by, project: of }, { view: "all" }),
    /** `title` in `place` for every visible item. */
    shown: () =>
      [project, otherProject]
        .flatMap((one) => store.view.ofProject(one))
        .map(({ item, collection }) => `${item.title} in ${placeWord(collection)}`)
        .toSorted(),
    /** Expects that view and workspace agree after a sweep, and that nothing is open. */
    async expectRest() {
      const before = rig.shown();
      await sweep();
      await sweep();
      expect(rig.shown()).toEqual(before);
      const tasks = [list, otherList]
        .map((id) => rig.tasksIn(id))
        .concat([rig.tasksIn(farList, otherProject)]);
      const events = [project, otherProject].flatMap((one) => rig.eventsIn(one));
      const top = [...tasks.flat(), ...events].map(({ title }) => title).toSorted();
      const isTop = (text: string) => !text.startsWith("Child");
      expect(before.filter(isTop).map((text) => text.split(" in ")[0])).toEqual(top);
      expect(store.absences.all()).toEqual([]);
    },
  };
  function placeWord(collection: string): string {
    const words: Readonly<Record<string, string>> = {
      [`tasks:${list}`]: "list",
      [`tasks:${otherList}`]: "other",
      [`tasks:${farList}`]: "far",
      [`events:${project}`]: "project",
      [`events:${otherProject}`]: "elsewhere",
    };
    return words[collection] ?? collection;
  }
  held.rig = rig;
  return rig;
}

export type MoveRig = Awaited<ReturnType<typeof moveRig>>;

/** The client with a pause between what the service does and its answer. */
function interrupted(upstream: Upstream, pause: () => Promise<void>): Upstream {
  const after =
    <Args extends readonly unknown[], Value>(ask: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      const answer = await ask(...args);
      await pause();
      return answer;
    };
  const { tasks, events } = upstream;
  return {
    ...upstream,
    tasks: {
      ...tasks,
      move: after((...args: Parameters<typeof tasks.move>) => tasks.move(...args)),
      update: after((...args: Parameters<typeof tasks.update>) => tasks.update(...args)),
    },
    events: {
      ...events,
      create: after((...args: Parameters<typeof events.create>) => events.create(...args)),
      complete: after((...args: Parameters<typeof events.complete>) => events.complete(...args)),
      delete: after((...args: Parameters<typeof events.delete>) => events.delete(...args)),
    },
  };
}
