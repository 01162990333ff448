import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { openableUrl } from "../config/listening.ts";
import {
  feedId,
  folderId,
  isId,
  labelId,
  listId,
  personId,
  projectId,
  serviceId,
} from "../domain/ids.ts";
import type { Picks } from "../edits/actions/choice.ts";
import type { Decision } from "../edits/actions/edit-actions.ts";
import type { EditQuery } from "../edits/actions/edit-query.ts";
import type { UndoChoices } from "../edits/actions/undo.ts";
import { type Answer, describeActionFailure } from "../edits/workspace/action-failure.ts";
import {
  describeFeedProblems,
  type FeedProblem,
  readFeedChange,
  readFeedWish,
} from "../feeds/feed-request.ts";
import { asListed, type PublishedFeed } from "../feeds/published-feeds.ts";
import { passwordUse } from "../people/password-use.ts";
import {
  asJson,
  type CommandHost,
  configFor,
  type DaemonAddress,
  Failed,
  type LocalModules,
  withLocalModules,
} from "./command-host.ts";
import { askDaemon } from "./daemon.ts";
import { mostListed } from "./edit-text.ts";

/** What becomes of fields that somebody has changed since an edit, for whoever has seen that `version` of the preview. */
export interface UndoDecision {
  readonly version: string;
  readonly fields: UndoChoices;
}

/**
 * What commands ask of the journal, the feeds, the brakes, the people and the service, whoever holds the data directory.
 * Values are JSON as the API answers it; what is refused throws `Failed` with the reason.
 */
export interface DaemonOrLocal {
  edits(query: EditQuery): Promise<unknown>;
  edit(id: number): Promise<unknown>;
  decide(id: number, act: "approve" | "discard"): Promise<unknown>;
  /** `seen`: the version of the workspace that would be overwritten, as the edit names it; null when there is nothing. */
  retry(id: number, seen: string | null): Promise<unknown>;
  /** `dryRun`: answers what would come of it. */
  resolve(
    id: number,
    decision: { readonly version: string; readonly picks: Picks; readonly dryRun: boolean },
  ): Promise<unknown>;
  undoPreview(id: number): Promise<unknown>;
  undo(id: number, decision: UndoDecision | null): Promise<unknown>;
  feeds(): Promise<unknown>;
  /** A new feed; `wish` as `POST /api/feeds` takes it. */
  createFeed(wish: unknown): Promise<unknown>;
  /** `to` as `PATCH /api/feeds/ID` takes it. */
  changeFeed(id: number, to: unknown): Promise<unknown>;
  rotateFeed(id: number): Promise<unknown>;
  revokeFeed(id: number): Promise<unknown>;
  reopenFeed(id: number): Promise<unknown>;
  brakes(): Promise<unknown>;
  releaseBrake(source: string): Promise<unknown>;
  people(): Promise<unknown>;
  /** Whether a person has an app password, and what uses it: a `PasswordUse`. */
  passwordUse(person: number): Promise<unknown>;
  /** The person with the new password and the address to enter. */
  setPassword(person: number): Promise<unknown>;
  clearPassword(person: number): Promise<unknown>;
  files(folder: FolderName): Promise<unknown>;
  upload(file: FileToUpload): Promise<unknown>;
  deleteFile(id: number, folder: FolderName): Promise<unknown>;
  comments(task: string): Promise<unknown>;
  addComment(task: string, text: string): Promise<unknown>;
  labels(): Promise<unknown>;
  createLabel(name: string): Promise<unknown>;
  renameLabel(id: number, name: string): Promise<unknown>;
  deleteLabel(id: number): Promise<unknown>;
  relocate(act: "copy" | "move", to: Relocation): Promise<unknown>;
}

/** A folder as commands name it; undefined = the project's home folder. */
export interface FolderName {
  readonly project: number;
  readonly folder?: number | undefined;
}

