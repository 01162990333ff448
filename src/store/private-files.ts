import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** A file or folder that others than its owner may look into. */
export interface OpenPlace {
  readonly path: string;
  /** As `ls` and `chmod` know it, such as `0644`. */
  readonly mode: string;
}

const others = 0o077;
const sticky = 0o1000;

/** Makes a folder when it is missing, and closes it as `closeFolder` does. Throws when the disk refuses. */
export function keepFolderPrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeFolder(folder);
}

/** Keeps a folder, if it is there, and the files in it from everybody but their owner, as far as they are ours. */
export function closeFolder(folder: string): void {
  const [own, ...inside] = placesIn(folder);
  // A folder that all may use, such as /tmp, must stay one.
  if (!own || own.stats.mode & sticky) return;
  for (const place of [own, ...inside]) tighten(place);
}

/** Makes an empty file that only its owner reads before a library makes it with other rights; one that is there is kept so. */
export function keepFilePrivate(path: string): void {
  const present = placeAt(path);
  // One that is there is not opened: closing it would drop the locks that this process has on it.
  if (present) tighten(present);
  else closeSync(openSync(path, "ax", 0o600));
}

/** The file that stands where a folder would have to be, so that nothing can lie below it; null where there is none. */
export function fileAbove(path: string): string | null {
  const folder = dirname(path);
  if (folder === path) return null;
  const found = fileAbove(folder);
  if (found !== null) return found;
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false ? folder : null;
}

/** What others may look into of a folder and the files in it; nothing of a folder that is not there. */
export const openPlacesIn = (folder: string): readonly OpenPlace[] =>
  placesIn(folder)
    .filter(isOpen)
    .map(({ path, stats }) => ({
      path,
      mode: `0${(stats.mode & 0o7777).toString(8).padStart(3, "0")}`,
    }));

interface Place {
  readonly path: string;
  readonly stats: Stats;
}

/** The folder itself first. */
function placesIn(folder: string): readonly Place[] {
  const own = placeAt(folder);
  if (!own?.stats.isDirectory()) return [];
  return [own, ...namesIn(folder).flatMap((name) => placeAt(join(folder, name)) ?? [])];
}

/** None of a folder that cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Links are not followed: what they name is somewhere else, and not kept here. Null for them, and for what is not there. */
function placeAt(path: string): Place | null {
  const stats = fileAbove(path) === null ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
  return stats?.isFile() || stats?.isDirectory() ? { path, stats } : null;
}

const isOpen = ({ stats }: Place): boolean => (stats.mode & others) !== 0;

function tighten(place: Place): void {
  if (!isOpen(place)) return;
  try {
    chmodSync(place.path, place.stats.mode & 0o700);
  } catch {
    // Somebody else's file, or a disk without rights: `doctor` tells of it.
  }
}
