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

/** A calendar file in the folder. */
export interface DroppedFile {
  /** Relative to the folder, with forward slashes: `2001/3001/plan.ics`. */
  readonly path: string;
  readonly size: number;
  readonly changedAt: Temporal.Instant;
  /** Size and modification time, to detect that the file was written in between. */
  readonly look: string;
}

/** Where a processed file is moved to. */
interface PutAway {
  readonly path: string;
  /** From `placeFor`. */
  readonly target: string;
  /** Written beside the file as `<target>.report.txt`. */
  readonly report: string;
}

/** The watched folder: calendar files come in and are moved to `done/` or `refused/` with a report. */
export type DropFolder = ReturnType<typeof createDropFolder>;

export type DropSubfolder = "done" | "refused";

const subfolders: readonly DropSubfolder[] = ["done", "refused"];
const deepest = 5;

export function createDropFolder(root: string) {
  return {
    /** Creates missing folders. Fails with a sentence if files could not be moved. */
    prepare: (): Result<void, string> => attempt(() => prepare(root)),
    /** Every calendar file except processed ones, by path; no symbolic links or hidden files. Fails with a sentence. */
    files: (): Result<readonly DroppedFile[], string> => attempt(() => listFiles(root, "", 0)),
    /** Fails with a sentence, also if the file has more than `most` bytes. */
    read: (path: string, most: number): Result<Uint8Array, string> =>
      attempt(() => {
        checkFolders(root, dirname(path));
        return readRegular(join(root, path), most);
      }),
    /** A free path: the same path in the subfolder, with the time in the name if that is taken. */
    placeFor(path: string, subfolder: DropSubfolder, at: Temporal.Instant): string {
      const place = `${subfolder}/${path}`;
      if (isFree(root, place)) return place;
      const stamp = at.toString({ smallestUnit: "second" }).replace(/[-:]/g, "");
      const ending = extname(place);
      const stem = `${place.slice(0, place.length - ending.length)}.${stamp}`;
      let [candidate, count] = [`${stem}${ending}`, 1];
      while (!isFree(root, candidate)) candidate = `${stem}-${++count}${ending}`;
      return candidate;
    },
    /** Moves the file and writes its report; repeating it does no harm. Throws if the disk refuses. */
    putAway({ path, target, report }: PutAway): void {
      const [source, destination] = [join(root, path), join(root, target)];
      checkFolders(root, dirname(target));
      mkdirSync(dirname(destination), { recursive: true, mode: 0o700 });
      if (!isThere(destination)) {
        if (!isThere(source)) return;
        renameSync(source, destination);
      }
      // Written atomically, so that readers get all of it or nothing.
      const reportPath = `${destination}${reportEnding}`;
      // A leftover of an earlier try may be a link to somewhere else.
      rmSync(`${reportPath}.part`, { force: true });
      writeFileSync(`${reportPath}.part`, report, { mode: 0o600, flag: "wx" });
      renameSync(`${reportPath}.part`, reportPath);
    },
  };
}

/** True for the name of a finished calendar file. Other files may be in the folder and are ignored. */
export const isCalendarName = (name: string): boolean =>
  /\.ics$/i.test(name) && !name.startsWith(".");

/** A file's metadata and content in one text: equal only for the same, unchanged file. */
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
 * Throws if the folder, or one on the way to it from the root, is a symbolic link: whoever may add files could make others be
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

/** A file that was replaced by a symbolic link since is not followed. */
function readRegular(path: string, most: number): Uint8Array {
  // A file that was replaced by a pipe would block.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = openSync(path, flags);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new UnreadableError("it is no longer a file");
    const { size } = stats;
    if (size > most) {
      throw new UnreadableError(`the file has ${size} bytes, more than the ${most} allowed`);
    }
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Our own reason not to read a file. */
class UnreadableError extends Error {
  override readonly name = "UnreadableError";
}

const isFree = (root: string, place: string): boolean =>
  !isThere(join(root, place)) && !isThere(join(root, `${place}${reportEnding}`));

/** A dangling symbolic link counts as existing. */
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
      return "it does not exist (any more)";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "EROFS":
      return "the disk is read-only";
    case "ENOSPC":
      return "the disk is full";
    case "EEXIST":
    case "ENOTDIR":
      return "there is a file in place of a folder";
    default:
      return typeof code === "string" ? code : String(error);
  }
}
