import { lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Names the configuration of the demo that this user runs; others cannot write it. */
const placeOfDemo = ({ XDG_RUNTIME_DIR: folder }: Environment): string =>
  join(folder || tmpdir(), `dayferry-demo-${userInfo().uid}`);

/** The configuration file of this user's running demo, so that commands need no `--config`; null if none runs. */
export function runningDemo(env: Environment): string | null {
  try {
    const place = placeOfDemo(env);
    const { uid, mode } = lstatSync(place);
    if (uid !== userInfo().uid || (mode & 0o777) !== 0o600) return null;
    const file = readFileSync(place, "utf8").trim();
    lstatSync(file);
    return file;
  } catch {
    // None runs, or its folder is gone.
    return null;
  }
}

/** Records the demo's configuration until the returned function is called. */
export function recordDemo(configFile: string, env: Environment): () => void {
  const place = placeOfDemo(env);
  try {
    rmSync(place, { force: true });
    writeFileSync(place, `${configFile}\n`, { mode: 0o600, flag: "wx" });
  } catch {
    // Commands need `--config` then.
  }
  return () => {
    // Another demo may have replaced it.
    if (runningDemo(env) === configFile) rmSync(place, { force: true });
  };
}
