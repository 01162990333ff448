import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dayferry, type Installation, install } from "../support/dayferry.ts";
import { command as commandHere, serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

// The rest of the service's API from the command line: beside a daemon, and alone.

let sandbox: Sandbox;
let installation: Installation;

beforeAll(async () => {
  sandbox = await testSandbox();
  installation = install(sandbox);
  writeFileSync(join(installation.folder, "plan.txt"), "plan");
});
afterAll(async () => {
  installation.dispose();
  await sandbox.close();
});

const place = () => {
  const [first] = sandbox.workspace.places();
  if (!first) throw new Error("the workspace is empty");
  const { project, lists, folders } = first;
  return { by: ownerOf(sandbox), project, list: lists[0] ?? 0, lists, folders };
};
const newTask = (title: string) => {
  return sandbox.workspace.tasks.create(place(), { title, due_date: "2027-02-01" }).id;
};
let daemon: Awaited<ReturnType<typeof serveHere>> | null = null;
const command = (...args: readonly (string | number)[]) =>
  commandHere(args.map(String), { installation, daemon, input: "from standard input\n" });

/** What a command prints as JSON; throws its message when it fails. */
async function json(...args: readonly (string | number)[]): Promise<unknown> {
  const { code, stdout, stderr } = await command(...args, "--json");
  if (code !== 0) throw new Error(`${code}: ${stderr}`);
  return JSON.parse(stdout);
}

const named = (value: unknown, name: string): unknown =>
  new Map(Object.entries(Object(value))).get(name);

/** Uploads a file of 200 kB at a clock that is seconds further each time it is read. */
async function progressOf(columns: number | null): Promise<string> {
  const path = join(installation.folder, "long.txt");
  writeFileSync(path, "x".repeat(200_000));
  let now = Temporal.Instant.from("2026-11-20T12:00:00Z");
  const clock = () => {
    now = now.add({ seconds: 3 });
    return now;
  };
  const { project } = place();
  const args = ["files", "upload", path, "--project", String(project), "--json"];
  const uploaded = await commandHere(args, { installation, daemon, columns, clock });
  const [file] = Object.values(Object(JSON.parse(uploaded.stdout)));
  const deleted = await command("files", "delete", Number(named(file, "id")), "--project", project);
  expect(deleted.code).toBe(0);
  return uploaded.stderr;
}

const progressLine = /^upload: 32 %, about \d+ s left\nupload: 65 %, about \d+ s left\n/;

describe("without a daemon", () => {
  it("shows the progress of an upload on a terminal", async () => {
    await command("sync");
    expect(await progressOf(80)).toMatch(progressLine);
    expect(await progressOf(null)).toBe("");
  });

  it("copies and moves a task by ID and by UID, and comments on it", async () => {
    const task = newTask("Plan");
    await command("sync");
    const moved = await json("tasks", "move", task, "--list", place().lists[1] ?? 0);
    expect(moved).toMatchObject({ id: task, listId: place().lists[1], title: "Plan" });
    const uid = String(named(moved, "uid"));
    const copied = await json("tasks", "copy", uid, "--list", place().list, "--title", "Plan B");
    expect(copied).toMatchObject({ title: "Plan B", listId: place().list });
    expect(named(copied, "uid")).not.toBe(uid);

    const added = await command("comments", "add", uid, "--text", "On it");
    expect([added.code, added.stdout]).toEqual([0, expect.stringContaining("On it")]);
    expect((await command("comments", "add", uid, "--text", "-")).code).toBe(0);
    expect(await json("comments", "list", task)).toMatchObject([
      { description: "On it" },
      { description: "from standard input" },
    ]);
    expect((await command("comments", "list", uid)).stdout).toContain("On it");
  });

  it("exits 1 with the reason if it fails, and 2 for wrong usage", async () => {
    const gone = await command("comments", "add", 4711, "--text", "x");
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('no task "4711"')]);
    const missing = await command("files", "upload", "/nowhere.txt", "--project", place().project);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("/nowhere.txt")]);
    for (const wrong of [
      ["files", "list"],
      ["tasks", "move", "1"],
      ["labels", "rename", "x", "y"],
      ["files", "upload", "-", "--project", "1"],
    ]) {
      expect((await command(...wrong)).code).toBe(2);
    }
  });
});

