import { describe, expect, it } from "vitest";
import { dayferry } from "../support/dayferry.ts";
import { commandRig } from "./command-rig.ts";

const { place } = commandRig();

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

  it("prints nothing that steers the terminal, whatever it was given", async () => {
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
