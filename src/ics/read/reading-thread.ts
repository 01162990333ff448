import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import {
  type CalendarFile,
  type IcsProblem,
  type IncomingItem,
  type IncomingObject,
  itemOfPlain,
  type ObjectFault,
  type PlainIncomingItem,
} from "@dayferry/ical";
import { fail, ok, type Result } from "../../domain/result.ts";
import { startTimer, type Timer } from "../../runtime.ts";

/** Reads long texts beside the main thread. */
export interface ReadingThread {
  /** Null where the thread breaks otherwise than by what the text costs. */
  read(asked: LongRead): Promise<WholeReading | null>;
}

/** What is to be read, as a file of edits or as a calendar object. */
export interface LongRead {
  readonly kind: "file" | "object";
  readonly bytes: Uint8Array;
}

/** A text, and where its parts are to be sent; a message to the thread. */
export interface LongText extends LongRead {
  readonly zone: string;
  readonly answer: MessagePort;
}

/** What the thread answers, part by part; of a good file `file` is the last one. */
export type ReadPart =
  | { readonly kind: "items"; readonly items: readonly PlainIncomingItem[] }
  | { readonly kind: "ignored"; readonly faults: readonly IcsProblem[] }
  | { readonly kind: "file"; readonly head: Omit<CalendarFile, "items" | "ignored"> }
  | { readonly kind: "file-faults"; readonly faults: readonly IcsProblem[] }
  | { readonly kind: "object"; readonly item: PlainIncomingItem; readonly isMended: boolean }
  | { readonly kind: "object-fault"; readonly fault: ObjectFault };

/** The parts put together, as what was asked for. */
export interface WholeReading {
  readonly file?: Result<CalendarFile, readonly IcsProblem[]>;
  readonly object?: Result<IncomingObject, ObjectFault>;
}

export interface ThreadDeps {
  /** The account's IANA zone, in which floating times stand. */
  readonly zone: string;
  /** Lets others have their turn, between the parts of a long file that come to the main thread. */
  readonly pause: () => Promise<void>;
  /** Reading goes on for so long at most; a minute unless said. */
  readonly timeout?: Temporal.Duration;
  /** The thread's own memory, in MB of 2^20 octets; 512 unless said, of which the longest file that is read takes half. */
  readonly mostMb?: number;
}

const aMinute = Temporal.Duration.from({ minutes: 1 });
/** For so long the thread waits for the next text, in milliseconds; all of its memory goes with it. */
const idleMs = 5000;

/**
 * One text after another is read in a thread, which is started for the first of them and ends when none has come for a while. One
 * that takes longer or more memory than it may ends with the thread, and is refused.
 */
export function createThread(deps: ThreadDeps): ReadingThread {
  const { zone, pause, mostMb = 512 } = deps;
  let worker: Worker | null = null;
  let idle: Timer | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function end(): void {
    void worker?.terminate();
    worker = null;
  }

  function start(): Worker {
    const started = new Worker(new URL("./reading-worker.ts", import.meta.url), {
      // What the daemon's own thread was started with is none of this one's business.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: mostMb },
    });
    started.once("exit", () => {
      if (worker === started) worker = null;
    });
    // What it says once nobody asks it must not end the daemon.
    started.on("error", () => undefined);
    return started;
  }

  async function readNow({ kind, bytes }: LongRead): Promise<WholeReading | null> {
    idle?.cancel();
    worker ??= start();
    worker.ref();
    const { port1: parts, port2: answer } = new MessageChannel();
    try {
      const copy = new Uint8Array(bytes);
      const text: LongText = { kind, bytes: copy, zone, answer };
      worker.postMessage(text, [answer, copy.buffer]);
      const ending = await endingOf(worker, deps.timeout ?? aMinute);
      if (ending === "read") return await gather(parts, pause);
      end();
      return ending === "broken" ? null : refusalOf(ending);
    } finally {
      parts.close();
      worker?.unref();
      idle = startTimer(idleMs, end, { holdsProcess: false });
    }
  }

  return {
    read(asked) {
      const turn = last.then(() => readNow(asked));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** How the reading of one text ends: `message` says why it was given up. */
type Ending = "read" | "broken" | { readonly message: string };

async function endingOf(worker: Worker, timeout: Temporal.Duration): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const tooCostly = (why: string) =>
    resolve({ message: `the calendar cannot be read: ${why}; send it in parts` });
  const seconds = timeout.total("seconds");
  const timer = startTimer(seconds * 1000, () => tooCostly(`it takes longer than ${seconds} s`));
  const onRead = () => resolve("read");
  const onError = (error: unknown) => {
    const isMemory = error instanceof Error && Reflect.get(error, "code") === memoryCode;
    if (isMemory) tooCostly("it takes more memory than it may");
    else resolve("broken");
  };
  const onExit = () => resolve("broken");
  worker.on("message", onRead).on("error", onError).on("exit", onExit);
  try {
    return await promise;
  } finally {
    timer.cancel();
    worker.off("message", onRead).off("exit", onExit).off("error", onError);
  }
}

/** Source: Node.js, errors (ERR_WORKER_OUT_OF_MEMORY). */
const memoryCode = "ERR_WORKER_OUT_OF_MEMORY";

const refusalOf = ({ message }: { readonly message: string }): WholeReading => ({
  file: fail([{ line: null, uid: null, code: "too-costly", message }]),
  object: fail({ precondition: "valid-calendar-data", line: null, message }),
});

/** Null where the last part is missing. */
async function gather(
  parts: MessagePort,
  pause: () => Promise<void>,
): Promise<WholeReading | null> {
  const items: IncomingItem[] = [];
  const ignored: IcsProblem[] = [];
  for (;;) {
    await pause();
    const received: { readonly message: ReadPart } | undefined = receiveMessageOnPort(parts);
    const part = received?.message;
    switch (part?.kind) {
      case "items":
        for (const item of part.items) items.push(itemOfPlain(item));
        break;
      case "ignored":
        ignored.push(...part.faults);
        break;
      case "file":
        return { file: ok({ ...part.head, items, ignored }) };
      case "file-faults":
        return { file: fail(part.faults) };
      case "object":
        return { object: ok({ ...itemOfPlain(part.item), isMended: part.isMended }) };
      case "object-fault":
        return { object: fail(part.fault) };
      case undefined:
        return null;
    }
  }
}
