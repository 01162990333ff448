import { basename, relative } from "node:path";
import { watch } from "chokidar";
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
  return { close: () => watcher.close() };
}
