import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/store/store.ts";
import { program } from "../support/dayferry.ts";
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
  return { child, ended, said: text(child.stderr), scratch };
}

it("sql ends quietly if its reader stops, as behind `| head`", async () => {
  const { child, ended, said, scratch } = sql(endless, "--format", "csv", "--limit", "100000000");
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.destroy();
  expect([await ended, await said]).toEqual([0, ""]);
  expect(readdirSync(scratch)).toEqual([]);
});

it("sql leaves no files behind if a query is stopped", async () => {
  const { ended, said, scratch } = sql(`SELECT count(*) FROM (${endless})`, "--timeout", "PT1S");
  expect([await ended, await said]).toEqual([1, expect.stringContaining("longer than PT1S")]);
  expect(readdirSync(scratch)).toEqual([]);
});

it("sql writes csv with a byte order mark on request", async () => {
  const { child, ended } = sql("SELECT 1 AS one", "--format", "csv", "--bom");
  const printed = (await buffer(child.stdout)).toString();
  expect([printed, await ended]).toEqual(["\ufeffone\r\n1\r\n", 0]);
});
