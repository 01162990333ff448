import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DaemonAddress } from "../../src/cli/command-host.ts";
import { channels, editStates } from "../../src/domain/edit.ts";
import { dayferry } from "../support/dayferry.ts";
import { command, serveHere } from "../support/in-process.ts";
import { commandRig } from "./command-rig.ts";

const { place, project } = commandRig();

describe("usage", () => {
  it("exits 2 with the reason if the command is unknown", async () => {
    const { code, stderr } = await command(["serv"], { installation: place() });
    expect(code).toBe(2);
    expect(stderr).toContain("unknown command 'serv'");
  });

  it("exits 2 if an option is missing or an ID is invalid", async () => {
    const installation = place();
    expect((await command(["apply", "x.ics"], { installation })).code).toBe(2);
    const wrong = await command(["apply", "x.ics", "--project", "x"], { installation });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("It must be an id");
  });

  it("exits 2 for an impossible value, with and without a daemon", async () => {
    const installation = place();
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [["edits", "list", "--state", "frob"], '"frob" is not a state of an edit'],
      [["edits", "list", "--since", "yesterday"], '"yesterday" is neither a date'],
      [["edits", "list", "--person", "Nobody"], 'there is none named "Nobody"'],
      [["edits", "list", "--person", "404404"], "there is none with the number 404404"],
      [["edits", "list", "--project", "404404"], "there is none with the number 404404"],
      [["feeds", "create", "--all", "--kinds", "frob"], '"frob" is none of event'],
      [["feeds", "create", "--all", "--colour", "frob"], "colour: "],
      [["sql", " "], "there is no query"],
    ];
    const tried = async (daemon: DaemonAddress | null) => {
      for (const [args, words] of wrong) {
        const { code, stdout, stderr } = await command(args, { installation, daemon });
        expect([args, code, stdout]).toEqual([args, 2, ""]);
        expect(stderr).toContain(words);
      }
    };
    await tried(null);
    const daemon = await serveHere(installation, { ready: false });
    onTestFinished(() => daemon.stop());
    await tried(daemon);
  });

  it("edits list: its help names every state and channel, and --before continues with older ones", async () => {
    const installation = place();
    const list = (...args: readonly string[]) =>
      command(["edits", "list", ...args], { installation });
    const help = (await list("--help")).stdout.replaceAll(/\s+/g, " ");
    for (const word of [...editStates, ...channels]) expect(help).toContain(word);
    expect(await list("--before", "7")).toMatchObject({ code: 0, stdout: "no edits\n" });
    expect((await list("--before", "x")).code).toBe(2);
  });

  it("explains why a file cannot be read or written", async () => {
    const installation = place();
    const { folder } = installation;
    const why = async (...args: readonly string[]) =>
      (await command(args, { installation })).stderr;
    const lost = join(folder, "nowhere", "x");
    const apply = (file: string) => why("apply", file, "--project", String(project()));
    expect(await apply(lost)).toBe(`${lost} cannot be read: there is no such file or folder\n`);
    expect(await apply(folder)).toBe(`${folder} cannot be read: it is a folder\n`);
    await why("edits", "list");
    expect(await why("report", "overdue", "--output", lost)).toBe(
      `--output ${lost}: it cannot be written: there is no such file or folder\n`,
    );
  });

  it("never prints control sequences, whatever the input", async () => {
    const { configFile } = place();
    for (const args of [
      ["\u001b[31mserv"],
      ["apply", "\u001b]0;x\u0007.ics", "--project", "2001", "--config", configFile],
    ]) {
      const { stdout, stderr } = await dayferry(args);
      expect(stdout + stderr).not.toMatch(/(?![\n\t\r])\p{Cc}/u);
      expect(stdout + stderr).toContain("\\u00");
    }
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
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, "m"));
    }
  });
});

describe("configuration", () => {
  it("lists every problem with its path and exits 2", async () => {
    const { configFile } = place({
      service: {
        baseUrl: "http://example.com/api/v3",
        apiKey: undefined,
        contact: "x",
        timeZone: "Mars/Base",
      },
      polling: { maxAge: "soon" },
      colour: "red",
    });
    for (const command of ["serve", "sync"]) {
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

  it("names a missing file", async () => {
    const { code, stderr } = await dayferry(["serve", "--config", "/nowhere/config.json"]);
    expect(code).toBe(2);
    expect(stderr).toContain("/nowhere/config.json");
  });
});
