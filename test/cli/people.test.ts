import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, install } from "../support/dayferry.ts";
import { command as commandHere, serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

// People and their app passwords from the command line: alone, and beside a daemon.

let sandbox: Sandbox;
let installation: Installation;
let daemon: Awaited<ReturnType<typeof serveHere>> | null = null;

beforeAll(async () => {
  sandbox = await testSandbox();
  installation = install(sandbox, {
    people: [{ id: owner(), email: "Owner@example.com", calendars: "read", apiKey: "key" }],
  });
  await command("sync");
});
afterAll(async () => {
  await daemon?.stop();
  installation.dispose();
  await sandbox.close();
});

const owner = () => ownerOf(sandbox);
const command = (...args: readonly (string | number)[]) =>
  commandHere(args.map(String), { installation, daemon });

async function json(...args: readonly (string | number)[]): Promise<unknown> {
  const { code, stdout, stderr } = await command(...args, "--json");
  if (code !== 0) throw new Error(`${code}: ${stderr}`);
  return JSON.parse(stdout);
}

async function walk(): Promise<void> {
  expect(await json("people", "list")).toContainEqual(
    expect.objectContaining({
      id: owner(),
      login: "Owner@example.com",
      calendars: "read",
      hasPassword: false,
      hasOwnKey: true,
    }),
  );
  const set = await command("people", "set-password", owner());
  expect(set.code).toBe(0);
  expect(set.stdout).toMatch(/User name +Owner@example\.com\n/);
  expect(set.stdout).toMatch(/Password +(?:[0-9a-z]{4}-){6}[0-9a-z]{2}\n/);
  expect(set.stdout).toMatch(/Server +http:\/\/[^\n]+\/dav\/\n/);
  expect(await json("people", "set-password", owner())).toMatchObject({
    id: owner(),
    hasPassword: true,
    login: "Owner@example.com",
    url: expect.stringMatching(/\/dav\/$/),
  });
  const listed = await command("people", "list");
  expect(listed.stdout).toMatch(/Owner@example\.com +read +set +yes/);
  expect(listed.stdout).not.toMatch(/(?:[0-9a-z]{4}-){6}/);

  expect((await command("people", "clear-password", owner())).code).toBe(0);
  const again = await command("people", "clear-password", owner());
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("no app password") });
  const unknown = await command("people", "set-password", 999_999);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("no person 999999") });
  expect((await command("people", "set-password", "ana")).code).toBe(2);
}

describe("people", () => {
  it("lists people, sets and clears passwords without a daemon", walk);

  it("does so through the daemon that locks the data directory", async () => {
    daemon = await serveHere(installation);
    await walk();
  });
});