interface FileToUpload extends FolderName {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Where a task is to go, as commands name it. */
interface Relocation {
  readonly task: string;
  readonly list: number;
  readonly project?: number | undefined;
  readonly title?: string | undefined;
}

/** A command as it was called. */
interface Invocation {
  readonly command: Command;
  readonly host: CommandHost;
  readonly options: {
    readonly json?: boolean;
    /** On whose behalf; undefined = the account's. */
    readonly person?: number;
    /** Nothing is asked. */
    readonly yes?: boolean;
  };
}

/** Commands beside a daemon go through the daemon; otherwise they hold the data directory themselves. */
export async function withDaemonOrLocal<Value>(
  { command, host, options: { person } }: Invocation,
  work: (backend: DaemonOrLocal, config: Config) => Promise<Value>,
): Promise<Value> {
  const config = configFor(command, host);
  const daemon = host.daemonOf(config);
  if (daemon) return work(throughDaemon(daemon, person), config);
  const by = { person: person === undefined ? null : personId(person), signal: host.signal };
  return withLocalModules({ config, host }, (modules) => work(locally(modules, by), config));
}

/** Does the work of a command and prints its answer: as JSON where that is asked for, else as `describe` puts it. */
export async function printAnswer(
  invocation: Invocation,
  {
    work,
    describe,
  }: {
    readonly work: (backend: DaemonOrLocal, config: Config) => Promise<unknown>;
    readonly describe: (answer: unknown, zone: string) => string;
  },
): Promise<void> {
  const { host, options } = invocation;
  const text = await withDaemonOrLocal(invocation, async (backend, config) => {
    const answer = await work(backend, config);
    return options.json ? asJson(answer) : describe(answer, config.service.timeZone);
  });
  host.print(text);
}

/** The service may be slow, and files may be large. */
const servicePatienceMs = 180_000;

function throughDaemon(daemon: DaemonAddress, person: number | undefined): DaemonOrLocal {
  const ask = askerOf(daemon, { person });
  const askService = askerOf(daemon, { person, withinMs: servicePatienceMs });
  const pathOf = (task: string) => `/api/tasks/${encodeURIComponent(task)}` as const;
  return {
    edits: async (query) => member(await ask("GET /api/edits", { query: { ...query } }), "edits"),
    edit: (id) => ask(`GET /api/edits/${id}`),
    decide: (id, act) => ask(`POST /api/edits/${id}/${act}`),
    retry: (id, seen) =>
      ask(`POST /api/edits/${id}/retry`, { query: { version: seen ?? undefined } }),
    resolve: (id, { version, picks: { keep, fields }, dryRun }) =>
      ask(`POST /api/edits/${id}/resolve`, { json: { version, keep, fields, dryRun } }),
    undoPreview: (id) => ask(`GET /api/edits/${id}/undo`),
    undo: (id, decision) => ask(`POST /api/edits/${id}/undo`, decision ? { json: decision } : {}),
    feeds: async () => member(await ask("GET /api/feeds"), "feeds"),
    createFeed: (wish) => ask("POST /api/feeds", { json: wish }),
    changeFeed: (id, to) => ask(`PATCH /api/feeds/${id}`, { json: to }),
    rotateFeed: (id) => ask(`POST /api/feeds/${id}/rotate`),
    revokeFeed: (id) => ask(`DELETE /api/feeds/${id}`),
    reopenFeed: (id) => ask(`POST /api/feeds/${id}/reopen`),
    brakes: async () => member(await ask("GET /api/brakes"), "brakes"),
    releaseBrake: (source) => ask(`POST /api/brakes/${encodeURIComponent(source)}/release`),
    people: async () => member(await ask("GET /api/people"), "people"),
    passwordUse: (id) => ask(`GET /api/people/${id}/password`),
    setPassword: (id) => ask(`POST /api/people/${id}/password`),
    clearPassword: (id) => ask(`DELETE /api/people/${id}/password`),
    files: async (folder) =>
      member(await askService("GET /api/files", { query: { ...folder } }), "files"),
    upload: async ({ content, ...file }) =>
      member(await askService("POST /api/files", { query: { ...file }, octets: content }), "files"),
    deleteFile: (id, folder) => askService(`DELETE /api/files/${id}`, { query: { ...folder } }),
    comments: async (task) => member(await askService(`GET ${pathOf(task)}/comments`), "comments"),
    addComment: (task, text) => askService(`POST ${pathOf(task)}/comments`, { json: { text } }),
    labels: async () => member(await askService("GET /api/labels"), "labels"),
    createLabel: (name) => askService("POST /api/labels", { json: { name } }),
    renameLabel: (id, name) => askService(`POST /api/labels/${id}`, { json: { name } }),
    deleteLabel: (id) => askService(`DELETE /api/labels/${id}`),
    relocate: (act, { task, ...to }) =>
      askService(`POST ${pathOf(task)}/${act}`, { query: { ...to } }),
  };
}

interface Sent {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: unknown;
  readonly octets?: Uint8Array<ArrayBuffer>;
}

/** Asks the daemon's API on behalf of a person, and answers the body; whatever is refused ends the command. */
function askerOf(
  daemon: DaemonAddress,
  { person, withinMs }: { readonly person: number | undefined; readonly withinMs?: number },
) {
  return async (
    request: `${"GET" | "POST" | "PATCH" | "DELETE"} /api/${string}`,
    { query, json, octets }: Sent = {},
  ): Promise<unknown> => {
    const [method = "", path = ""] = request.split(" ");
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries({ person, ...query })) {
      if (value !== undefined) params.set(name, String(value));
    }
    const body = octets
      ? { type: "application/octet-stream", content: octets }
      : json === undefined
        ? null
        : { type: "application/json", content: JSON.stringify(json) };
    const answer = await askDaemon(daemon, {
      method,
      path: params.size > 0 ? `${path}?${params.toString()}` : path,
      ...(body && { body }),
      ...(withinMs !== undefined && { withinMs }),
    });
    // What cannot be meant is wrong usage, as without a daemon.
    if (answer.status >= 400)
      throw new Failed(detailOf(answer.body), answer.status === 400 ? 2 : 1);
    return answer.body;
  };
}

