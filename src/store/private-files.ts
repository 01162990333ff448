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

/** A file or folder readable by others than its owner. */
export interface OpenPlace {
  readonly path: string;
  /** As `ls` and `chmod` write it, such as `0644`. */
  readonly mode: string;
}

const others = 0o077;
const sticky = 0o1000;

/** Creates a folder if missing, and restricts it as `closeFolder` does. Throws if the disk refuses. */
export function keepFolderPrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeFolder(folder);
}

/** Restricts a folder and its files to their owner, if they are ours. */
export function closeFolder(folder: string): void {
  const [own, ...inside] = placesIn(folder);
  // A shared folder, such as /tmp, must stay shared.
  if (!own || own.stats.mode & sticky) return;
  for (const place of [own, ...inside]) tighten(place);
}

/**
 * Creates an empty file readable only by its owner before a library creates it with other permissions; restricts an existing
 * one.
 */
export function keepFilePrivate(path: string): void {
  const present = placeAt(path);
  // An existing file is not opened: closing it would drop this process's locks on it.
  if (present) tighten(present);
  else closeSync(openSync(path, "ax", 0o600));
}

/** The file in place of a parent folder, so that nothing can be created below it; null if none. */
export function fileAbove(path: string): string | null {
  const folder = dirname(path);
  if (folder === path) return null;
  const found = fileAbove(folder);
  if (found !== null) return found;
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false ? folder : null;
}

/** What others can read of a folder and its files; empty if the folder does not exist. */
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

/** Empty if the folder cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Symbolic links are not followed, as they point elsewhere. Null for them, and if nothing is there. */
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
    // Someone else's file, or a disk without permissions: `doctor` reports it.
  }
}
