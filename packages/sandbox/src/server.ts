import { createServer, type Server } from "node:http";
import type { Intermediary } from "./exchange.ts";
import { Faults } from "./faults.ts";
import { Limiter, type Quota } from "./limiter.ts";
import { RequestLog } from "./request-log.ts";
import { processRuntime, type SandboxRuntime } from "./runtime.ts";
import { sandboxApp } from "./sandbox-app.ts";
import { seedWorkspace } from "./seed/seed.ts";
import type { WorkspaceCounts, WorkspaceSize } from "./seed/sizes.ts";
import { Workspace } from "./workspace.ts";
import type { AllTasksManner } from "./workspace-all-tasks.ts";
import { WorkspaceStore } from "./workspace-store.ts";

export interface SandboxOptions {
  /** The same seed on the same day gives the same workspace. */
  readonly seed: number;
  /** s: 3 projects, 10 task lists, about 300 tasks; m: 20, 100, 5,000; l: 200, 1,000, 50,000; empty: people and places only. */
  readonly size: WorkspaceSize;
  /** Overrides the counts of the size, for other workspaces. */
  readonly counts?: Partial<WorkspaceCounts>;
  /** SQLite file. Default: in memory. A filled file is kept as it is, with its keys and ids. */
  readonly data?: string;
  /** True if lookups that the document does not show are available; 404 otherwise. */
  readonly discovery: boolean;
  /** How the list of all tasks, one of these lookups, differs from the expected behavior. Default: not at all. */
  readonly allTasks?: AllTasksManner;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** 0 for any free one. */
  readonly port: number;
  /** The account's IANA time zone. */
  readonly timeZone: string;
  readonly clock: () => Temporal.Instant;
  /** Default: 25 requests in 10,000 ms. */
  readonly quota?: Quota;
  /** Delay of each response in milliseconds. Default: 0. */
  readonly latencyMs?: number;
  /** Called when a fault leaves a request without a response and its connection open. */
  readonly onHang?: () => void;
  /** Sees and may change every response. Default: none. */
  readonly intermediary?: Intermediary;
  /** Overrides the timers and the network of the process. */
  readonly runtime?: Partial<SandboxRuntime>;
}

export interface SandboxKey {
  readonly personId: number;
  readonly name: string;
  readonly email: string;
  readonly apiKey: string;
  readonly role: string;
}

export interface Sandbox {
  readonly baseUrl: string;
  readonly uploadUrl: string;
  readonly timeZone: string;
  /** One per person with a key; the first is the account's owner, who sees everything. */
  readonly keys: readonly SandboxKey[];
  /** What the routes use, without quota: for tests and for simulating other people. */
  readonly workspace: Workspace;
  readonly requests: RequestLog;
  readonly faults: Faults;
  /** Stops listening, closes open connections and the data file. */
  close(): Promise<void>;
}

const documentedQuota: Quota = { requests: 25, perMs: 10_000 };

/**
 * Starts a complete stand-in for the service on loopback: every endpoint of its document with the exact statuses, headers and
 * limits. Plain HTTP, because it never leaves the machine. Rejects if the address is taken or the data file is not a sandbox
 * workspace. Source: service-api.md, beyond-the-document.md.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? "127.0.0.1";
  const { monotonic, startTimer, listen } = { ...processRuntime, ...options.runtime };
  const store = new WorkspaceStore(options.data ?? ":memory:");
  let origin = "";
  const workspace = new Workspace({
    store,
    clock: options.clock,
    timeZone: options.timeZone,
    fileUrl: (file, name) => `${origin}/files/${file}/${encodeURIComponent(name)}`,
  });
  if (options.allTasks) workspace.allTasks.behave(options.allTasks);
  const requests = new RequestLog();
  const faults = new Faults(startTimer);
  const app = sandboxApp({
    workspace,
    clock: options.clock,
    access: workspace.access,
    limiter: new Limiter(options.quota ?? documentedQuota),
    log: requests,
    faults,
    monotonic,
    startTimer,
    latencyMs: options.latencyMs ?? 0,
    onHang: options.onHang ?? (() => {}),
    intermediary: options.intermediary ?? null,
    discovery: options.discovery,
  });
  const server = createServer(app);
  // A client's pool may keep a connection longer than Node's default of five seconds.
  server.keepAliveTimeout = 65_000;
  try {
    seedWorkspace(store, options);
    origin = `http://${host.includes(":") ? `[${host}]` : host}:${await listen(server, { host, port: options.port })}`;
  } catch (error) {
    store.close();
    throw error;
  }
  return {
    baseUrl: `${origin}/api/v3`,
    uploadUrl: `${origin}/upload`,
    timeZone: options.timeZone,
    keys: keysOf(workspace),
    workspace,
    requests,
    faults,
    close: async () => {
      faults.clear();
      await closeServer(server);
      store.close();
    },
  };
}

function keysOf(workspace: Workspace): readonly SandboxKey[] {
  return workspace.people().flatMap((it): SandboxKey[] => {
    const { id, email, apiKey, role } = it;
    if (apiKey === null) return [];
    return [{ personId: id, name: `${it.firstName} ${it.lastName}`, email, apiKey, role }];
  });
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
