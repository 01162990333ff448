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

/** Renders reports outside the daemon's process. */
export type ReportProcesses = ReturnType<typeof createReportProcesses>;

/** Reports of one database. */
export interface ReportServer {
  /** Starts a process in advance while somebody is looking at reports. */
  readonly prepare: () => void;
  /** Renders a report as of now. Rejects if `signal` aborts. */
  readonly render: (
    wish: Pick<RenderOptions, "request" | "format" | "viewer" | "language">,
    signal: AbortSignal,
  ) => Promise<Result<ProcessReport, RenderFailure>>;
}

/** Reports of one database. `file`: its path. `zone`: time zone of the account. */
export const reportServer = (
  processes: ReportProcesses,
  about: {
    readonly file: string;
    readonly zone: string;
    readonly clock: () => Temporal.Instant;
  },
): ReportServer => ({
  prepare: () => processes.prepare(),
  render(wish, signal) {
    const { file, zone, clock } = about;
    return processes.render({ file, zone, now: clock(), ...wish }, signal);
  },
});

/** A report's metadata, which come before its text. */
export type ReportHead = Omit<Rendered, "text">;

/** A rendered report whose text is in a file. */
interface ProcessReport extends ReportHead {
  /** The content. */
  readonly body: Readable;
  /** Its size in bytes. */
  readonly bytes: number;
}

/** What a process reads from standard input, as JSON. */
export type ReportTask = Omit<RenderOptions, "now"> & { readonly now: string };

/** How long a spare process waits for the next report. */
const spareStays = Temporal.Duration.from({ minutes: 1 });

/**
 * Renders each report in its own process, one after another, so that many at once cannot use all memory. Its memory is freed
 * when it ends, while the daemon would keep that of a worker thread. A process takes a third of a second to start, so the next
 * one is started in advance while somebody looks at reports. All processes end when `signal` aborts.
 */
export function createReportProcesses({ signal: stop }: { readonly signal: AbortSignal }) {
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

  /** The process that was started in advance, unless it has ended in the meantime. */
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
    /** Starts a process in advance while somebody is looking at reports; it ends after an idle minute. */
    prepare(): void {
      if (stop.aborted) return;
      if (spare) {
        spare.timer.cancel();
        spare = { ...spare, timer: dropLater() };
        return;
      }
      const starting = startProcess();
      // The next report that uses the process receives the error.
      starting.then((process) => process.stay()).catch(() => undefined);
      spare = { starting, timer: dropLater() };
    },
    /**
     * Waits for its turn, then renders in a process of its own. Rejects if the process fails or `signal` aborts; aborting also
     * ends the body.
     */
    render(
      options: RenderOptions,
      signal: AbortSignal,
    ): Promise<Result<ProcessReport, RenderFailure>> {
      const turn = last.then(async () => {
        signal.throwIfAborted();
        return askProcess(await takeProcess(), options, signal);
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** A process that was started in advance, and the timer that ends it. */
interface Spare {
  readonly starting: Promise<ReportProcess>;
  readonly timer: Timer;
}

async function endSpare({ starting }: Spare): Promise<void> {
  const process = await starting.catch(() => null);
  await process?.end();
}

/** Limit of the metadata line in bytes: a media type, a file name and a sentence. */
const longestHead = 65_536;

const script = fileURLToPath(new URL("./report-child.ts", import.meta.url));

/** A process that has loaded the reports' code and waits for its task. */
interface ReportProcess {
  readonly child: ChildProcess;
  /** File it writes to. */
  readonly written: FileHandle;
  /** The text on its standard error and its exit code, when it has ended. */
  readonly ending: Promise<readonly [said: string, code: number | null]>;
  hasEnded(): boolean;
  /** Lets this process exit while no report is requested. */
  stay(): void;
  /** Ends the unused process. */
  end(): Promise<void>;
}

async function startProcess(): Promise<ReportProcess> {
  const written = await openNamelessFile();
  try {
    const child = spawn(process.execPath, [script], { stdio: ["pipe", written.fd, "pipe"] });
    const { stdin, stderr } = child;
    if (!stdin || !stderr) throw new Error("the process of the report has no pipes");
    // A child that ended early has reported why.
    stdin.on("error", () => undefined);
    const ending = Promise.all([text(stderr), once(child, "close")]).then(
      ([said, [code]]): readonly [string, number | null] => [said, code],
    );
    // The code that requests a report handles the error.
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
  options: RenderOptions,
  signal: AbortSignal,
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
 * A deleted file that only this process can read and that disappears when closed. It buffers the report for its reader: all
 * rows of a large workspace would take more memory than everything else, and a slow reader would block the next report.
 */
async function openNamelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "dayferry-report-"));
  try {
    return await open(join(folder, "text"), "wx+", 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A line of JSON, followed by the report if there is one. */
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
  // If the reader has left, the file would otherwise stay open and crash the daemon.
  signal.addEventListener("abort", () => void body.destroy(), { once: true });
  return ok({ ...head.value, body, bytes: size - end - 1 });
}

/** Thrown if a report's process ends without an answer. */
class ReportProcessError extends Error {
  override readonly name = "ReportProcessError";
  constructor(code: number | null, said: string) {
    super(`the process of the report ended with ${code} and without an answer: ${said.trim()}`);
  }
}
