import { chmodSync } from "node:fs";
import { cyrus } from "./rivals/cyrus.ts";
import { davical } from "./rivals/davical.ts";
import { startOwn } from "./rivals/own.ts";
import { type Ground, isThere, type Program, type Rival } from "./rivals/processes.ts";
import { radicale } from "./rivals/radicale.ts";
import { sogo } from "./rivals/sogo.ts";
import { xandikos } from "./rivals/xandikos.ts";

export type { Rival } from "./rivals/processes.ts";

const programs: readonly Program[] = [cyrus, radicale, xandikos, davical, sogo];

/** Starts every server that is installed; `missing` says why the others are not there. */
export async function startRivals(
  ground: Ground,
): Promise<{ readonly rivals: readonly Rival[]; readonly missing: readonly string[] }> {
  // Servers with a user of their own must be able to enter it.
  chmodSync(ground.folder, 0o755);
  const rivals = [...(await startOwn(ground))];
  const missing: string[] = [];
  for (const program of programs) {
    const reason = whyMissing(program);
    if (reason === null) rivals.push(await program.start(ground));
    else missing.push(`${program.name}: ${reason}`);
  }
  return { rivals, missing };
}

function whyMissing({ needs, asUser }: Program): string | null {
  const absent = needs.find((need) => !isThere(need));
  if (absent !== undefined) return `${absent} is not installed`;
  return asUser && process.getuid?.() !== 0 ? "only root can start it" : null;
}
