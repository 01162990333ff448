import type { PersonId } from "../domain/ids.ts";
import { type AccountAccess, Asker } from "./asker.ts";
import { Gate, type GateOptions } from "./gate.ts";
import { createEvents } from "./resources/events.ts";
import { createFileClient } from "./resources/files.ts";
import { createComments, createHistories } from "./resources/task-activity.ts";
import { createAttachments, createSubtasks, createTasks } from "./resources/tasks.ts";
import { createLabels, createWorkspace } from "./resources/workspace.ts";
import { KeyWatch, Outage, type SendDeps } from "./send-request.ts";
import { type StartTimer, Transport } from "./transport.ts";
import { type KnownValues, nothingKnown } from "./wire.ts";

export interface UpstreamOptions
  extends AccountAccess,
    Pick<GateOptions, "quota" | "readShare" | "history">,
    Pick<SendDeps, "clock" | "monotonic" | "random" | "onEvent"> {
  /** The account's IANA time zone. */
  readonly timeZone: string;
  /** For one try as a whole. */
  readonly timeout: Temporal.Duration;
  /** Starts the timeout of a request; `setTimeout` by default. */
  readonly startTimer?: StartTimer;
  /** Measures how long answers take, in milliseconds; `monotonic` by default. */
  readonly stopwatch?: () => number;
  /** Known values for fields that an answer omits; none by default. */
  readonly known?: KnownValues;
}

/** The part of the rate limiter for code that chooses what to read. */
type UpstreamGate = Pick<Gate, "state" | "setPace" | "whenReadFits" | "nextReadAt">;

/** Everything the service's document describes. No method throws for an answer of the service. */
export type Upstream = ReturnType<typeof createUpstream>;

/**
 * The client of one account. Throws `UnsafeAddressError` for a URL that would send the key unencrypted over a network, and
 * `UnsendableHeaderError` for a key or contact that is not valid in a header.
 */
export function createUpstream(options: UpstreamOptions) {
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
  const limiter: UpstreamGate = gate;
  const asker = new Asker({ ...options, stopwatch, gate, outage, keys, transport });
  return {
    events: createEvents(asker, { timeZone, known }),
    tasks: createTasks(asker, known),
    subtasks: createSubtasks(asker, known),
    comments: createComments(asker),
    history: createHistories(asker),
    labels: createLabels(asker),
    files: createFileClient(asker),
    attachments: createAttachments(asker),
    workspace: createWorkspace(asker, known),
    gate: limiter,
    keys: { isRefused: (holder: PersonId | null) => keys.isRefused(holder) },
    /** True if the service is down, judging by the last answers; the event `back` reports the end. */
    isOut: () => outage.isOut,
    /** True if the service rejects writes, judging by the last ones; the event `back` reports the end. */
    takesNoWrites: () => outage.takesNoWrites,
    /** The last failed try in words; meaningful while the service is down. */
    outageProblem: () => outage.problem,
    /** How far this machine's clock was ahead of the service's at its last answer; null before the first `Date` header. */
    clockLead: () => asker.clockLead(),
    /** Aborts waiting requests and reads at once, gives writes in progress a few seconds, then closes all connections. */
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
