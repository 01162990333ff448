import type { Config } from "../config/config.ts";
import { openableUrl } from "../config/listening.ts";
import { feedId, personId, projectId } from "../domain/ids.ts";
import type { Decision } from "../edits/actions/edit-actions.ts";
import { creationOf, type PublishedFeed } from "../feeds/published-feeds.ts";
import { Failed, withLocalRooms } from "./command-tools.ts";
import { askDaemon } from "./daemon.ts";
import type { CommandHost, DaemonAddress, LocalRooms } from "./host.ts";

export type EditAct = "approve" | "discard";

/** The journal, the feeds, the brakes and the people, whoever holds the data directory: values are JSON as the API answers it. */
interface DaemonOrLocal {
  edits(state: string | undefined): Promise<unknown>;
  edit(id: number): Promise<unknown>;
  decide(id: number, act: EditAct): Promise<unknown>;
  /** `seen`: the version of the workspace that would be overwritten, as the edit names it; null when there is nothing. */
  retry(id: number, seen: string | null): Promise<unknown>;
  undo(id: number, person: number | null): Promise<unknown>;
  feeds(): Promise<unknown>;
  /** The feed, with what was done. `name`: what it is to be called, null = as the project; it keeps its name without one. */
  createFeed(project: number, name?: string | null): Promise<unknown>;
  rotateFeed(id: number): Promise<unknown>;
  revokeFeed(id: number): Promise<void>;
  brakes(): Promise<unknown>;
  releaseBrake(source: string): Promise<void>;
  people(): Promise<unknown>;
  /** The person with the new password and the address to enter. */
  setPassword(person: number): Promise<unknown>;
  clearPassword(person: number): Promise<void>;
}

/** Commands beside a daemon go through the daemon; otherwise they hold the data directory themselves. */
export async function withDaemonOrLocal<Value>(
  { config, host }: { readonly config: Config; readonly host: CommandHost },
  work: (office: DaemonOrLocal) => Promise<Value>,
): Promise<Value> {
  const daemon = host.daemonOf(config);
  if (daemon) return work(remoteOffice(daemon));
  return withLocalRooms({ config, host }, (rooms) => work(localOffice(rooms)));
}

/** Address under which calendars reach the daemon of this configuration. */
const publicAddress = ({ http }: Config): string => http.publicUrl ?? openableUrl(http);

function remoteOffice(daemon: DaemonAddress): DaemonOrLocal {
  const ask = async (method: "GET" | "POST" | "DELETE", path: string, json?: unknown) => {
    const body =
      json === undefined
        ? {}
        : { body: { type: "application/json", content: JSON.stringify(json) } };
    const answer = await askDaemon(daemon, { method, path, ...body });
    if (answer.status >= 400) throw new Failed(detailOf(answer.body), 1);
    return answer.body;
  };
  return {
    edits: async (state) =>
      member(
        await ask("GET", `/api/edits${state ? `?state=${encodeURIComponent(state)}` : ""}`),
        "edits",
      ),
    edit: (id) => ask("GET", `/api/edits/${id}`),
    decide: (id, act) => ask("POST", `/api/edits/${id}/${act}`),
    retry: (id, seen) =>
      ask("POST", `/api/edits/${id}/retry${seen === null ? "" : `?version=${seen}`}`),
    undo: (id, person) =>
      ask("POST", `/api/edits/${id}/undo${person === null ? "" : `?person=${person}`}`),
    feeds: async () => member(await ask("GET", "/api/feeds"), "feeds"),
    createFeed: (project, name) => ask("POST", "/api/feeds", { projectId: project, name }),
    rotateFeed: (id) => ask("POST", `/api/feeds/${id}/rotate`),
    revokeFeed: async (id) => void (await ask("DELETE", `/api/feeds/${id}`)),
    brakes: async () => member(await ask("GET", "/api/brakes"), "brakes"),
    releaseBrake: async (source) =>
      void (await ask("POST", `/api/brakes/${encodeURIComponent(source)}/release`)),
    people: async () => member(await ask("GET", "/api/people"), "people"),
    setPassword: (person) => ask("POST", `/api/people/${person}/password`),
    clearPassword: async (person) => void (await ask("DELETE", `/api/people/${person}/password`)),
  };
}

function localOffice({ config, editActions, feeds, store, people }: LocalRooms): DaemonOrLocal {
  const shown = ({ path, ...feed }: PublishedFeed) => ({
    ...feed,
    url: feed.revokedAt === null ? `${publicAddress(config)}${path}` : null,
  });
  const found = <Value>(value: Value | null, what: string): Promise<unknown> => {
    if (value === null) throw new Failed(what, 1);
    return Promise.resolve(plain(value));
  };
  const decided = (id: number, decision: Decision): Promise<unknown> => {
    if (decision.kind === "refused") throw new Failed(decision.reason, 1);
    if (decision.kind === "overwrites") throw new Failed(decision.edit.problem ?? "", 1);
    return found(decision.kind === "done" ? decision.edit : null, `there is no edit ${id}`);
  };
  return {
    edits: (state) =>
      found(editActions.list({ state, limit: 500 }), `"${state}" is no state of an edit`),
    edit: (id) => found(editActions.show(id), `there is no edit ${id}`),
    decide: (id, act) => decided(id, editActions[act](id)),
    retry: (id, seen) => decided(id, editActions.retry(id, seen)),
    undo: (id, person) => {
      const actor = person === null ? null : personId(person);
      return decided(id, editActions.undo(id, { channel: "cli", actor }));
    },
    feeds: () => Promise.resolve(plain(feeds.list().map(shown))),
    createFeed(project, name) {
      const before = feeds.list();
      const feed = feeds.create(projectId(project), name);
      const made = feed && { ...shown(feed), ...creationOf(feed, before) };
      return found(made, `project ${project} is not known`);
    },
    rotateFeed(id) {
      const feed = feeds.rotate(feedId(id));
      return found(feed && shown(feed), `there is no open feed ${id}`);
    },
    async revokeFeed(id) {
      await found(feeds.revoke(feedId(id)) || null, `there is no open feed ${id}`);
    },
    brakes: () => Promise.resolve(plain(store.brakes.all())),
    async releaseBrake(source) {
      await found(store.brakes.release(source) || null, `nothing is held for ${source}`);
    },
    people: () => Promise.resolve(plain(people.list())),
    setPassword(person) {
      const given = people.setPassword(personId(person));
      if (given.kind === "refused") throw new Failed(given.reason, 1);
      if (given.kind === "unknown") throw new Failed(`there is no person ${person}`, 1);
      const { password } = given;
      return found({ ...given.person, password, url: `${publicAddress(config)}/dav/` }, "");
    },
    async clearPassword(person) {
      const isCleared = people.clearPassword(personId(person));
      await found(isCleared || null, `person ${person} has no app password`);
    },
  };
}

/** The same JSON that the API would answer. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function member(body: unknown, name: string): unknown {
  return new Map(Object.entries(Object(body))).get(name);
}

function detailOf(body: unknown): string {
  const detail = member(body, "detail");
  return typeof detail === "string" ? detail : `the daemon refused: ${JSON.stringify(body)}`;
}
