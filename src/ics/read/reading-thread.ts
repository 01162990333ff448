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
  type Sentence,
  sentence,
} from "@dayferry/ical";
import { fail, ok, type Result } from "../../domain/result.ts";
import { startTimer, type Timer } from "../../runtime.ts";

/** Parses long texts in a worker thread. */
export type ReadingThread = ReturnType<typeof createThread>;

/** What to parse: a file of edits or a calendar object. */
export interface LongRead {
  readonly kind: "file" | "object";
  readonly bytes: Uint8Array;
}

/** A message to the thread: a text, and the port for its parts. */
export interface LongText extends LongRead {
  readonly zone: string;
  readonly answer: MessagePort;
}

/** The thread's answers, in parts. For a valid file, `file` is the last one. */
export type ReadPart =
  | { readonly kind: "items"; readonly items: readonly PlainIncomingItem[] }
  | { readonly kind: "ignored"; readonly faults: readonly IcsProblem[] }
  | { readonly kind: "file"; readonly head: Omit<CalendarFile, "items" | "ignored"> }
  | { readonly kind: "file-faults"; readonly faults: readonly IcsProblem[] }
  | { readonly kind: "object"; readonly item: PlainIncomingItem; readonly isMended: boolean }
  | { readonly kind: "object-fault"; readonly fault: ObjectFault };

/** The parts put together. */
export interface WholeReading {
  readonly file?: Result<CalendarFile, readonly IcsProblem[]>;
  readonly object?: Result<IncomingObject, ObjectFault>;
}

export interface ThreadDeps {
  /** The account's IANA zone, for floating times. */
  readonly zone: string;
  /** Lets other work run between the parts of a long file. */
  readonly pause: () => Promise<void>;
  /** Time limit for parsing; a minute by default. */
  readonly timeout?: Temporal.Duration;
  /** The thread's memory limit in MB of 2^20 octets; 512 by default, twice what the longest accepted file takes. */
  readonly mostMb?: number;
}

const aMinute = Temporal.Duration.from({ minutes: 1 });
/** How long an idle thread waits for the next text, in milliseconds. It frees all of its memory. */
const idleMs = 5000;

/**
 * Parses one text after another in a thread that starts on demand and ends when idle. A text that takes too much time or memory
 * ends the thread and is refused.
 */
export function createThread(deps: ThreadDeps) {
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
      // The daemon's own flags do not apply.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: mostMb },
    });
    started.once("exit", () => {
      if (worker === started) worker = null;
    });
    // Late errors must not end the daemon.
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
    /** Null if the thread fails for another reason than the text's cost. */
    read(asked: LongRead): Promise<WholeReading | null> {
      const turn = last.then(() => readNow(asked));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** How parsing one text ended: `message` says why it was stopped. */
type Ending = "read" | "broken" | { readonly message: Sentence };

async function endingOf(worker: Worker, timeout: Temporal.Duration): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const seconds = timeout.total("seconds");
  const timer = startTimer(seconds * 1000, () =>
    resolve({ message: sentence("ical.tooSlow", { seconds }) }),
  );
  const onRead = () => resolve("read");
  const onError = (error: unknown) => {
    const isMemory = error instanceof Error && Reflect.get(error, "code") === memoryCode;
    resolve(isMemory ? { message: sentence("ical.tooMuchMemory") } : "broken");
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

const refusalOf = ({ message }: { readonly message: Sentence }): WholeReading => ({
  file: fail([{ line: null, uid: null, code: "too-costly", message }]),
  object: fail({ precondition: "valid-calendar-data", line: null, message }),
});

/** Null if the last part is missing. */
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
