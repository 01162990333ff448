import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { fail, ok, type Result } from "../domain/result.ts";
import { startTimer, type Timer } from "../runtime.ts";
import type { Rendered, RenderFailure, RenderOptions } from "./render-report.ts";

/** Renders reports beside the daemon. */
export interface ReportProcesses {
  /** Starts a process ahead, as somebody is looking at reports; it ends when nobody has for a minute. */
  prepare(): void;
  /**
   * Waits for its turn, then works in a process of its own. Rejects when that one breaks or `signal` aborts; a body that is there by
   * then ends with it.
   */
  render(
    options: RenderOptions,
    signal: AbortSignal,
  ): Promise<Result<ProcessReport, RenderFailure>>;
}

/** A report as it is told ahead of its text. */
export type ReportHead = Omit<Rendered, "text">;

/** A rendered report, whose text another process has written. */
interface ProcessReport extends ReportHead {
  /** Its octets. */
  readonly body: Readable;
  /** How many they are. */
  readonly bytes: number;
}

/** What a process is given on its standard input, as JSON. */
export type ReportTask = Omit<RenderOptions, "now"> & { readonly now: string };

/** For how long a process waits for the next report of somebody who looks at them. */
const spareStays = Temporal.Duration.from({ minutes: 1 });

/**
 * Where reports are worked out: each in a process, one after another, so that many at once cannot take all memory. What one has
 * taken is given back as it ends, which a thread of the daemon's own would keep in the heap that all threads share. A process
 * takes a third of a second to start: while somebody looks at reports, the next one is started ahead. When `signal` aborts, none is
 * left.
 */
export function createReportProcesses({
  signal: stop,
}: {
  readonly signal: AbortSignal;
}): ReportProcesses {
  let last: Promise<unknown> = Promise.resolve();
  let spare: Spare | null = null;

  function dropSpare(): void {
    const dropped = spare;
    spare = null;
    if (!dropped) return;
    dropped.timer.cancel();
    void endSpare(dropped);
  }
  stop.addEventListener("abort", dropSpare, { once: true });
  const dropLater = () =>
    startTimer(spareStays.total("milliseconds"), dropSpare, { holdsProcess: false });

  /** What was started ahead, unless it has ended meanwhile. */
  async function takeProcess(): Promise<ReportProcess> {
    const taken = spare;
    spare = null;
    if (!taken) return startProcess();
    taken.timer.cancel();
    const process = await taken.starting;
    if (!process.hasEnded()) return process;
    await process.end();
    return startProcess();
  }

  return {
    prepare() {
      if (stop.aborted) return;
      if (spare) {
        spare.timer.cancel();
        spare = { ...spare, timer: dropLater() };
        return;
      }
      const starting = startProcess();
      // Whoever takes it is told why there is none.
      starting.then((process) => process.stay()).catch(() => undefined);
      spare = { starting, timer: dropLater() };
    },
    render(options, signal) {
      const turn = last.then(async () => {
        signal.throwIfAborted();
        return askProcess(await takeProcess(), { options, signal });
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** A process that was started ahead, and what ends it when nobody needs it. */
interface Spare {
  readonly starting: Promise<ReportProcess>;
  readonly timer: Timer;
}

async function endSpare({ starting }: Spare): Promise<void> {
  const process = await starting.catch(() => null);
  await process?.end();
}

/** Octets of the line ahead of a report, at most: a media type, a file's name and a sentence. */
const longestHead = 65_536;

const script = fileURLToPath(new URL("./report-child.ts", import.meta.url));

/** One that has loaded what reports need, and waits for its task. */
interface ReportProcess {
  readonly child: ChildProcess;
  /** Where it writes. */
  readonly written: FileHandle;
  /** All that it says on standard error, and its code, once it has ended. */
  readonly ending: Promise<readonly [said: string, code: number | null]>;
  hasEnded(): boolean;
  /** Does not keep this process from ending while nothing is asked. */
  stay(): void;
  /** Gives it up before anything was asked. */
  end(): Promise<void>;
}

async function startProcess(): Promise<ReportProcess> {
  const written = await openNamelessFile();
  try {
    const child = spawn(process.execPath, [script], { stdio: ["pipe", written.fd, "pipe"] });
    const { stdin, stderr } = child;
    if (!stdin || !stderr) throw new Error("the process of the report has no pipes");
    // A child that has ended early has said why.
    stdin.on("error", () => undefined);
    const ending = Promise.all([text(stderr), once(child, "close")]).then(
      ([said, [code]]): readonly [string, number | null] => [said, code],
    );
    // It is looked at by whoever asks for a report.
    ending.catch(() => undefined);
    return {
      child,
      written,
      ending,
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      stay() {
        child.unref();
        for (const pipe of [stdin, stderr]) if (pipe instanceof Socket) pipe.unref();
      },
      async end() {
        child.kill("SIGKILL");
        await ending.catch(() => undefined);
        await written.close();
      },
    };
  } catch (error) {
    await written.close();
    throw error;
  }
}

async function askProcess(
  { child, written, ending }: ReportProcess,
  { options, signal }: { readonly options: RenderOptions; readonly signal: AbortSignal },
): Promise<Result<ProcessReport, RenderFailure>> {
  const { now, ...rest } = options;
  const task: ReportTask = { ...rest, now: now.toString() };
  const stop = () => void child.kill("SIGKILL");
  try {
    signal.addEventListener("abort", stop, { once: true });
    try {
      child.ref();
      child.stdin?.end(JSON.stringify(task));
      const [said, code] = await ending;
      signal.throwIfAborted();
      if (code !== 0) throw new ReportProcessError(code, said);
    } finally {
      signal.removeEventListener("abort", stop);
    }
    return await readAnswer(written, signal);
  } catch (error) {
    await written.close();
    throw error;
  }
}

/**
 * A file that nobody else can open and that goes when it is closed. What a report says waits there for its reader: all rows of
 * a large workspace would take more memory than everything else, and a slow reader would keep the next report waiting.
 */
async function openNamelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "dayferry-report-"));
  try {
    return await open(join(folder, "text"), "wx+", 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A line of JSON, and behind it the report where there is one. */
async function readAnswer(
  written: FileHandle,
  signal: AbortSignal,
): Promise<Result<ProcessReport, RenderFailure>> {
  const { bytesRead, buffer } = await written.read(Buffer.alloc(longestHead), { position: 0 });
  const end = buffer.subarray(0, bytesRead).indexOf("\n");
  const head: Result<ReportHead, RenderFailure> = JSON.parse(buffer.toString("utf8", 0, end));
  if (!head.ok) {
    await written.close();
    return fail(head.failure);
  }
  const { size } = await written.stat();
  signal.throwIfAborted();
  const body = written.createReadStream({ start: end + 1 });
  // Nobody reads it to its end who is gone, and a file that is left open ends the daemon.
  signal.addEventListener("abort", () => void body.destroy(), { once: true });
  return ok({ ...head.value, body, bytes: size - end - 1 });
}

/** Thrown when the process of a report ends without an answer. */
class ReportProcessError extends Error {
  override readonly name = "ReportProcessError";
  constructor(code: number | null, said: string) {
    super(`the process of the report ended with ${code} and without an answer: ${said.trim()}`);
  }
}
