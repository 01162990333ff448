import { setImmediate as nextTurn } from "node:timers/promises";
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
import type { IcsProblem } from "../../ics/ics-problem.ts";
import { largestFile } from "../../ics/lines/octets.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { InboxFile } from "../../store/rows/channel-rows.ts";
import type { Store } from "../../store/store.ts";
import type { Acceptance, EditRequest, Plan } from "../intake/accept.ts";
import { quote } from "../intake/part.ts";
import { describeFile, readAccepted } from "./plan-text.ts";

interface InboxDeps {
  /** For people. */
  readonly path: string;
  readonly folder: DropFolder;
  readonly store: Store;
  readonly accept: (request: EditRequest) => Acceptance;
  readonly clock: () => Temporal.Instant;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** Whether the workspace was read, now or in an earlier run: before that, everything would look unknown. */
  readonly known: () => boolean;
  readonly onEvent: (event: InboxEvent) => void;
}

/** `finished`: a file was dealt with and lies in its place. `unusable`: the folder; `problem` says why. */
export type InboxEvent =
  | { readonly kind: "finished"; readonly file: string; readonly target: string }
  | { readonly kind: "unusable"; readonly problem: string }
  | { readonly kind: "usable" };

export interface InboxState {
  readonly folder: string;
  /** Why nothing can be taken in at the moment; null when it can. */
  readonly problem: string | null;
  /** Files that lie there and are not dealt with yet. */
  readonly waiting: number;
  /** The last file of this run. */
  readonly last: (InboxPut & { readonly at: Temporal.Instant }) | null;
}

interface InboxPut {
  readonly file: string;
  readonly target: string;
}

/** The watched folder as a way in for edits. */
export interface Inbox {
  /** Looks once and deals with every file that lies still. */
  step(): Promise<"idle">;
  /** How long to wait for the next look. */
  rest(): Temporal.Duration;
  state(): InboxState;
}

/** A file that has not changed for so long has been written to its end. */
const settledAfterMs = 500;
/** One that is evidently cut may still be on its way: a slow copy pauses. */
const cutAfterMs = 10_000;
const cut: ReadonlySet<string> = new Set(["truncated", "empty"]);
const shortRest = Temporal.Duration.from({ milliseconds: 250 });
const longRest = Temporal.Duration.from({ seconds: 5 });

/**
 * Takes in the files of a folder as uploads are taken in. Every file ends in `done/`, or in `refused/` when nothing of
 * it could be accepted, with a report beside it. That a file was applied is kept in the transaction of its edits, so
 * that a crash before it is moved does not apply it again.
 */