const member = (body: unknown, name: string): unknown =>
  new Map(Object.entries(Object(body))).get(name);

function detailOf(body: unknown): string {
  const detail = member(body, "detail");
  return typeof detail === "string" ? detail : `the daemon refused: ${JSON.stringify(body)}`;
}

type By = Parameters<LocalModules["workspace"]["labels"]["list"]>[0];

function locally(modules: LocalModules, by: By): DaemonOrLocal {
  const { config, editActions, feeds, store, people } = modules;
  const { files, comments, labels, tasks } = modules.workspace;
  const shown = (feed: PublishedFeed) =>
    asListed(feed, { directory: store.directory, publicUrl: publicAddress(config) });
  const decider = { channel: "cli", actor: by.person } as const;
  return {
    edits(query) {
      const edits = editActions.search(query, { limit: mostListed });
      if (!edits.ok) throw new Failed(edits.failure, 2);
      return found(edits.value);
    },
    edit: (id) => found(editActions.show(id), `there is no edit ${id}`),
    decide: (id, act) => decided(id, editActions[act](id, decider)),
    retry: (id, seen) => decided(id, editActions.retry(id, seen, decider)),
    resolve: (id, decision) => decided(id, editActions.resolve(id, { ...decision, by: decider })),
    undoPreview: (id) => found(editActions.undoPreview(id), `there is no edit ${id}`),
    undo: (id, decision) =>
      decided(
        id,
        editActions.undo(id, { ...decider, choices: decision?.fields }, decision?.version),
      ),
    feeds: () => found(feeds.list().map(shown)),
    createFeed(wish) {
      const viewer = { kind: "admin", zone: store.zone } as const;
      const read = readFeedWish(wish, { directory: store.directory, viewer });
      if (!read.ok) throw wrongFeed(read.failure);
      return found(shown(feeds.create(read.value)));
    },
    changeFeed(id, to) {
      const feed = isId(id) ? feeds.get(feedId(id)) : null;
      if (!feed || feed.revokedAt) throw new Failed(`there is no open feed ${id}`, 1);
      const read = readFeedChange(to, { feed, directory: store.directory });
      if (!read.ok) throw wrongFeed(read.failure);
      const changed = feeds.change(feed.id, read.value);
      return found(changed && shown(changed), `there is no open feed ${id}`);
    },
    rotateFeed(id) {
      const feed = feeds.rotate(feedId(id));
      return found(feed && shown(feed), `there is no open feed ${id}`);
    },
    revokeFeed: (id) => found(feeds.revoke(feedId(id)) || null, `there is no open feed ${id}`),
    reopenFeed(id) {
      const feed = feeds.reopen(feedId(id));
      return found(feed && shown(feed), `there is no ended feed ${id}`);
    },
    brakes: () => found(store.brakes.all()),
    releaseBrake: (source) =>
      found(store.brakes.release(source) || null, `nothing is held for ${source}`),
    people: () => found(people.list()),
    passwordUse(id) {
      const person = isId(id) ? people.get(personId(id)) : null;
      return found(person && passwordUse(person.id, store), `there is no person ${id}`);
    },
    setPassword(id) {
      const given = people.setPassword(personId(id));
      if (given.kind === "refused") throw new Failed(given.reason, 1);
      if (given.kind === "unknown") throw new Failed(`there is no person ${id}`, 1);
      const { person, password } = given;
      return found({ ...person, password, url: `${publicAddress(config)}/dav/` });
    },
    clearPassword: (id) =>
      found(people.clearPassword(personId(id)) || null, `person ${id} has no app password`),
    files: (folder) => answered(files.list(placeOf(folder), by)),
    upload: ({ name, type, content, ...folder }) =>
      answered(files.upload({ ...placeOf(folder), name, type, content }, by)),
    deleteFile: (id, folder) =>
      answered(files.delete({ ...placeOf(folder), id: serviceId(id) }, by)),
    comments: (task) => answered(comments.list(task, by)),
    addComment: (task, text) => answered(comments.add({ task, text }, by)),
    labels: () => answered(labels.list(by)),
    createLabel: (name) => answered(labels.create(name, by)),
    renameLabel: (id, name) => answered(labels.rename({ id: labelId(id), name }, by)),
    deleteLabel: (id) => answered(labels.delete(labelId(id), by)),
    relocate(act, { task, list, project, title = null }) {
      const target = project === undefined ? null : projectId(project);
      return answered(tasks[act]({ task, listId: listId(list), projectId: target, title }, by));
    },
  };
}

