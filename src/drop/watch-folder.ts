import { basename, relative } from "node:path";
import { isCalendarName } from "./drop-folder.ts";

interface FolderWatch {
  close(): Promise<void>;
}

/**
 * Tells when a calendar file in the folder has been written and lies still. It only spares the wait for the next look
 * at the folder: not every file system reports changes.
 */
export function watchFolder({
  folder,
  onArrival,
}: {
  readonly folder: string;
  readonly onArrival: () => void;
}): FolderWatch {
  const opened = open(folder, onArrival);
  return { close: async () => (await opened).close() };
}

/** The watching is loaded here, as most daemons have no such folder. */
async function open(folder: string, onArrival: () => void): Promise<FolderWatch> {
  const { watch } = await import("chokidar");
  const watcher = watch(folder, {
    awaitWriteFinish: { stabilityThreshold: 300, pollInterval: 50 },
    followSymlinks: false,
    ignored: (path, stats) =>
      /^(?:done|refused)$/.test(relative(folder, path)) ||
      (stats?.isFile() === true && !isCalendarName(basename(path))),
  });
  watcher.on("add", onArrival);
  watcher.on("change", onArrival);
  // Whoever looks at the folder finds the same fault and reports it.
  watcher.on("error", () => {});
  return watcher;
}
