import { describe, expect, it, onTestFinished } from "vitest";
import { calendar } from "../edits/rig.ts";
import { dayferry, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();
const { place, project, owner, list } = rig;

describe("beside a daemon", () => {
  it("uses it, and the data directory is refused to others", async () => {
    const installation = place();
    const { configFile } = installation;
    const daemon = await serve(installation);
    onTestFinished(async () => void (await daemon.stop()));

    const second = await dayferry(["sync", "--config", configFile]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("another process uses the data directory");

    const feeds = JSON.parse(
      (await dayferry(["feeds", "list", "--json", "--config", configFile])).stdout,
    );
    const [feed] = feeds;
    expect(feed).toMatchObject({ kind: "project", projectId: expect.any(Number), revokedAt: null });
    expect((await fetch(feed.url)).status).toBe(200);

    const rotated = JSON.parse(
      (await dayferry(["feeds", "rotate", String(feed.id), "--json", "--config", configFile]))
        .stdout,
    );
    expect((await fetch(feed.url)).status).toBe(404);
    expect((await fetch(rotated.url)).status).toBe(200);
    expect(
      (await dayferry(["feeds", "revoke", String(feed.id), "--config", configFile])).code,
    ).toBe(0);
    expect((await fetch(rotated.url)).status).toBe(404);
    expect(
      (await dayferry(["feeds", "revoke", String(feed.id), "--config", configFile])).code,
    ).toBe(1);

    const todo = calendar(
      "BEGIN:VTODO",
      "UID:todo@example.com",
      "SUMMARY:Write it down",
      "DUE;VALUE=DATE:20270610",
      "END:VTODO",
    );
    const applied = await dayferry(
      [
        "apply",
        "-",
        "--project",
        String(project()),
        "--list",
        String(list()),
        "--config",
        configFile,
      ],
      { input: todo },
    );
    expect(applied.code).toBe(0);
    await eventually("the task is in the workspace", () => {
      const tasks = rig.sandbox.workspace.tasks.list({
        by: owner(),
        project: project(),
        list: list(),
      });
      return tasks.find(({ title }) => title === "Write it down") ?? null;
    });
    const doctor = await dayferry(["doctor", "--config", configFile]);
    expect(doctor.stdout).toContain("ok   daemon: runs at");
  });

  it("takes the directory over from a daemon that was killed", async () => {
    const installation = place();
    const daemon = await serve(installation);
    await daemon.stop("SIGKILL");
    const { code } = await dayferry(["feeds", "list", "--config", installation.configFile]);
    expect(code).toBe(0);
  });

  it("ends itself on SIGTERM, with exit 0", async () => {
    const daemon = await serve(place(), { ready: false });
    const { code } = await daemon.stop("SIGTERM");
    expect(code).toBe(0);
  });
});
