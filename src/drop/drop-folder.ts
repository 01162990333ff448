import { createHash } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, extname, join } from "node:path";
import { fail, ok, type Result } from "../domain/result.ts";

/** A calendar file that lies in the folder. */
export interface DroppedFile {
  /** Relative to the folder, with forward slashes: `2001/3001/plan.ics`. */
  readonly path: string;
  readonly size: number;
  readonly changedAt: Temporal.Instant;
  /** Size and time of change: another one means that the file was written in between. */
  readonly look: string;
}

/** Where a file is to be put once it was dealt with. */
interface PutAway {
  readonly path: string;
  /** From `placeFor`. */
  readonly target: string;
  /** Stands beside the file as `<target>.report.txt`. */
  readonly report: string;
}

/** The watched folder: calendar files come in, and leave for `done/` or `refused/` with a report. */
export interface DropFolder {
  /** Makes what is missing of the folders. Fails with a sentence where files could not be moved. */
  prepare(): Result<void, string>;
  /** Every calendar file but those put away, by path; links and hidden files are none. Fails with a sentence. */
  files(): Result<readonly DroppedFile[], string>;
  /** Fails with a sentence, also when the file has more than `most` bytes. */
  read(path: string, most: number): Result<Uint8Array, string>;
  /** A free place: the same path in the subfolder, with the time in the name when that is taken. */
  placeFor(path: string, subfolder: DropSubfolder, at: Temporal.Instant): string;
  /** Moves the file and writes its report; a second time does no harm. Throws when the disk refuses. */
  putAway(file: PutAway): void;
}

export type DropSubfolder = "done" | "refused";

const subfolders: readonly DropSubfolder[] = ["done", "refused"];
const deepest = 5;

export function createDropFolder(root: string): DropFolder {
  return {
    prepare: () => attempt(() => prepare(root)),
    files: () => attempt(() => listFiles(root, "", 0)),
    read: (path, most) =>
      attempt(() => {
        checkFolders(root, dirname(path));
        return readRegular(join(root, path), most);
      }),
    placeFor(path, subfolder, at) {
      const place = `${subfolder}/${path}`;
      if (isFree(root, place)) return place;
      const stamp = at.toString({ smallestUnit: "second" }).replace(/[-:]/g, "");
      const ending = extname(place);
      const stem = `${place.slice(0, place.length - ending.length)}.${stamp}`;
      let [candidate, count] = [`${stem}${ending}`, 1];
      while (!isFree(root, candidate)) candidate = `${stem}-${++count}${ending}`;
      return candidate;
    },
    putAway({ path, target, report }) {
      const [source, destination] = [join(root, path), join(root, target)];
      checkFolders(root, dirname(target));
      mkdirSync(dirname(destination), { recursive: true, mode: 0o700 });
      if (!isThere(destination)) {
        if (!isThere(source)) return;
        renameSync(source, destination);
      }
      // Whoever waits for the report reads all of it or nothing.
      const told = `${destination}${reportEnding}`;
      // What lies there of an earlier try may be a link to somewhere else.
      rmSync(`${told}.part`, { force: true });
      writeFileSync(`${told}.part`, report, { mode: 0o600, flag: "wx" });
      renameSync(`${told}.part`, told);
    },
  };
}

/** Whether a name is one of a finished calendar file; others may lie in the folder and are left alone. */
export const isCalendarName = (name: string): boolean =>
  /\.ics$/i.test(name) && !name.startsWith(".");

/** A file's look and content in one text: equal only when it is the same file, unchanged. */
export function stampOf({ look }: DroppedFile, bytes: Uint8Array | null): string {
  const content = bytes === null ? "unread" : createHash("sha256").update(bytes).digest("hex");
  return `${look} ${content}`;
}

const reportEnding = ".report.txt";

function prepare(root: string): void {
  for (const subfolder of ["", ...subfolders]) {
    const folder = join(root, subfolder);
    checkFolders(root, subfolder);
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  }
}

/**
 * Throws when the folder, or one on the way to it from the root, is a link: whoever may drop files could have others
 * written or read through it.
 */
function checkFolders(root: string, folder: string): void {
  const steps = folder.split("/").filter((step) => step !== "" && step !== ".");
  const paths = [root, ...steps.map((_, at) => join(root, ...steps.slice(0, at + 1)))];
  const link = paths.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link !== undefined) throw new UnreadableError(`${link} is a link: a folder is needed`);
}

function listFiles(root: string, folder: string, depth: number): readonly DroppedFile[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        const skipped =
          entry.name.startsWith(".") || (depth === 0 && subfolders.some((it) => it === entry.name));
        return skipped || depth === deepest ? [] : listFiles(root, path, depth + 1);
      }
      if (!entry.isFile() || !isCalendarName(entry.name)) return [];
      const stats = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false });
      if (!stats) return [];
      const changedAt = new Temporal.Instant(stats.mtimeNs);
      const size = Number(stats.size);
      return [{ path, size, changedAt, look: `${size} ${changedAt.toString()}` }];
    });
}

/** A file that turned into a link since it was listed is not followed. */
function readRegular(path: string, most: number): Uint8Array {
  // What turned into a pipe is not waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = openSync(path, flags);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new UnreadableError("it is no file any more");
    const { size } = stats;
    if (size > most) {
      throw new UnreadableError(`the file has ${size} bytes, more than the ${most} allowed`);
    }
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A reason of our own why a file is not read. */
class UnreadableError extends Error {
  override readonly name = "UnreadableError";
}

const isFree = (root: string, place: string): boolean =>
  !isThere(join(root, place)) && !isThere(join(root, `${place}${reportEnding}`));

/** Also a link that leads nowhere is there. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function attempt<Value>(act: () => Value): Result<Value, string> {
  try {
    return ok(act());
  } catch (error) {
    return fail(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UnreadableError) return error.message;
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "ENOENT":
      return "it is not there (any more)";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "EROFS":
      return "the disk is read-only";
    case "ENOSPC":
      return "the disk is full";
    case "EEXIST":
    case "ENOTDIR":
      return "a file stands where a folder is needed";
    default:
      return typeof code === "string" ? code : String(error);
  }
}
