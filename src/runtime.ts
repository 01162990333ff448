import { randomUUID, randomBytes as secureBytes } from "node:crypto";
import { Agent, type AgentOptions, type Server } from "node:http";

/** Time, randomness and the network, as the daemon uses them. */
export interface Runtime {
  readonly now: () => Temporal.Instant;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  /** Unpredictable, for secrets. */
  readonly randomBytes: (size: number) => Buffer;
  /** A random UUID. */
  readonly randomId: () => string;
  /** Calls back once after `ms` milliseconds. */
  readonly startTimer: (ms: number, callback: () => void, options?: TimerOptions) => Timer;
  /** Calls back in the next turn of the event loop. */
  readonly inNextTurn: (callback: () => void) => void;
  /** Listens for requests; resolves with the port, and rejects if the address is not available. */
  readonly listen: (server: Server, where: Address) => Promise<number>;
  /** Makes the connections of plain HTTP. */
  readonly httpAgent: (options: AgentOptions) => Agent;
  /** Called at each step of a database. If it throws, nothing is written or committed. */
  readonly databaseStep: (step: DatabaseStep) => void;
}

/** Before a statement writes, before a transaction commits, and after that. */
export type DatabaseStep = "write" | "commit" | "committed";

/** `port`: 0 for any free one. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface TimerOptions {
  /** True if the process stays alive for it, which is the default. */
  readonly holdsProcess?: boolean;
}

export interface Timer {
  readonly cancel: () => void;
}

const ofProcess: Runtime = {
  now: () => Temporal.Now.instant(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  randomBytes: (size) => secureBytes(size),
  randomId: () => randomUUID(),
  startTimer(ms, callback, { holdsProcess = true } = {}) {
    const timer = setTimeout(callback, Math.min(ms, longestTimer));
    if (!holdsProcess) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
  inNextTurn: (callback) => void setImmediate(callback),
  listen: (server, { host, port }) =>
    new Promise((resolve, reject) => {
      // Stays registered: a later connection error must not end the process.
      server.on("error", reject);
      server.listen(port, host, () => {
        const address = server.address();
        resolve(typeof address === "object" && address ? address.port : port);
      });
    }),
  httpAgent: (options) => new Agent(options),
  databaseStep: () => undefined,
};

/** Timers have 31 bits of milliseconds; longer ones fire at once. */
const longestTimer = 2 ** 31 - 1;

let current: Runtime = ofProcess;

/** Replaces the process's runtime, as a simulation does; the returned function restores it. */
export function replaceRuntime(other: Partial<Runtime>): () => void {
  const before = current;
  current = { ...before, ...other };
  return () => {
    current = before;
  };
}

/** The machine's time zone. */
export const zoneOfSystem = (): string => Temporal.Now.timeZoneId();

export const now = (): Temporal.Instant => current.now();
export const monotonic = (): number => current.monotonic();
export const random = (): number => current.random();
export const randomBytes = (size: number): Buffer => current.randomBytes(size);
export const randomId = (): string => current.randomId();
export const startTimer: Runtime["startTimer"] = (...given) => current.startTimer(...given);
export const inNextTurn: Runtime["inNextTurn"] = (callback) => current.inNextTurn(callback);

export const listen: Runtime["listen"] = (server, where) => current.listen(server, where);
export const httpAgent: Runtime["httpAgent"] = (options) => current.httpAgent(options);
export const databaseStep: Runtime["databaseStep"] = (step) => current.databaseStep(step);

export const nextTurn = (): Promise<void> => new Promise((resolve) => inNextTurn(resolve));

/** Resolves with true after `ms` milliseconds, or with false as soon as the signal aborts. Never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    const wake = () => {
      timer.cancel();
      resolve(false);
    };
    const timer = startTimer(ms, () => {
      signal?.removeEventListener("abort", wake);
      resolve(true);
    });
    signal?.addEventListener("abort", wake, { once: true });
  });
}

/** A signal that aborts after `ms` milliseconds, without keeping the process alive. */
export function timeLimit(ms: number): AbortSignal {
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException(`not within ${ms} ms`, "TimeoutError"));
  startTimer(ms, late, { holdsProcess: false });
  return controller.signal;
}
