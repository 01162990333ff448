import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { basic } from "../support/dav-server.ts";
import { install } from "../support/dayferry.ts";
import { command, serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

// The table of docs/security.md: each way to revoke a secret, done as written there.

async function installed() {
  const sandbox = await testSandbox();
  const installation = install(sandbox);
  onTestFinished(async () => {
    await sandbox.close();
    installation.dispose();
  });
  return { installation, person: ownerOf(sandbox) };
}

type Daemon = Awaited<ReturnType<typeof serveHere>>;

const statusOf = async (
  { url }: Daemon,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) => (await fetch(`${url}${path}`, { headers, redirect: "manual" })).status;

async function firstFeed({ url, adminToken }: Daemon): Promise<{ id: number; path: string }> {
  const answer = await fetch(`${url}/api/feeds`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  const [{ id, url: address }] = Object(await answer.json()).feeds;
  return { id, path: new URL(address).pathname };
}

async function logIn({ url }: Daemon, fields: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams(fields),
  });
  return answer.headers.get("set-cookie")?.split(";", 1).join("") ?? "";
}

it("a password, a log-in and a feed's address end at once by their commands", async () => {
  const { installation, person } = await installed();
  const daemon = await serveHere(installation);
  const dayferry = (...args: readonly string[]) => command(args, { installation, daemon });
  const set = await dayferry("people", "set-password", String(person));
  const [, password = ""] = /((?:[0-9a-z]{4}-){6}[0-9a-z]{2})/.exec(set.stdout) ?? [];
  expect(set.code).toBe(0);
  const authorization = basic(String(person), password);
  const cookie = await logIn(daemon, { login: String(person), password });
  expect(await statusOf(daemon, "/api/edits", { authorization })).toBe(200);
  expect(await statusOf(daemon, "/me", { cookie })).toBe(200);
  expect((await dayferry("people", "clear-password", String(person))).code).toBe(0);
  expect(await statusOf(daemon, "/api/edits", { authorization })).toBe(401);
  expect(await statusOf(daemon, "/me", { cookie })).toBe(401);

  const { id, path } = await firstFeed(daemon);
  expect(await statusOf(daemon, path)).toBe(200);
  expect((await dayferry("feeds", "rotate", String(id))).code).toBe(0);
  expect(await statusOf(daemon, path)).toBe(404);
  const { path: next } = await firstFeed(daemon);
  expect(await statusOf(daemon, next)).toBe(200);
  expect((await dayferry("feeds", "revoke", String(id))).code).toBe(0);
  expect(await statusOf(daemon, next)).toBe(404);
  await daemon.stop();
});

it("missing keys in the data directory are made again, and nothing from before opens", async () => {
  const { installation } = await installed();
  const before = await serveHere(installation);
  const { path } = await firstFeed(before);
  const cookie = await logIn(before, { token: before.adminToken });
  expect(await statusOf(before, "/status", { cookie })).toBe(200);
  await before.stop();
  for (const name of ["admin-token", "feed-key", "mail-key"]) {
    rmSync(join(installation.dataDir, name));
  }
  const after = await serveHere(installation);
  expect(after.adminToken).not.toBe(before.adminToken);
  const old = { authorization: `Bearer ${before.adminToken}` };
  expect(await statusOf(after, "/api/status", old)).toBe(401);
  expect(await statusOf(after, "/status", { cookie })).toBe(401);
  expect(await statusOf(after, path)).toBe(404);
  expect(await statusOf(after, (await firstFeed(after)).path)).toBe(200);
  await after.stop();
});
