import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of Chromium, or null without one. CHROMIUM names another one. */
export const chromiumPath: string | null = findProgram(process.env["CHROMIUM"] ?? null, [
  "chromium",
  "chromium-browser",
  "google-chrome",
]);

function findProgram(named: string | null, names: readonly string[]): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const paths = [
    ...(named === null ? [] : [named]),
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
  ];
  return paths.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
