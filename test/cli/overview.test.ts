import { expect, it, onTestFinished } from "vitest";
import { command, serveHere } from "../support/in-process.ts";
import { commandRig } from "./command-rig.ts";

const { place } = commandRig();

it("dayferry without a command shows the daemon's state, and what to do next", async () => {
  const installation = place();
  const before = await command([], { installation });
  expect(before).toMatchObject({ code: 0, stderr: "" });
  expect(before.stdout).toContain("Dayferry 0.0.0: no daemon is running");
  expect(before.stdout).toContain("dayferry serve");
  const daemon = await serveHere(installation);
  onTestFinished(() => daemon.stop());
  const { stdout } = await command([], { installation, daemon });
  expect(stdout).toMatch(/^Dayferry 0\.0\.0 at http:\S+: up to date, last synced \d+ s ago/);
  expect(stdout).toContain("dayferry open");
  expect(stdout).not.toContain("edits list --state waiting");
});

it("dayferry open prints an address that signs in, if there is no browser", async () => {
  const installation = place();
  expect(await command(["open"], { installation })).toMatchObject({ code: 1, stdout: "" });
  const daemon = await serveHere(installation, { ready: false });
  onTestFinished(() => daemon.stop());
  const { stdout } = await command(["open", "calendar"], { installation, daemon });
  const entered = await fetch(stdout.trim(), { redirect: "manual" });
  expect(entered.headers.get("location")).toBe("./calendar");
  expect(entered.headers.get("set-cookie")).toContain("dayferry-session=");
});

it("every command has examples in its help, with existing options and arguments", async () => {
  const installation = place();
  const { stdout } = await command(["--help"], { installation });
  const names = [...stdout.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => name);
  for (const name of names.filter((one) => one !== "help")) {
    const help = (await command([name, "--help"], { installation })).stdout;
    const inner = [...help.matchAll(/^ {2}([a-z][\w-]*)(?: \[options\])?.* {2}/gm)];
    const paths = help.includes("\nCommands:\n")
      ? inner.map(([, verb = ""]) => [name, verb]).filter(([, verb]) => verb !== "help")
      : [[name]];
    for (const path of paths) {
      const own = (await command([...path, "--help"], { installation })).stdout;
      const [options = "", examples = ""] = own.split("\nExamples:\n");
      expect(examples, path.join(" ")).toContain(`dayferry ${path.join(" ")}`);
      for (const [flag] of examples.matchAll(/--[a-z-]+/g)) {
        expect(options, path.join(" ")).toContain(flag);
      }
    }
  }
});
