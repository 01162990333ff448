import type { Hide } from "../domain/hidden-secrets.ts";
import type { PersonId } from "../domain/ids.ts";
import { Asker } from "./asker.ts";
import { Gate, type GateHistory } from "./gate.ts";
import { type KeyHealth, KeyWatch } from "./key-health.ts";
import { type CommentClient, createCommentClient } from "./resources/comments.ts";
import { createEvents, type Events } from "./resources/events.ts";
import { createFileClient, type FileClient } from "./resources/files.ts";
import { createHistories, type Histories } from "./resources/history.ts";
import { createSubtasks, type Subtasks } from "./resources/subtasks.ts";
import { type Attachments, createAttachments, createTasks, type Tasks } from "./resources/tasks.ts";
import {
  createLabels,
  createWorkspace,
  type LabelClient,
  type WorkspaceClient,
} from "./resources/workspace.ts";
import { Outage, type UpstreamEvent } from "./send-request.ts";
import { type StartTimer, Transport } from "./transport.ts";
import { type KnownValues, nothingKnown } from "./wire.ts";

/**
 * `keyOf`: the key of the person on whose behalf a call is made, null for the account's. `contact` goes into the User-Agent.
 * `timeZone`: the account's IANA time zone. `timeout`: for one try as a whole. `monotonic`: milliseconds of a monotonic clock;
 * `random`: 0 up to 1.
 */
export interface UpstreamOptions {
  readonly baseUrl: string;
  readonly uploadUrl: string;
  /** A function if the key may change. */
  readonly apiKey: string | (() => string);
  readonly keyOf: (person: PersonId) => string | null;
  /** Removes secrets from failures that repeat them; by default only `apiKey`. */
  readonly hide?: Hide;
  readonly contact: string;
  readonly timeZone: string;
  readonly quota: { readonly requests: number; readonly per: Temporal.Duration };
  /** The share of the quota for polling once everything was read; 0.9 by default. */
  readonly readShare?: number;
  readonly timeout: Temporal.Duration;
  /** Starts the timeout of a request; `setTimeout` by default. */
  readonly startTimer?: StartTimer;
  readonly clock: () => Temporal.Instant;
  readonly monotonic: () => number;
  /** Measures how long answers take, in milliseconds; `monotonic` by default. */
  readonly stopwatch?: () => number;
  readonly random: () => number;
  readonly history: GateHistory;
  /** Known values for fields that an answer omits; none by default. */
  readonly known?: KnownValues;
  readonly onEvent: (event: UpstreamEvent) => void;
  /** Lets other work run before and while a sweep's answer is parsed; by default the event loop's next round. */
  readonly pause?: () => Promise<void>;
}

/** The rate limiter as seen by those who choose what to read. */
type UpstreamGate = Pick<Gate, "state" | "setPace" | "whenReadFits" | "nextReadAt">;

/** Everything the service's document describes. No method throws for an answer of the service. */
export interface Upstream {
  readonly events: Events;
  readonly tasks: Tasks;
  readonly subtasks: Subtasks;
  readonly comments: CommentClient;
  readonly history: Histories;
  readonly labels: LabelClient;
  readonly files: FileClient;
  readonly attachments: Attachments;
  readonly workspace: WorkspaceClient;
  readonly gate: UpstreamGate;
  /** True if the service is down, judging by the last answers; the event `back` reports the end. */
  isOut(): boolean;
  /** The last failed try in words; meaningful while the service is down. */
  outageProblem(): string;
  readonly keys: KeyHealth;
  /** True if the service rejects writes, judging by the last ones; the event `back` reports the end. */
  takesNoWrites(): boolean;
  /** How far this machine's clock was ahead of the service's at its last answer; null before the first `Date` header. */
  clockLead(): Temporal.Duration | null;
  /** Aborts waiting requests and reads at once, gives writes in progress a few seconds, then closes all connections. */
  close(): Promise<void>;
}

/**
 * The client of one account. Throws `UnsafeAddressError` for a URL that would send the key unencrypted over a network, and
 * `UnsendableHeaderError` for a key or contact that is not valid in a header.
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  checkAddress("service.baseUrl", options.baseUrl);
  checkAddress("service.uploadUrl", options.uploadUrl);
  const { apiKey } = options;
  checkHeader("the API key", typeof apiKey === "string" ? apiKey : apiKey());
  checkHeader("service.contact", options.contact);

  const { timeout, timeZone, quota, known = nothingKnown } = options;
  const gate = new Gate({
    ...options,
    onUnkept: (error) => options.onEvent({ kind: "history-unkept", error }),
  });
  const transport = new Transport({
    timeout,
    connections: quota.requests,
    startTimer: options.startTimer,
  });
  const stopwatch = options.stopwatch ?? options.monotonic;
  const outage = new Outage(stopwatch, () => options.onEvent({ kind: "back" }));
  const keys = new KeyWatch();
  const asker = new Asker({ ...options, stopwatch, gate, outage, keys, transport });
  return {
    events: createEvents(asker, { timeZone, known }),
    tasks: createTasks(asker, known),
    subtasks: createSubtasks(asker, known),
    comments: createCommentClient(asker),
    history: createHistories(asker),
    labels: createLabels(asker),
    files: createFileClient(asker),
    attachments: createAttachments(asker),
    workspace: createWorkspace(asker, known),
    gate: {
      state: () => gate.state(),
      setPace: (pace) => gate.setPace(pace),
      whenReadFits: (signal) => gate.whenReadFits(signal),
      nextReadAt: () => gate.nextReadAt(),
    },
    isOut: () => outage.isOut,
    takesNoWrites: () => outage.takesNoWrites,
    outageProblem: () => outage.problem,
    keys,
    clockLead: () => asker.clockLead(),
    close: () => asker.close(graceOf(timeout)),
  };
}

/** Thrown for a service URL that is neither https nor on this machine. */
export class UnsafeAddressError extends Error {
  override readonly name = "UnsafeAddressError";
  constructor(name: string, reason: string) {
    super(`${name} cannot be used: ${reason}`);
  }
}

/** Thrown for a header value with characters outside printable ASCII. The message omits the value. */
export class UnsendableHeaderError extends Error {
  override readonly name = "UnsendableHeaderError";
  constructor(name: string) {
    super(`${name} is empty or has characters that are not allowed in an HTTP header`);
  }
}

function checkAddress(name: string, address: string): void {
  const url = URL.parse(address);
  if (!url) throw new UnsafeAddressError(name, `"${address}" is no address`);
  if (url.username !== "" || url.password !== "") {
    throw new UnsafeAddressError(name, "it contains a user name or password");
  }
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLocal)) return;
  throw new UnsafeAddressError(
    name,
    `${url.protocol}//${url.host} is not https; plain http is only allowed on this machine`,
  );
}

function checkHeader(name: string, value: string): void {
  if (!/^[\x20-\x7e]+$/.test(value)) throw new UnsendableHeaderError(name);
}

function graceOf(timeout: Temporal.Duration): Temporal.Duration {
  const most = Temporal.Duration.from({ seconds: 3 });
  return Temporal.Duration.compare(timeout, most) < 0 ? timeout : most;
}

export type { Priority } from "./gate.ts";
export type { ListElements } from "./list-elements.ts";
export type { ListSnapshot, RawList as Listing } from "./read-list.ts";
export type { Call, UpstreamEvent } from "./send-request.ts";
export type { Snapshot } from "./wire.ts";
