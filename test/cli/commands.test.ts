import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { insist } from "../../src/sandbox/outcome.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { dayferry, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { startAndStop } from "../support/running-command.ts";

// Every command in a process of its own, with the exit codes that scripts rely on.

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({
    seed: 1,
    size: "empty",
    discovery: true,
    port: 0,
    timeZone: "Europe/Berlin",
    clock: () => Temporal.Now.instant(),
    quota: { requests: 25, perMs: 200 },
  });
});
afterAll(() => sandbox.close());

function place(changes?: Readonly<Record<string, unknown>>): Installation {
  const installation = install(sandbox, changes);
  onTestFinished(installation.dispose);
  return installation;
}

const project = () => sandbox.workspace.places()[0]?.project ?? 0;
const owner = () => sandbox.keys[0]?.personId ?? 0;
const list = () => sandbox.workspace.places()[0]?.lists[0] ?? 0;

function calendar(...component: readonly string[]): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//test//EN",
    ...component,
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

describe("usage", () => {
  it("exits 2 and says why when the command is unknown", async () => {
    const { code, stderr } = await dayferry(["serv"]);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown command 'serv'");
  });

  it("exits 2 when an option is missing or no id", async () => {
    const { configFile } = place();
    expect((await dayferry(["apply", "x.ics", "--config", configFile])).code).toBe(2);
    const wrong = await dayferry(["apply", "x.ics", "--project", "x", "--config", configFile]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("It must be an id");
  });

  it("prints help with exit 0", async () => {
    const { code, stdout } = await dayferry(["--help"]);
    expect(code).toBe(0);
    for (const command of [
      "serve",
      "demo",
      "sandbox",
      "sync",
      "apply",
      "edits",
      "feeds",
      "doctor",
    ]) {
      expect(stdout).toContain(command);
    }
  });
});

describe("configuration", () => {
  it("lists every problem with its path and exits 2", async () => {
    const { configFile } = place({
      service: { baseUrl: "http://example.com/api/v3", contact: "x", timeZone: "Mars/Base" },
      polling: { maxAge: "soon" },
      colour: "red",
    });
    for (const command of ["serve", "sync", "doctor"]) {
      const { code, stdout, stderr } = await dayferry([command, "--config", configFile]);
      expect(code).toBe(2);
      for (const path of [
        "service.baseUrl",
        "service.timeZone",
        "service.apiKey",
        "polling.maxAge",
        "colour",
      ]) {
        expect(stdout + stderr).toContain(path);
      }
    }
  });

  it("names a file that is not there", async () => {
    const { code, stderr } = await dayferry(["serve", "--config", "/nowhere/config.json"]);
    expect(code).toBe(2);
    expect(stderr).toContain("/nowhere/config.json");
  });
});

describe("sync", () => {
  it("prints what changed, then nothing when nothing did", async () => {
    const { configFile } = place();
    const { id } = insist(
      sandbox.workspace.events.create(
        { by: owner(), project: project() },
        {
          title: "Kick-off",
          start: "2027-02-01",
          all_day: true,
        },
      ),
    );
    onTestFinished(
      () => void sandbox.workspace.events.remove({ by: owner(), project: project(), event: id }),
    );
    const first = await dayferry(["sync", "--config", configFile]);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toMatch(/added +event +Kick-off/);
    expect(first.stderr).toMatch(/sweep: \d+ of \d+ sources/);
    const second = await dayferry(["sync", "--config", configFile, "--json"]);
    expect(JSON.parse(second.stdout)).toMatchObject({ added: 0, changed: 0, buried: 0 });
  });

  it("exits 1 when the service refuses the key", async () => {
    const { configFile } = place({
      service: {
        baseUrl: sandbox.baseUrl,
        apiKey: "wrong-key-wrong-key",
        contact: "tests@example.com",
        timeZone: "Europe/Berlin",
        quota: { requests: 25, per: "PT0.2S" },
      },
    });
    const { code, stderr } = await dayferry(["sync", "--config", configFile]);
    expect(code).toBe(1);
    expect(stderr).toContain("403");
    expect(stderr).not.toContain("wrong-key-wrong-key");
  });
});

describe("apply", () => {
  const milestone = calendar(
    "BEGIN:VEVENT",
    "UID:ship-it@example.com",
    "SUMMARY:Ship it",
    "CATEGORIES:Milestone",
    "DTSTART;VALUE=DATE:20270601",
    "END:VEVENT",
  );

  it("shows the plan and stores nothing on a dry run", async () => {
    const { configFile } = place();
    await dayferry(["sync", "--config", configFile]);
    const args = ["apply", "-", "--project", String(project()), "--config", configFile];
    const dry = await dayferry([...args, "--dry-run"], { input: milestone });
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain('create milestone "Ship it"');
    const { stdout } = await dayferry(["edits", "list", "--json", "--config", configFile]);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it("brings the edit into the workspace without a daemon", async () => {
    const { configFile, folder } = place();
    await dayferry(["sync", "--config", configFile]);
    const file = join(folder, "new.ics");
    writeFileSync(file, milestone);
    const applied = await dayferry([
      "apply",
      file,
      "--project",
      String(project()),
      "--config",
      configFile,
    ]);
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    const events = insist(
      sandbox.workspace.events.list({ by: owner(), project: project() }, { view: "milestones" }),
    );
    const made = events.filter(({ title }) => title === "Ship it");
    expect(made).toHaveLength(1);
    const { stdout } = await dayferry(["edits", "list", "--config", configFile]);
    expect(stdout).toMatch(/create +confirmed +Ship it/);
    const undone = await dayferry(["edits", "undo", "1", "--config", configFile]);
    expect(undone.stdout).toMatch(/delete +pending/);
    const synced = await dayferry(["sync", "--config", configFile]);
    expect(synced.code).toBe(0);
    const left = insist(
      sandbox.workspace.events.list({ by: owner(), project: project() }, { view: "milestones" }),
    );
    expect(left.filter(({ title }) => title === "Ship it")).toEqual([]);
    const again = await dayferry(["edits", "undo", "1", "--config", configFile]);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain("undone already");
  });

  it("exits 1 and names line and reason when the file is refused", async () => {
    const { configFile } = place();
    await dayferry(["sync", "--config", configFile]);
    const args = ["apply", "-", "--project", String(project()), "--config", configFile];
    const cut = await dayferry(args, { input: "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n" });
    expect(cut.code).toBe(1);
    expect(cut.stdout).toMatch(/refused: line \d+: /);
    const recurring = calendar(
      "BEGIN:VEVENT",
      "UID:r@example.com",
      "SUMMARY:Daily",
      "DTSTART;VALUE=DATE:20270601",
      "RRULE:FREQ=DAILY",
      "END:VEVENT",
    );
    const refused = await dayferry(args, { input: recurring });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("refused event");
  });
});

describe("beside a daemon", () => {
  it("goes through it, and the data directory is refused to others", async () => {
    const installation = place();
    const { configFile } = installation;
    const daemon = await serve(installation);
    onTestFinished(async () => void (await daemon.stop()));

    const second = await dayferry(["sync", "--config", configFile]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("another process holds the data directory");

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
      const tasks = insist(
        sandbox.workspace.tasks.list({ by: owner(), project: project(), list: list() }),
      );
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

  it("ends within 5 s of SIGTERM with exit 0", async () => {
    const daemon = await serve(place(), { ready: false });
    const { code, ms } = await daemon.stop("SIGTERM");
    expect(code).toBe(0);
    expect(ms).toBeLessThan(5000);
  });
});

describe("doctor", () => {
  it("says a line per finding and exits 0 when all is well", async () => {
    const { configFile } = place();
    const { code, stdout } = await dayferry([
      "doctor",
      "--probe-time-zone",
      "--config",
      configFile,
    ]);
    expect(code).toBe(0);
    for (const subject of [
      "configuration",
      "data directory",
      "service",
      "clock",
      "quota",
      "disk",
      "zone",
      "mail",
      "public address",
    ]) {
      expect(stdout).toContain(`${subject}: `);
    }
    expect(stdout).toContain("zone: the service answers in Europe/Berlin");
    const left = insist(
      sandbox.workspace.events.list({ by: owner(), project: project() }, { view: "all" }),
    );
    expect(left.filter(({ title }) => title.includes("probe"))).toEqual([]);
  });

  it("finds a wrong zone by its probe", async () => {
    const { configFile } = place({
      service: {
        baseUrl: sandbox.baseUrl,
        apiKey: sandbox.keys[0]?.apiKey,
        contact: "tests@example.com",
        timeZone: "America/New_York",
      },
    });
    const { code, stdout } = await dayferry([
      "doctor",
      "--probe-time-zone",
      "--json",
      "--config",
      configFile,
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        verdict: "broken",
        subject: "zone",
        remedy: "set service.timeZone to the account's zone",
      }),
    );
  });

  it("exits 1 with a remedy when nothing answers", async () => {
    const { configFile } = place({
      service: {
        baseUrl: "http://127.0.0.1:9/api/v3",
        apiKey: "some-key",
        contact: "tests@example.com",
        timeZone: "Europe/Berlin",
        timeout: "PT1S",
      },
    });
    const { code, stdout } = await dayferry(["doctor", "--config", configFile]);
    expect(code).toBe(1);
    expect(stdout).toContain("FAIL service: ");
    expect(stdout).toContain("check service.baseUrl");
  });
});

describe("sandbox", () => {
  it("is served alone and prints its keys", async () => {
    const { stdout, code } = await startAndStop(["sandbox", "--port", "0", "--json"], (text) =>
      text.includes("}\n"),
    );
    expect(code).toBe(0);
    const { baseUrl, keys } = JSON.parse(stdout);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v3$/);
    expect(keys.length).toBeGreaterThan(3);
  });
});

describe("demo", () => {
  it("prints addresses that work, and stops cleanly", async () => {
    let [page, dav] = [0, 0];
    const { stdout, code } = await startAndStop(
      ["demo", "--port", "0"],
      (text) => /^ +password +\S/m.test(text),
      async (text) => {
        const told = (name: string) => new RegExp(`^ +${name} +(\\S+)`, "m").exec(text)?.[1] ?? "";
        const login = Buffer.from(`${told("user name")}:${told("password")}`).toString("base64");
        const headers = { authorization: `Basic ${login}`, depth: "0" };
        dav = (await fetch(told("server"), { method: "PROPFIND", headers })).status;
        const url = told("start page");
        const first = await fetch(url, { redirect: "manual" });
        const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
        page = (await fetch(new URL("/", url), { headers: { cookie } })).status;
      },
    );
    expect([page, dav]).toEqual([200, 207]);
    expect(code).toBe(0);
    expect(stdout).toContain("Dayferry demo");
  });
});
