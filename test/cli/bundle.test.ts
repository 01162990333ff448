import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, install, program } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { testSandbox } from "../support/sandbox.ts";

describe("the bundle", () => {
  let sandbox: Sandbox;
  let installation: Installation;

  beforeAll(async () => {
    sandbox = await testSandbox({ size: "s" });
    installation = install(sandbox);
  });
  afterAll(async () => {
    installation.dispose();
    await sandbox.close();
  });

  const answer = (...args: readonly string[]) =>
    execFileSync(process.execPath, [program, ...args], { encoding: "utf8" });

  it("knows its version and migrations", () => {
    expect(answer("--version")).toBe("1.0.0\n");
  });

  it("consists of ASCII characters", () => {
    expect(readFileSync(program, "utf8")).toMatch(/^[\0-\x7f]+$/);
  });

  it("serves, and runs reports and queries in their own processes", async () => {
    const { configFile, dataDir } = installation;
    const daemon = spawn(process.execPath, [program, "serve", "--config", configFile], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const closed = once(daemon, "close");
    try {
      let log = "";
      daemon.stderr.on("data", (chunk) => {
        log += chunk;
      });
      const url = await eventually("the bundle listens", () => {
        if (daemon.exitCode !== null) throw new Error(`it ended with ${daemon.exitCode}: ${log}`);
        return /"url":"(http:[^"]+)"/.exec(log)?.[1] ?? null;
      });
      await eventually("everything is read", async () =>
        (await fetch(`${url}/readyz`)).ok ? true : null,
      );
      const token = readFileSync(join(dataDir, "admin-token"), "utf8").trim();
      const headers = { authorization: `Bearer ${token}` };
      const report = await fetch(`${url}/api/reports/items?format=json`, { headers });
      expect(report.status).toBe(200);
      expect(await report.text()).toContain('"title"');
      const counted = answer(
        "sql",
        "select count(*) > 100 as many from report_items",
        "--config",
        configFile,
      );
      expect(counted).toContain("1");
    } finally {
      daemon.kill("SIGTERM");
    }
    expect(await closed).toEqual([0, null]);
  });
});
