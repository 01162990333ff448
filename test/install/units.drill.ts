import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { isInstalled, runProgram } from "../clients/programs.ts";

// The units for systemd, as systemd itself reads them.

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const folder = mkdtempSync(join(tmpdir(), "dayferry-units-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy that uses a program of this machine; a template is instantiated for some account. */
function placed(name: string, change: (text: string) => string = (text) => text): string {
  const file = join(folder, name.replace("@", "@berlin"));
  const text = read(`deploy/${name}`).replace("/usr/local/bin/dayferry", process.execPath);
  writeFileSync(file, change(text));
  return file;
}

const units = ["dayferry.service", "dayferry@.service"];

describe.skipIf(!isInstalled("systemd-analyze")).each(units)("deploy/%s", (name) => {
  const verify = (file: string) =>
    runProgram(["systemd-analyze", "verify", "--man=no", file], { env: { HOME: folder } });

  it("is valid to systemd", async () => {
    expect(await verify(placed(name))).toMatchObject({ code: 0, output: "" });
    const misspelt = placed(name, (text) => text.replace("ProtectHome=", "ProtectHoem="));
    expect((await verify(misspelt)).output).toContain("ProtectHoem");
  });

  it("restricts as much as docs/install.md says", async () => {
    const score = /exposure level of (\d\.\d)/.exec(read("docs/install.md"))?.[1] ?? "none";
    const args = ["security", "--offline=true", "--no-pager"];
    const { stdout } = await runProgram(["systemd-analyze", ...args, placed(name)], {});
    expect(stdout).toMatch(new RegExp(`Overall exposure level for .*: ${score} OK`));
  });
});

describe("the template unit", () => {
  it("is the unit with separate places for each account", () => {
    const settings = (name: string) =>
      read(`deploy/${name}`)
        .split("\n")
        .filter((line) => !line.startsWith("#") && !line.startsWith("Description="))
        .join("\n")
        .trim();
    expect(settings("dayferry@.service").replaceAll("/%i", "")).toBe(settings("dayferry.service"));
    expect(settings("dayferry@.service").match(/\/%i/g)).toHaveLength(5);
  });

  it("gives the daemon time to end, and does not restart a wrong configuration again and again", () => {
    const text = read("deploy/dayferry.service");
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(10);
    expect(text).toMatch(/^RestartPreventExitStatus=2$/m);
  });
});
