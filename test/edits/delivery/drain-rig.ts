import type { Fault, SandboxOptions } from "@dayferry/sandbox";
import type { Edit } from "../../../src/domain/edit.ts";
import { serviceId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import { sourceOf } from "../../../src/domain/source.ts";
import { createEditActions } from "../../../src/edits/actions/edit-actions.ts";
import { createDrain, type DrainDeps, type DrainEvent } from "../../../src/edits/delivery/drain.ts";
import { createAccept, type EditRequest } from "../../../src/edits/intake/accept.ts";
import type { Acceptance } from "../../../src/edits/intake/plan-answer.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Upstream, UpstreamOptions } from "../../../src/upstream/client.ts";
import { startPair, worked } from "../../contract/pair.ts";
import { aProject, aTodolist, zone } from "../../support/items.ts";
import { handClock, testStore } from "../../support/test-store.ts";

export interface DrainSetting {
  readonly sandbox?: Partial<SandboxOptions>;
  readonly client?: Partial<UpstreamOptions>;
  readonly endsHangs?: boolean;
  readonly conflicts?: DrainDeps["conflicts"];
  readonly mode?: "apply" | "review";
  /** Path of the database; in memory by default. */
  readonly file?: string;
  /** Puts something between drain and client. */
  readonly wrap?: (upstream: Upstream) => Upstream;
}

/** Longer than any answer takes, also on a busy machine: another test is about abandoned calls. */
const patience = Temporal.Duration.from({ seconds: 10 });

/** The setting for a fault: a hanging call must be given up at some time. */
export const settingFor = ({ kind }: Fault): DrainSetting =>
  kind.startsWith("hang") ? impatient : {};

/** A client that gives up a hanging request without time passing on the test's clock. */
export const impatient: DrainSetting = {
  endsHangs: true,
  client: { timeout: Temporal.Duration.from({ milliseconds: 250 }) },
};

/** A store, a sandbox behind a real client, and the drain between them; one clock for all, advanced by hand. */
export async function drainRig(setting: DrainSetting = {}) {
  const clock = handClock("2026-11-20T12:00:00Z");
  const pair = await startPair({
    sandbox: { clock, ...setting.sandbox },
    endsHangs: setting.endsHangs ?? false,
    client: {
      clock,
      stopwatch: () => clock().epochMilliseconds,
      timeout: patience,
      ...setting.client,
    },
  });
  const { sandbox, upstream, project, list, owner } = pair;
  const store = testStore(clock, setting.file);
  store.directory.putProjects([aProject(project, "Website")], true);
  store.directory.putTodolists(project, [aTodolist(list, { projectId: project })], true);

  const { mode = "apply" } = setting;
  const policy = { labels: "create", mode } as const;
  const feeds = { assignees: true, tasks: "due", webUrl: null } as const;
  const accept = createAccept({ store, zone, policy, clock, feeds, onAccepted: () => {} });
  const editActions = createEditActions({ store, mode, onReleased: () => {} });
  const events: DrainEvent[] = [];
  const applied: Edit[] = [];
  let running = new AbortController();
  const missing: Edit[] = [];
  const hurried: (readonly string[])[] = [];
  const makeDrain = () =>
    createDrain({
      store,
      conflicts: setting.conflicts ?? "ask",
      onMissing(edit, sources = []) {
        missing.push(edit);
        hurried.push(sources);
      },
      upstream: setting.wrap?.(upstream) ?? upstream,
      clock,
      random: () => 0,
      onEvent: (event) => events.push(event),
      onApplied: (edit) => applied.push(edit),
    });
  let drain = makeDrain();

  const by = { by: owner, project };
  const mirror = (item: Item): string => {
    if (item.id === null) throw new Error("the service gave no id");
    store.mirror.put({ ...item, id: item.id }, sourceOf(item));
    const key = store.mirror.find(item.kind, item.id);
    if (key === null) throw new Error("the mirror has lost the item");
    return store.mirror.identity(key).uid;
  };
  /** Mirrors an event of the workspace, as a sweep would. Returns its UID. */
  const mirrorAgain = async (id: number): Promise<string> => {
    const place = { projectId: project, id: serviceId(id) };
    const item = worked(await upstream.events.get(place, { priority: "sweep" }));
    sandbox.requests.clear();
    return mirror(item);
  };
  const states = () =>
    store.journal
      .list({ limit: 1000 })
      .toReversed()
      .map(({ state, parkReason }) => (parkReason ? `${state}: ${parkReason}` : state));
  return {
    ...pair,
    store,
    clock,
    editActions,
    events,
    applied,
    missing,
    /** The lists that were requested, by call. */
    hurried,
    by,
    /** Aborts the running steps, as the end of the process does. */
    abort: () => running.abort(),
    /** Accepts a file for the one project and list. */
    send(text: string, request: Partial<EditRequest> = {}): Acceptance {
      return accept({
        bytes: Buffer.from(text),
        channel: "upload",
        actor: owner,
        projectId: project,
        listId: list,
        dryRun: false,
        ...request,
      });
    },
    /** A person confirms the edit over the present state of the workspace. */
    keepMine: (id = 1) => editActions.retry(id, editActions.show(id)?.conflictVersion ?? null),
    step: () => drain.step(running.signal),
    recover: () => drain.recover(),
    /** Forgets what only the process knew, as a restart does. */
    restart() {
      running = new AbortController();
      drain = makeDrain();
      return drain.recover();
    },
    /**
     * Lets the drain work, and time pass, until nothing waits any more; returns `states()`. `sweep`: reads the
     * requested lists.
     */
    async drainAll({
      loops = 1,
      most = 200,
      sweep,
    }: {
      loops?: number;
      most?: number;
      sweep?: () => Promise<unknown>;
    } = {}) {
      let asked = hurried.length;
      for (let round = 0; round < most; round++) {
        const ended = await Promise.all(
          Array.from({ length: loops }, () => drain.step(running.signal)),
        );
        if (ended.includes("worked")) continue;
        const next = store.journal.nextAt();
        if (next === null) return states();
        const isDue = Temporal.Instant.compare(next, clock()) <= 0;
        // A due edit that does not go waits until an edit may test whether the service is back.
        clock.set(
          (isDue ? clock().add({ seconds: 61 }) : next.add({ milliseconds: 1 })).toString(),
        );
        if (hurried.length > asked) await sweep?.();
        asked = hurried.length;
      }
      throw new Error(`the journal is not empty: ${JSON.stringify(store.journal.counts())}`);
    },
    edit(id = 1): Edit {
      const edit = store.journal.list({ limit: 1000 }).find((one) => one.id === id);
      if (!edit) throw new Error(`there is no edit ${id}`);
      return edit;
    },
    states,
    /** Requests by method and path below the API, without their numbers. */
    requests: (method?: string) =>
      sandbox.requests
        .entries()
        .filter((entry) => method === undefined || entry.method === method)
        .map(
          (entry) => `${entry.method} ${entry.path.replace("/api/v3", "").replace(/\/\d+/g, "")}`,
        ),
    bodies: (method: string) =>
      sandbox.requests
        .entries()
        .filter((entry) => entry.method === method)
        .map((entry): unknown => JSON.parse(entry.body)),
    /** A new event of the workspace, mirrored. Returns its UID. */
    async event(body: object = {}) {
      const made = sandbox.workspace.events.create(by, {
        title: "Review",
        start: "2026-11-23T10:00:00+01:00",
        end: "2026-11-23T11:00:00+01:00",
        all_day: false,
        ...body,
      });
      return { id: made.id, uid: await mirrorAgain(made.id) };
    },
    mirrorAgain,
    async task(body: object = {}) {
      const made = sandbox.workspace.tasks.create(
        { ...by, list },
        { title: "Write", due_date: "2026-11-24", ...body },
      );
      const place = { projectId: project, listId: list, id: serviceId(made.id) };
      const item = worked(await upstream.tasks.get(place, { priority: "sweep" }));
      sandbox.requests.clear();
      return { id: made.id, uid: mirror(item) };
    },
    workspaceEvents: () => sandbox.workspace.events.list(by, { view: "all" }),
    workspaceTasks: () => sandbox.workspace.tasks.list({ ...by, list }),
  };
}

export type DrainRig = Awaited<ReturnType<typeof drainRig>>;

type Opened = Pick<DrainRig, "event" | "task">;

/** A rig with an event of the workspace, mirrored. */
export async function withEvent<Opening extends Opened>(opening: Promise<Opening>, body = {}) {
  const rig = await opening;
  return { rig, ...(await rig.event(body)) };
}
export async function withTask<Opening extends Opened>(opening: Promise<Opening>, body = {}) {
  const rig = await opening;
  return { rig, ...(await rig.task(body)) };
}

/** Someone else works in the workspace, and no sweep has seen it. */
export const change = (rig: Pick<DrainRig, "sandbox" | "by">, id: number, body: object) =>
  rig.sandbox.workspace.events.update({ ...rig.by, event: id }, body);
export const changeTask = (rig: DrainRig, id: number, body: object) =>
  rig.sandbox.workspace.tasks.update({ ...rig.by, list: rig.list, task: id }, body);

/** Accepts edits as these rigs want it: ignores unknown labels and wakes nobody. */
export const intakeOf = (
  { store, clock }: { readonly store: Store; readonly clock: () => Temporal.Instant },
  mode: NonNullable<DrainSetting["mode"]> = "apply",
) => ({
  store,
  zone,
  policy: { labels: "known", mode } as const,
  clock,
  feeds: { assignees: true, tasks: "due", webUrl: null } as const,
  onAccepted: () => {},
});
