import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/store/store.ts";
import { program } from "../support/dayferry.ts";
import { letPass } from "../support/eventually.ts";
import { handClock, migrations } from "../support/test-store.ts";

const folder = mkdtempSync(join(tmpdir(), "dayferry-test-"));
const database = join(folder, "dayferry.sqlite");
/** Endless rows of a hundred characters each. */
const endless = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT hex(zeroblob(50)) AS y FROM n`;

beforeAll(() => {
  const clock = handClock("2026-11-21T12:00:00Z");
  const options = { file: database, migrations, zone: "UTC", clock, randomId: () => "id" };
  openStore(options).close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command in a separate process, so that its standard output is a pipe that may be full or closed. */
function sql(query: string, ...options: readonly string[]) {
  const scratch = mkdtempSync(join(folder, "scratch-"));
  const args = [program, "sql", query, "--database", database, ...options];
  const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: scratch } });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended, said: text(child.stderr) };
}

it("sql waits for a slow reader, without counting that as query time", async () => {
  // 3 MB, more than all pipes together hold.
  const options = ["--format", "csv", "--limit", "30000", "--timeout", "PT10S"];
  const { child, ended, said } = sql(endless, ...options);
  let octets = 0;
  let isSlow = true;
  child.stdout.on("data", (piece: Buffer) => {
    octets += piece.length;
    if (!isSlow) return;
    isSlow = false;
    child.stdout.pause();
    void letPass(12_000).then(() => child.stdout.resume());
  });
  expect([await ended, await said]).toEqual([
    0,
    "only the first 30000 rows; --limit sets how many\n",
  ]);
  expect(octets).toBe(3 + 30_000 * 102);
});
