import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import { settlingTime } from "../../src/domain/eventual.ts";
import { serviceId } from "../../src/domain/ids.ts";
import { install } from "../support/dayferry.ts";
import { eventually, untilHung } from "../support/eventually.ts";
import { command, serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

export interface ClientSettings {
  /** Merged into the usual configuration. */
  readonly changes?: (people: Sandbox["keys"]) => Readonly<Record<string, unknown>>;
}

/**
 * A stand-in of the service with two projects of two lists each, a daemon that serves its calendars, and Ana with an app
 * password; all on loopback, with the real clock. `close` ends everything and removes every file.
 */
export async function clientSetting({ changes = () => ({}) }: ClientSettings = {}) {
  const sandbox = await testSandbox({ quota: { requests: 100_000, perMs: 10_000 } });
  const installation = install(sandbox, changes(sandbox.keys));
  const daemon = await serveHere(installation);
  const folder = mkdtempSync(join(tmpdir(), "dayferry-client-"));
  const { workspace } = sandbox;
  const by = ownerOf(sandbox);
  const [first, second] = workspace.places();
  const place = { project: first?.project ?? 0, list: first?.lists[0] ?? 0 };
  const far = { project: second?.project ?? 0, list: second?.lists[0] ?? 0 };
  const nearList = first?.lists[1] ?? 0;

  async function setPassword(person: number) {
    const args = ["people", "set-password", String(person), "--json"];
    const { code, stdout, stderr } = await command(args, { installation, daemon });
    if (code !== 0) throw new Error(stderr);
    const { login, password, url }: Record<"login" | "password" | "url", string> =
      JSON.parse(stdout);
    return { login, password, url };
  }

  const { login, password, url } = await setPassword(by);
  /** Reads everything that the service holds; twice, as the first may join a reading that began before. */
  async function refresh(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await daemon.modules.sync.sweep({ signal: untilHung() });
    }
  }
  const { journal, mirror } = daemon.modules.store;
  const isAtRest = () => {
    const { pending = 0, claimed = 0 } = journal.counts();
    return pending + claimed === 0;
  };
  const events = (project: number = place.project) =>
    workspace.events.list({ by, project }, { view: "all" });
  return {
    sandbox,
    workspace,
    daemon,
    by,
    place,
    far,
    nearList,
    login,
    password,
    setPassword,
    /** The context root, as `people set-password` tells it. */
    url,
    home: `${url}calendars/${by}/`,
    slugs: {
      events: `events-${place.project}`,
      farEvents: `events-${far.project}`,
      tasks: `tasks-${place.list}`,
      nearTasks: `tasks-${nearList}`,
      farTasks: `tasks-${far.list}`,
      milestones: `milestones-${place.project}`,
      assigned: "assigned",
    },
    /** Port of the daemon. */
    port: Number(new URL(daemon.url).port),
    /** A folder for the program's files. */
    folder: (name: string) => {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    /** The environment of a program with its own home. */
    homeEnv: (name: string) => {
      const home = join(folder, name);
      mkdirSync(home, { recursive: true });
      return {
        HOME: home,
        XDG_CONFIG_HOME: join(home, ".config"),
        XDG_DATA_HOME: join(home, ".local", "share"),
        XDG_CACHE_HOME: join(home, ".cache"),
        XDG_STATE_HOME: join(home, ".local", "state"),
      };
    },
    events,
    /** The titles of the first project's events, sorted. */
    eventTitles: () =>
      events()
        .map(({ title }) => title)
        .toSorted(),
    tasks: (list: number = place.list, project: number = place.project) =>
      workspace.tasks.list({ by, project, list }),
    subtasks: (task: number, list: number = place.list) =>
      workspace.subtasks.list({ by, project: place.project, list, task }),
    addEvent: (fields: Readonly<Record<string, unknown>>) =>
      workspace.events.create({ by, project: place.project }, fields),
    addTask: (fields: Readonly<Record<string, unknown>>) =>
      workspace.tasks.create({ by, ...place }, fields),
    addSubtask: (task: number, fields: Readonly<Record<string, unknown>>) =>
      workspace.subtasks.create({ by, ...place, task }, fields),
    changeEvent: (event: number, fields: Readonly<Record<string, unknown>>) =>
      workspace.events.update({ by, project: place.project, event }, fields),
    changeTask: (task: number, fields: Readonly<Record<string, unknown>>) =>
      workspace.tasks.update({ by, ...place, task }, fields),
    /** An item's UID in calendars. */
    uidOf: (kind: "event" | "task" | "subtask", id: number) => {
      const key = mirror.find(kind, serviceId(id));
      if (key === null) throw new Error(`the mirror has no ${kind} ${id}`);
      return mirror.identity(key).uid;
    },
    /** Waits until every edit has reached the service. */
    arrived: () => eventually("all edits have arrived", () => (isAtRest() ? true : null)),
    refresh,
    /** Waits until the daemon knows that the service no longer has an item, which takes a separate request. */
    buried: async (kind: "event" | "task", id: number) => {
      const { view } = daemon.modules.store;
      const key = mirror.find(kind, serviceId(id));
      daemon.skip(settlingTime);
      await eventually(`the ${kind} ${id} is gone`, async () => {
        await refresh();
        return key === null || view.get(key) === null ? true : null;
      });
    },
    /** Every accepted edit, oldest first, with its state. */
    edits: () =>
      journal
        .list({ limit: 1000 })
        .map(({ action, state, problem }) => ({ action, state, problem }))
        .reverse(),
    /** All requests that changed anything in the service. */
    writes: () => sandbox.requests.entries().filter(({ method }) => method !== "GET"),
    async close() {
      await daemon.stop();
      await sandbox.close();
      installation.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ClientSetting = Awaited<ReturnType<typeof clientSetting>>;

/** A day so many days from now, `YYYY-MM-DD`. */
export const day = (from: number): string =>
  Temporal.Now.plainDateISO("Europe/Berlin").add({ days: from }).toString();

/** The same as iCalendar writes it, `YYYYMMDD`. */
export const icsDay = (from: number): string => day(from).replaceAll("-", "");

/** The items of a title. */
export const called = <Value extends { readonly title: string }>(
  items: readonly Value[],
  title: string,
): readonly Value[] => items.filter((item) => item.title === title);

/** The first item of a title; throws when there is none or another one, so that no test overlooks a duplicate. */
export function only<Value extends { readonly title: string }>(
  items: readonly Value[],
  title: string,
): Value {
  const [found, ...others] = called(items, title);
  if (!found || others.length > 0) {
    const titles = items.map((item) => item.title).join(", ");
    throw new Error(`${others.length + (found ? 1 : 0)} items are called ${title}: ${titles}`);
  }
  return found;
}
