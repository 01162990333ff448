import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { dayEvent } from "../support/day-event.ts";
import { type Daemon, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

const tokens = [
  "first-admin-token-of-more-than-32-characters",
  "second-admin-token-of-more-than-32-characters",
];

/** A separate daemon process whose key and admin token are in files. */
async function begin() {
  const sandbox = await testSandbox();
  onTestFinished(() => sandbox.close());
  const project = sandbox.workspace.places()[0]?.project ?? 0;
  const place = install(sandbox, {
    service: { apiKey: null, apiKeyFile: "./api-key" },
    adminTokenFile: "./admin-token",
    log: { level: "debug" },
  });
  onTestFinished(place.dispose);
  const put = (name: string, text: string | undefined) =>
    writeFileSync(join(place.folder, name), `${text}\n`);
  const key = sandbox.keys[0]?.apiKey ?? "";
  put("api-key", key);
  put("admin-token", tokens[0]);
  const daemon = await serve(place, { env: {}, ready: false });
  onTestFinished(() => daemon.stop("SIGKILL").then(() => undefined));
  const ask = (
    path: string,
    { token = tokens[0], ...init }: RequestInit & { token?: string } = {},
  ) =>
    fetch(`${daemon.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, "content-type": "text/calendar" },
    });
  await eventually("it has read everything", async () =>
    Object(await (await ask("/readyz")).json()).fresh === true ? true : null,
  );
  const titles = () =>
    sandbox.workspace.events
      .list({ by: ownerOf(sandbox), project }, { view: "all" })
      .map(({ title }) => title);
  const upload = async (title: string) => {
    const answer = await ask(`/api/edits?project=${project}`, {
      method: "POST",
      body: dayEvent(title),
    });
    expect(answer.status).toBe(202);
  };
  return { daemon, put, key, ask, titles, upload };
}

const told = (daemon: Daemon, text: string) =>
  eventually(text, () => (daemon.log().includes(text) ? true : null));

describe("secret files that change while the daemon runs", () => {
  it("are read, and everything that waited for the new key is sent at once", async () => {
    const { daemon, put, key, ask, titles, upload } = await begin();
    put("api-key", "a-key-that-was-revoked");
    await told(daemon, "secrets reloaded");
    await upload("one");
    await upload("two");
    await eventually("the refusal is reported", async () => {
      const { troubles } = Object(await (await ask("/api/status")).json());
      return JSON.stringify(troubles).includes("key-refused") ? true : null;
    });
    expect(titles()).toEqual([]);
    put("api-key", key);
    await eventually("the edits arrive", () =>
      ["one", "two"].every((title) => titles().includes(title)) ? true : null,
    );
    expect(titles().toSorted()).toEqual(["one", "two"]);
    expect(daemon.log()).not.toContain(key);
    expect(daemon.log()).not.toContain("a-key-that-was-revoked");
  }, 60_000);

  it("are read on SIGHUP without an interruption, and errors are reported", async () => {
    const { daemon, put, ask } = await begin();
    put("admin-token", tokens[1]);
    daemon.send("SIGHUP");
    await told(daemon, "adminTokenFile");
    expect((await ask("/api/status")).status).toBe(401);
    expect((await ask("/api/status", { token: tokens[1] ?? "" })).status).toBe(200);
    put("api-key", "");
    await told(daemon, "cannot be loaded");
    expect((await ask("/healthz")).status).toBe(200);
    for (const token of tokens) expect(daemon.log()).not.toContain(token);
  }, 60_000);
});
