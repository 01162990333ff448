import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { type Ground, type Rival, rival, start } from "./processes.ts";

/** Dayferry with everything that a user has, and the minimal server with the disk writes of `synchronous` FULL and NORMAL. */
export async function startOwn(ground: Ground): Promise<readonly Rival[]> {
  return [
    await startScript("Dayferry", ground, "dayferry-server.ts"),
    await startScript("minimal, FULL", ground, "minimal-server.ts", "FULL"),
    await startScript("minimal, NORMAL", ground, "minimal-server.ts", "NORMAL"),
  ];
}

async function startScript(
  name: string,
  ground: Ground,
  script: string,
  ...args: readonly string[]
): Promise<Rival> {
  const place = join(ground.folder, name.replace(/\W+/g, "-"));
  const first = args.length > 0 ? `${place}.sqlite` : place;
  const path = join(import.meta.dirname, "..", script);
  const child = start(ground, {
    program: process.execPath,
    args: [path, first, ...args, String(ground.large)],
  });
  const large = name.startsWith("minimal") ? { large: "/large/" } : {};
  return rival(name, { child, address: { ...large, ...(await firstLine(child)) } });
}

/** What a script prints once it listens. */
function firstLine(child: ChildProcess): Promise<{ readonly port: number }> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`a server ended with ${code}: ${text}`)));
    child.stdout?.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text));
    });
  });
}