describe("beside a daemon", () => {
  beforeAll(async () => {
    daemon = await serveHere(installation);
  });
  afterAll(async () => {
    await daemon?.stop();
  });

  it("uploads, lists and deletes files through it", async () => {
    const { project, folders } = place();
    const path = join(installation.folder, "plan.txt");
    const [filed] = Object.values(
      Object(await json("files", "upload", path, "--project", project)),
    );
    expect(filed).toMatchObject({ name: "plan.txt", byteSize: 4, folderId: folders[0] });
    const content = sandbox.workspace.files.content({
      by: place().by,
      file: Number(named(filed, "id")),
    });
    expect(content).toMatchObject({ type: "text/plain", bytes: Buffer.from("plan") });
    const inFolder = ["--project", project, "--folder", folders[0] ?? 0] as const;
    expect((await command("files", "list", ...inFolder)).stdout).toContain("plan.txt");
    const deleted = await command("files", "delete", Number(named(filed, "id")), ...inFolder);
    expect([deleted.code, deleted.stderr]).toEqual([0, expect.stringContaining("is deleted")]);
    expect((await command("files", "list", ...inFolder)).stdout).toBe("no files\n");
  });

  it("shows the progress of the daemon's upload on a terminal", async () => {
    expect(await progressOf(80)).toMatch(progressLine);
    expect(await progressOf(null)).toBe("");
  });

  it("creates, renames and deletes labels, and moves tasks, whose feed item keeps its UID", async () => {
    const made = await json("labels", "create", "Print");
    const id = Number(named(made, "id"));
    expect((await command("labels", "rename", id, "Web")).stdout).toContain("Web");
    expect((await command("labels", "list")).stdout).toContain("Web");
    expect((await command("labels", "delete", id)).code).toBe(0);
    expect((await command("labels", "delete", id)).code).toBe(1);

    const task = newTask("To move");
    const known = await expect
      .poll(() => json("comments", "list", task).catch(() => null))
      .toEqual([])
      .then(() => json("tasks", "move", task, "--list", place().lists[1] ?? 0));
    expect(known).toMatchObject({ id: task, listId: place().lists[1] });
    const feeds = await json("feeds", "list");
    const urls = Array.isArray(feeds) ? feeds.map((feed) => String(named(feed, "url"))) : [];
    const bodies = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
    expect(bodies.join("")).toContain(`UID:${String(named(known, "uid"))}`);
  });

  it("reports what the service said, or that the outcome is unknown", async () => {
    sandbox.faults.add({ kind: "status", status: 403, method: "POST", path: /labels$/ });
    const refused = await command("labels", "create", "No");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("(403)")]);
    sandbox.faults.add({ kind: "drop-after", method: "POST", path: /labels$/ });
    const lost = await command("labels", "create", "Once");
    expect(lost.code).toBe(1);
    expect(lost.stderr).toContain("unknown whether");
    const labels = sandbox.workspace.labels.list(place());
    expect(labels.filter(({ name }) => name === "Once")).toHaveLength(1);
  });

  it("requires the admin token, and refuses invalid input", async () => {
    for (const [method, path] of [
      ["GET", "/api/labels"],
      ["POST", "/api/files?project=1&name=x"],
      ["POST", "/api/tasks/1/move?list=1"],
    ]) {
      const answer = await fetch(`${daemon?.url}${path}`, { method: method ?? "GET" });
      expect(answer.status).toBe(401);
    }
    const headers = { authorization: `Bearer ${daemon?.adminToken}` };
    const ask = (path: string, init?: RequestInit) =>
      fetch(`${daemon?.url}${path}`, { ...init, headers });
    const wrong = [
      ["/api/files", "project: it is needed"],
      ["/api/files?project=x", '"x" is not an id'],
      ["/api/labels?person=-1", '"-1" is not an id'],
    ];
    for (const [path = "", detail] of wrong) {
      const answer = await ask(path);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ detail: expect.stringContaining(detail ?? "") });
    }
    const nameless = await ask("/api/labels", { method: "POST" });
    expect(nameless.status).toBe(400);
    expect((await ask("/api/tasks/4711/comments")).status).toBe(404);
    const status: unknown = await (await ask("/api/status")).json();
    expect(named(status, "extras")).toMatchObject({ parked: 0 });
  });
});

it("workspace commands work in a process of their own", async () => {
  const { code, stdout } = await dayferry(["labels", "--help"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("rename")]);
});
