import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, install } from "../support/dayferry.ts";
import { serveHere } from "../support/in-process.ts";
import { testSandbox } from "../support/sandbox.ts";

describe("/api/backups", () => {
  let place: Installation;
  let daemon: Awaited<ReturnType<typeof serveHere>>;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const sandbox = await testSandbox();
    place = install(sandbox);
    daemon = await serveHere(place);
    close = async () => {
      await daemon.stop();
      place.dispose();
      await sandbox.close();
    };
  });
  afterAll(() => close());

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${daemon.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${daemon.adminToken}` },
    });

  it("creates, lists and downloads a backup of the running daemon", async () => {
    const made = await ask("/api/backups", { method: "POST" });
    const { name, reason, bytes } = JSON.parse(await made.text());
    expect([made.status, reason]).toEqual([201, "asked"]);
    expect(JSON.parse(await (await ask("/api/backups")).text())).toMatchObject({
      backups: [{ name, reason: "asked", bytes }],
    });
    const file = join(place.dataDir, "backups", name);
    expect([existsSync(file), statSync(file).mode & 0o777]).toEqual([true, 0o600]);

    const given = await ask(`/api/backups/${name}`);
    const octets = Buffer.from(await given.arrayBuffer());
    expect(given.headers.get("content-disposition")).toContain(name);
    expect(octets.byteLength).toBe(bytes);
    expect(gunzipSync(octets).includes("SQLite format 3")).toBe(true);
  });

  it.each(["nothing.tar.gz", "..%2Fdayferry.sqlite", "%2e%2e%2fadmin-token", "dayferry.sqlite"])(
    "downloads only backups: %s",
    async (name) => {
      expect((await ask(`/api/backups/${name}`)).status).toBe(404);
    },
  );

  it("is for the admin alone, and shown on the status page", async () => {
    expect((await fetch(`${daemon.url}/api/backups`)).status).toBe(401);
    expect((await fetch(`${daemon.url}/api/backups`, { method: "POST" })).status).toBe(401);
    const entered = await fetch(`${daemon.url}/?token=${daemon.adminToken}`, {
      redirect: "manual",
      headers: { accept: "text/html" },
    });
    const cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const headers = { cookie, accept: "text/html" };
    const page = await (await fetch(`${daemon.url}/status`, { headers })).text();
    const [, link = ""] = /href="([^"]*status\/backups\/[^"]+)"/.exec(page) ?? [];
    expect(page).toContain("Back up now");
    const given = await fetch(new URL(link, `${daemon.url}/status`), { headers });
    expect([given.status, given.headers.get("content-type")]).toEqual([200, "application/gzip"]);
    await given.arrayBuffer();
  });
});