export function createInbox(deps: InboxDeps): Inbox {
  const { folder, store, clock } = deps;
  const stillness = createStillness(deps.monotonic);
  let problem: string | null = null;
  let waiting = 0;
  let last: InboxState["last"] = null;

  function tell(found: string | null): void {
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

  /** A file that an earlier run, or a disk that refused, has left behind after its edits were stored. */
  function finishEarlier(earlier: InboxFile, files: readonly DroppedFile[]): void {
    const there = files.find(({ path }) => path === earlier.path);
    const isSame = !there || stampOf(there, contentOf(there, folder).bytes) === earlier.stamp;
    if (isSame) finish(earlier);
    else store.inboxFiles.remove(earlier.path);
  }

  /** False when the file is to wait. */
  function deal(file: DroppedFile, stillForMs: number): boolean {
    const { bytes, problem: unreadable } = contentOf(file, folder);
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
    const refuse = (errors: readonly IcsProblem[]) =>
      finish(keep({ kind: "refused", errors }, "refused"));

    const place = inboxPlace(path, store.directory);
    if (bytes === null) refuse([fault("unreadable", unreadable)]);
    else if (!place.ok) refuse([fault("unknown-folder", place.failure)]);
    else {
      const kept: InboxFile[] = [];
      const answer = deps.accept({
        ...requestFor(bytes, place.value),
        alongside: (plan) => void kept.push(keep(plan, isWorthless(plan) ? "refused" : "done")),
      });
      if (answer.kind === "refused") {
        if (isCut(answer) && stillForMs < cutAfterMs) return false;
        refuse(answer.errors);
      }
      kept.forEach(finish);
    }
    return true;
  }

  /** Runs one step of many; a disk that refuses it must not stop the others. Returns what went wrong. */
  function attempt(act: () => void): string | null {
    try {
      act();
      return null;
    } catch (error) {
      if (!isDiskFault(error)) throw error;
      return `a file of the inbox ${deps.path} cannot be put away (${error.code})`;
    }
  }

  return {
    async step() {
      const prepared = folder.prepare();
      const listed = prepared.ok ? folder.files() : prepared;
      if (!listed.ok) {
        tell(`the inbox ${deps.path} cannot be used: ${listed.failure}`);
        return "idle";
      }
      const files = listed.value;
      waiting = files.length;
      if (!deps.known()) return "idle";
      const faults = store.inboxFiles
        .all()
        .map((earlier) => attempt(() => finishEarlier(earlier, files)));
      const stuck = new Set(store.inboxFiles.all().map(({ path }) => path));
      for (const file of files.filter(({ path }) => !stuck.has(path))) {
        const stillForMs = stillness.of(file);
        if (stillForMs === null) continue;
        faults.push(
          attempt(() => {
            if (deal(file, stillForMs)) waiting--;
            else stillness.isCut(file);
          }),
        );
        await nextTurn();
      }
      stillness.keepOnly(files);
      tell(faults.find((found) => found !== null) ?? null);
      return "idle";
    },
    rest: () => (waiting > 0 && problem === null ? shortRest : longRest),
    state: () => ({ folder: deps.path, problem, waiting, last }),
  };
}

/** How long files have not changed, and which of them may be looked at. */
function createStillness(monotonic: () => number) {
  const seen = new Map<string, { readonly look: string; readonly since: number; cut: boolean }>();
  return {
    /** Milliseconds; null = it is too early to read the file. */
    of({ path, look }: DroppedFile): number | null {
      const known = seen.get(path);
      if (known?.look !== look) {
        seen.set(path, { look, since: monotonic(), cut: false });
        return null;
      }
      const still = monotonic() - known.since;
      return still < (known.cut ? cutAfterMs : settledAfterMs) ? null : still;
    },
    /** The file has turned out to end too early: it gets more time. */
    isCut({ path }: DroppedFile): void {
      const known = seen.get(path);
      if (known) known.cut = true;
    },
    keepOnly(files: readonly DroppedFile[]): void {
      const present = new Set(files.map(({ path }) => path));
      for (const path of seen.keys()) if (!present.has(path)) seen.delete(path);
    },
  };
}

const isCut = ({ errors }: Acceptance): boolean => errors.every(({ code }) => cut.has(code));

function contentOf(
  { path }: DroppedFile,
  folder: DropFolder,
): { readonly bytes: Uint8Array | null; readonly problem: string } {
  const read = folder.read(path, largestFile);
  return read.ok
    ? { bytes: read.value, problem: "" }
    : { bytes: null, problem: `the file cannot be read: ${read.failure}` };
}

function requestFor(bytes: Uint8Array, { projectId, listId }: InboxPlace) {
  return { bytes, channel: "inbox", actor: null, projectId, listId, dryRun: false } as const;
}

/** Whether nothing of the file was accepted and something was refused. */
function isWorthless({ items, errors }: Plan): boolean {
  return (
    errors.length > 0 && items.every(({ action }) => action === "refused" || action === "unchanged")
  );
}

const fault = (code: string, message: string): IcsProblem => ({
  line: null,
  uid: null,
  code,
  message,
});

const isDiskFault = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error;

/** Where new items of a file go; null = nowhere, as nobody said. */
interface InboxPlace {
  readonly projectId: ProjectId | null;
  readonly listId: ListId | null;
}

/**
 * What the folders of a file in the inbox say: `<project>/<todolist>/x.ics`, each by id or by name, the todolist and
 * both optional. Fails with a sentence for a folder that names nothing, or too much.
 */
function inboxPlace(path: string, directory: Directory): Result<InboxPlace, string> {
  const [project, list, ...deeper] = path.split("/").slice(0, -1);
  if (project === undefined) return ok({ projectId: null, listId: null });
  if (deeper.length > 0) {
    return fail("the folders may name a project and one of its todolists, and nothing below them");
  }
  const inProject = find(project, directory.projects(), "project");
  if (!inProject.ok) return inProject;
  const projectId = inProject.value;
  if (list === undefined) return ok({ projectId, listId: null });
  const lists = directory.todolists().filter((one) => one.projectId === projectId);
  const inList = find(list, lists, "todolist");
  return inList.ok ? ok({ projectId, listId: inList.value }) : inList;
}

function find<Id extends number>(
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
  if (!only)
    return fail(`the folder ${quote(folder)} names no ${what}: use its number or its name`);
  if (!other) return ok(only.id);
  const numbers = named.map(({ id }) => id).join(" and ");
  return fail(
    `the folder ${quote(folder)} names more than one ${what}: use the number, ${numbers}`,
  );
}