/** As the API answers it: what is not there is a failure, anything else wrong usage. */
function wrongFeed(problems: readonly FeedProblem[]): Failed {
  const isMissing = problems.every(({ isUnknown }) => isUnknown);
  return new Failed(describeFeedProblems(problems), isMissing ? 1 : 2);
}

/** Address under which calendars reach the daemon of this configuration. */
const publicAddress = ({ http }: Config): string => http.publicUrl ?? openableUrl(http);

const placeOf = ({ project, folder }: FolderName) => ({
  projectId: projectId(project),
  folderId: folder === undefined ? null : folderId(folder),
});

/** Null = there is none, which ends the command with `otherwise`. */
function found(value: unknown, otherwise = ""): Promise<unknown> {
  if (value === null) throw new Failed(otherwise, 1);
  return Promise.resolve(asApiJson(value));
}

function decided(id: number, decision: Decision): Promise<unknown> {
  if (decision.kind === "refused") throw new Failed(decision.reason, 1);
  if (decision.kind === "unclear") throw new Failed(decision.reason, 2);
  if (decision.kind === "preview") return found(decision.preview);
  if (decision.kind === "overwrites") {
    throw new Failed(
      `it has changed since it was looked at: \`edits show ${id}\` has it as it is now`,
      1,
    );
  }
  return found(decision.kind === "done" ? decision.edit : null, `there is no edit ${id}`);
}

async function answered<Value>(answer: Answer<Value>): Promise<unknown> {
  const result = await answer;
  if (!result.ok) throw new Failed(describeActionFailure(result.failure), 1);
  return asApiJson(result.value);
}

/** The same JSON that the API would answer. */
const asApiJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
