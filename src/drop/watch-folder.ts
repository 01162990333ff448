import { basename, relative } from "node:path";
import { isCalendarName } from "./drop-folder.ts";

type FolderWatch = ReturnType<typeof watchFolder>;

/**
 * Calls back when a calendar file in the folder was written and is stable. It only saves waiting for the next scan, as not
 * every file system reports changes.
 */
export function watchFolder({
  folder,
  onArrival,
}: {
  readonly folder: string;
  readonly onArrival: () => void;
}) {
  const opened = open(folder, onArrival);
  return { close: async (): Promise<void> => (await opened).close() };
}

/** Loaded on demand, as most daemons have no such folder. */
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
  // The next scan of the folder finds and reports the same error.
  watcher.on("error", () => {});
  return watcher;
}
