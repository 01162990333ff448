import { largestFile } from "@dayferry/ical";
import { isId, type ListId, type ProjectId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { slugOf } from "../../domain/slug.ts";
import { shownText } from "../../domain/text.ts";
import {
  type DropFolder,
  type DroppedFile,
  type DropSubfolder,
  stampOf,
} from "../../drop/drop-folder.ts";
import {
  type CalendarReader,
  type FileReading,
  longestAtOnce,
} from "../../ics/read/calendar-reader.ts";
import type { FileProblem } from "../../ics/text/problem-in-words.ts";
import { nextTurn } from "../../runtime.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { InboxFile } from "../../store/rows/channel-rows.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import { stored } from "../../texts/stored.ts";
import type { AcceptFile } from "../intake/accept.ts";
import { type Acceptance, countEdits, type Plan } from "../intake/plan-answer.ts";
import { quote } from "../intake/plan-part.ts";
import { describeFile, readAccepted } from "./plan-text.ts";

interface InboxDeps {
  /** The folder, for messages. */
  readonly path: string;
  readonly folder: DropFolder;
  readonly store: Store;
  readonly acceptFile: AcceptFile;
  /** Files are parsed at once without it. */
  readonly reader?: CalendarReader;
  readonly clock: () => Temporal.Instant;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** True if the workspace was read, now or in an earlier run. Before that, everything would look unknown. */
  readonly known: () => boolean;
  readonly onEvent: (event: InboxEvent) => void;
}

/** `finished`: a file was processed and moved to `target`. `unusable`: the folder cannot be used; `problem` says why. */
export type InboxEvent =
  | { readonly kind: "finished"; readonly file: string; readonly target: string }
  | { readonly kind: "unusable"; readonly problem: string }
  | { readonly kind: "usable" };

export interface InboxState {
  readonly folder: string;
  /** Why no file can be processed now; null if files can. */
  readonly problem: string | null;
  /** Number of unprocessed files in the folder. */
  readonly waiting: number;
  /** The last file processed by this run. */
  readonly last: (FinishedFile & { readonly at: Temporal.Instant }) | null;
}

interface FinishedFile {
  readonly file: string;
  readonly target: string;
}

/** A file that has not changed for this long counts as complete. */
const stableAfterMs = 500;
/** A truncated file gets more time, as a slow copy may pause. */
const truncatedAfterMs = 10_000;

const activeInterval = Temporal.Duration.from({ milliseconds: 250 });
const idleInterval = Temporal.Duration.from({ seconds: 5 });

/**
 * Processes files of a folder like uploads. Every file is moved to `done/`, or to `refused/` if nothing could be accepted, with
 * a report beside it. The transaction of its edits also records that the file was applied, so that it is not applied again
 * after a crash.
 */
export function createInbox(deps: InboxDeps) {
  const { folder, store, clock } = deps;
  const stability = createStabilityWatch(deps.monotonic);
  let problem: string | null = null;
  let waiting = 0;
  let last: InboxState["last"] = null;

  function setProblem(found: string | null): void {
    if (found === problem) return;
    problem = found;
    deps.onEvent(found === null ? { kind: "usable" } : { kind: "unusable", problem: found });
  }

  function finish(file: InboxFile): void {
    folder.putAway(file);
    store.inboxFiles.remove(file.path);
    const put = { file: file.path, target: file.target };
    last = { ...put, at: clock() };
    deps.onEvent({ kind: "finished", ...put });
  }

  /** Moves a file left in the folder by a crash or a disk error after its edits were stored. */
  function finishEarlier(earlier: InboxFile, files: readonly DroppedFile[]): void {
    const there = files.find(({ path }) => path === earlier.path);
    const isSame = !there || stampOf(there, contentOf(there, folder).bytes) === earlier.stamp;
    if (isSame) finish(earlier);
    else store.inboxFiles.remove(earlier.path);
  }

  /** Parses a long file while others run; null for a short one, or if it cannot be read. */
  async function readAhead(file: DroppedFile): Promise<ReadAhead | null> {
    if (!deps.reader || file.size <= longestAtOnce) return null;
    const { bytes } = contentOf(file, folder);
    return bytes && { bytes, reading: await deps.reader.file(bytes) };
  }

  async function processFile(file: DroppedFile, stableForMs: number): Promise<Processed> {
    const ahead = await readAhead(file);
    const { bytes, problem: unreadable } = contentOf(file, folder);
    if (ahead && !(bytes && Buffer.compare(ahead.bytes, bytes) === 0)) return "changed";
    const { path } = file;
    const keep = (answer: Acceptance, subfolder: DropSubfolder): InboxFile => {
      const kept = {
        path,
        stamp: stampOf(file, bytes),
        target: folder.placeFor(path, subfolder, clock()),
        report: shownText(describeFile({ file: path, answer: readAccepted(answer) }, false)),
      };
      store.inboxFiles.add(kept);
      return kept;
    };
    const refuse = (errors: readonly FileProblem[]) =>
      finish(keep({ kind: "refused", errors }, "refused"));

    const place = inboxPlace(path, store.directory);
    if (bytes === null) refuse([fault("unreadable", unreadable)]);
    else if (!place.ok) refuse([fault("unknown-folder", place.failure)]);
    else {
      const kept: InboxFile[] = [];
      const answer = await deps.acceptFile({
        ...requestFor(bytes, place.value),
        ...(ahead && { read: ahead.reading }),
        alongside: (plan) => void kept.push(keep(plan, isWhollyRefused(plan) ? "refused" : "done")),
      });
      if (answer.kind === "refused") {
        if (isTruncated(answer) && stableForMs < truncatedAfterMs) return "truncated";
        refuse(answer.errors);
      }
      // It may have been overwritten meanwhile.
      for (const one of kept) finishEarlier(one, [file]);
    }
    return "done";
  }

  /** Runs one step of many. A disk error must not stop the others. Returns what went wrong. */
  async function attempt(act: () => Promise<void> | void): Promise<string | null> {
    try {
      await act();
      return null;
    } catch (error) {
      if (!isDiskFault(error)) throw error;
      return stored("problem.inbox.unmoved", { folder: deps.path, reason: error.code });
    }
  }

  return {
    /** Scans the folder once and processes every file that has stopped changing. */
    async step(): Promise<"idle"> {
      const prepared = folder.prepare();
      const listed = prepared.ok ? folder.files() : prepared;
      if (!listed.ok) {
        setProblem(stored("problem.inbox.unusable", { folder: deps.path, reason: listed.failure }));
        return "idle";
      }
      const files = listed.value;
      waiting = files.length;
      if (!deps.known()) return "idle";
      const faults: (string | null)[] = [];
      for (const earlier of store.inboxFiles.all()) {
        faults.push(await attempt(() => finishEarlier(earlier, files)));
      }
      const stuck = new Set(store.inboxFiles.all().map(({ path }) => path));
      for (const file of files.filter(({ path }) => !stuck.has(path))) {
        const stableForMs = stability.stableForMs(file);
        if (stableForMs === null) continue;
        faults.push(
          await attempt(async () => {
            const processed = await processFile(file, stableForMs);
            if (processed === "done") waiting--;
            if (processed === "truncated") stability.markTruncated(file);
          }),
        );
        await nextTurn();
      }
      stability.keepOnly(files);
      setProblem(faults.find((found) => found !== null) ?? null);
      return "idle";
    },
    /** How long to wait before the next step. */
    rest: (): Temporal.Duration =>
      waiting > 0 && problem === null ? activeInterval : idleInterval,
    state: (): InboxState => ({ folder: deps.path, problem, waiting, last }),
  };
}

/** `truncated`: the file waits for its end. `changed`: it was overwritten while it was read, and is examined again. */
type Processed = "done" | "truncated" | "changed";

/** A long file parsed in advance. */
interface ReadAhead {
  readonly bytes: Uint8Array;
  readonly reading: FileReading;
}

/** Measures how long files have not changed, to decide which may be read. */
function createStabilityWatch(monotonic: () => number) {
  const seen = new Map<
    string,
    { readonly look: string; readonly since: number; truncated: boolean }
  >();
  return {
    /** Milliseconds without a change; null if it is too early to read the file. */
    stableForMs({ path, look }: DroppedFile): number | null {
      const known = seen.get(path);
      if (known?.look !== look) {
        seen.set(path, { look, since: monotonic(), truncated: false });
        return null;
      }
      const stableFor = monotonic() - known.since;
      return stableFor < (known.truncated ? truncatedAfterMs : stableAfterMs) ? null : stableFor;
    },
    /** Gives a truncated file more time. */
    markTruncated({ path }: DroppedFile): void {
      const known = seen.get(path);
      if (known) known.truncated = true;
    },
    keepOnly(files: readonly DroppedFile[]): void {
      const present = new Set(files.map(({ path }) => path));
      for (const path of seen.keys()) if (!present.has(path)) seen.delete(path);
    },
  };
}

function contentOf(
  { path }: DroppedFile,
  folder: DropFolder,
): { readonly bytes: Uint8Array | null; readonly problem: string } {
  const read = folder.read(path, largestFile);
  return read.ok
    ? { bytes: read.value, problem: "" }
    : { bytes: null, problem: say("inbox.unreadable", { reason: read.failure }) };
}

/** The place for new items of a file; null if its folders name none. */
interface InboxPlace {
  readonly projectId: ProjectId | null;
  readonly listId: ListId | null;
}

/**
 * The place named by a file's folders: `<project>/<todolist>/x.ics`, each by id or name, the todolist and both optional. Fails
 * with a sentence for an unknown or superfluous folder.
 */
function inboxPlace(path: string, directory: Directory): Result<InboxPlace, string> {
  const [project, list, ...deeper] = path.split("/").slice(0, -1);
  if (project === undefined) return ok({ projectId: null, listId: null });
  if (deeper.length > 0) {
    return fail(say("inbox.tooDeep"));
  }
  const inProject = findByFolder(project, directory.projects(), "project");
  if (!inProject.ok) return inProject;
  const projectId = inProject.value;
  if (list === undefined) return ok({ projectId, listId: null });
  const lists = directory.todolists().filter((one) => one.projectId === projectId);
  const inList = findByFolder(list, lists, "todolist");
  return inList.ok ? ok({ projectId, listId: inList.value }) : inList;
}

function findByFolder<Id extends number>(
  folder: string,
  candidates: readonly { readonly id: Id; readonly title: string }[],
  what: "project" | "todolist",
): Result<Id, string> {
  const number = Number(folder);
  const byId = candidates.find(({ id }) => isId(number) && id === number);
  if (byId) return ok(byId.id);
  const name = slugOf(folder, "");
  const named = candidates.filter(({ title }) => name !== "" && slugOf(title, "") === name);
  const [only, other] = named;
  const isProject = what === "project";
  if (!only) {
    return fail(say(isProject ? "inbox.noProject" : "inbox.noList", { folder: quote(folder) }));
  }
  if (!other) return ok(only.id);
  const several = { folder: quote(folder), numbers: named.map(({ id }) => id).join(", ") };
  return fail(say(isProject ? "inbox.severalProjects" : "inbox.severalLists", several));
}

const fault = (code: string, message: string): FileProblem => ({
  line: null,
  uid: null,
  code,
  message,
});

function requestFor(bytes: Uint8Array, { projectId, listId }: InboxPlace) {
  return { bytes, channel: "inbox", actor: null, projectId, listId, dryRun: false } as const;
}

/** True if nothing of the file was accepted and something was refused. */
const isWhollyRefused = (plan: Plan): boolean => plan.errors.length > 0 && countEdits(plan) === 0;

const truncationCodes: ReadonlySet<string> = new Set(["truncated", "empty"]);

const isTruncated = ({ errors }: Acceptance): boolean =>
  errors.every(({ code }) => truncationCodes.has(code));

const isDiskFault = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error;
