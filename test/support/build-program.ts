import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("../..", import.meta.url));
const web = `${root}/web`;

/** Builds the files for browsers, and the daemon that tests start, if their sources are newer: once before any test. */
export default async function setup(): Promise<void> {
  if (isWebOld()) await build({ root: web });
  if (isDaemonOld()) execFileSync(process.execPath, [`${root}/scripts/bundle.ts`]);
}

function isWebOld(): boolean {
  const manifest = `${root}/dist/web/manifest.json`;
  const builtMs = existsSync(manifest) ? statSync(manifest).mtimeMs : 0;
  return readdirSync(web).some((name) => statSync(`${web}/${name}`).mtimeMs > builtMs);
}

function isDaemonOld(): boolean {
  const kept = `${root}/dist/daemon/stamp`;
  const stamp = execFileSync("sh", [`${root}/bin/stamp.sh`], { encoding: "utf8" });
  return !existsSync(kept) || readFileSync(kept, "utf8") !== stamp;
}
