import type { Config } from "../config/config.ts";
import { folderId, labelId, listId, personId, projectId, serviceId } from "../domain/ids.ts";
import type { ServiceActions } from "../edits/workspace/service-actions.ts";
import { type Answer, describeHindrance } from "../edits/workspace/workspace-hindrance.ts";
import { Failed, withLocalRooms } from "./command-tools.ts";
import { askDaemon } from "./daemon.ts";
import type { CommandHost, DaemonAddress } from "./host.ts";

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

/** What the service can do beside dates, whoever holds the data directory: values are JSON as the API answers it. */
export interface ServiceDaemonOrLocal {
  files(folder: FolderName): Promise<unknown>;
  upload(file: FileToUpload): Promise<unknown>;
  deleteFile(id: number, folder: FolderName): Promise<void>;
  comments(task: string): Promise<unknown>;
  addComment(task: string, text: string): Promise<unknown>;
  labels(): Promise<unknown>;
  createLabel(name: string): Promise<unknown>;
  renameLabel(id: number, name: string): Promise<unknown>;
  deleteLabel(id: number): Promise<void>;
  relocate(act: "copy" | "move", wish: Relocation): Promise<unknown>;
}

interface Setting {
  readonly config: Config;
  readonly host: CommandHost;
  /** On whose behalf; undefined = the account's. */
  readonly person: number | undefined;
}

/** Commands beside a daemon go through the daemon; otherwise they hold the data directory themselves. */
export async function withServiceActions<Value>(
  setting: Setting,
  work: (office: ServiceDaemonOrLocal) => Promise<Value>,
): Promise<Value> {
  const { config, host, person } = setting;
  const daemon = host.daemonOf(config);
  if (daemon) return work(remote(daemon, person));
  return withLocalRooms(setting, ({ workspace }) => {
    const by = {
      person: person === undefined ? null : personId(person),
      signal: host.signal,
    };
    return work(local(workspace, by));
  });
}

/** The service may be slow, and files may be large. */
const patienceMs = 180_000;

function remote(daemon: DaemonAddress, person: number | undefined): ServiceDaemonOrLocal {
  type Content = {
    readonly type: string;
    readonly content: Uint8Array<ArrayBuffer> | string;
  };
  const ask = async (
    request: {
      readonly method: "GET" | "POST" | "DELETE";
      readonly path: string;
      readonly body?: Content;
    },
    query: Readonly<Record<string, string | number | undefined>> = {},
  ) => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, person })) {
      if (value !== undefined) params.set(name, String(value));
    }
    const path = params.size > 0 ? `${request.path}?${params.toString()}` : request.path;
    const answer = await askDaemon(daemon, { ...request, path, withinMs: patienceMs });
    if (answer.status >= 400) throw new Failed(detailOf(answer.body), 1);
    return answer.body;
  };
  const withJson = (path: string, value: unknown) => {
    const body = { type: "application/json", content: JSON.stringify(value) };
    return ask({ method: "POST", path, body });
  };
  const pathOf = (task: string) => `/api/tasks/${encodeURIComponent(task)}`;
  return {
    files: async (folder) =>
      member(await ask({ method: "GET", path: "/api/files" }, { ...folder }), "files"),
    async upload({ content, ...file }) {
      const body = { type: "application/octet-stream", content };
      return member(await ask({ method: "POST", path: "/api/files", body }, { ...file }), "files");
    },
    deleteFile: async (id, folder) =>
      void (await ask({ method: "DELETE", path: `/api/files/${id}` }, { ...folder })),
    comments: async (task) =>
      member(await ask({ method: "GET", path: `${pathOf(task)}/comments` }), "comments"),
    addComment: (task, text) => withJson(`${pathOf(task)}/comments`, { text }),
    labels: async () => member(await ask({ method: "GET", path: "/api/labels" }), "labels"),
    createLabel: (name) => withJson("/api/labels", { name }),
    renameLabel: (id, name) => withJson(`/api/labels/${id}`, { name }),
    deleteLabel: async (id) => void (await ask({ method: "DELETE", path: `/api/labels/${id}` })),
    relocate: (act, { task, ...wish }) =>
      ask({ method: "POST", path: `${pathOf(task)}/${act}` }, { ...wish }),
  };
}

type By = Parameters<ServiceActions["labels"]["list"]>[0];

function local({ files, comments, labels, tasks }: ServiceActions, by: By): ServiceDaemonOrLocal {
  const place = ({ project, folder }: FolderName) => ({
    projectId: projectId(project),
    folderId: folder === undefined ? null : folderId(folder),
  });
  return {
    files: (folder) => done(files.list(place(folder), by)),
    upload: ({ name, type, content, ...folder }) =>
      done(files.upload({ ...place(folder), name, type, content }, by)),
    deleteFile: async (id, folder) =>
      void (await done(files.delete({ ...place(folder), id: serviceId(id) }, by))),
    comments: (task) => done(comments.list(task, by)),
    addComment: (task, text) => done(comments.add({ task, text }, by)),
    labels: () => done(labels.list(by)),
    createLabel: (name) => done(labels.create(name, by)),
    renameLabel: (id, name) => done(labels.rename({ id: labelId(id), name }, by)),
    deleteLabel: async (id) => void (await done(labels.delete(labelId(id), by))),
    relocate: (act, { task, list, project, title = null }) =>
      done(
        tasks[act](
          {
            task,
            listId: listId(list),
            projectId: project === undefined ? null : projectId(project),
            title,
          },
          by,
        ),
      ),
  };
}

/** The same JSON that the API would answer. */
async function done<Value>(answer: Answer<Value>): Promise<unknown> {
  const result = await answer;
  if (!result.ok) throw new Failed(describeHindrance(result.failure), 1);
  return JSON.parse(JSON.stringify(result.value));
}

const member = (body: unknown, name: string): unknown =>
  new Map(Object.entries(Object(body))).get(name);

function detailOf(body: unknown): string {
  const detail = member(body, "detail");
  return typeof detail === "string" ? detail : `the daemon refused: ${JSON.stringify(body)}`;
}
