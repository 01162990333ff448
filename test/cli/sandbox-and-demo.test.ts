import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { progressLine } from "../../src/cli/commands/sync.ts";
import { openPlacesIn } from "../../src/store/private-files.ts";
import { dayferry } from "../support/dayferry.ts";
import { startAndStop } from "../support/running-command.ts";

it("sandbox runs alone and prints its keys", async () => {
  const { stdout, code } = await startAndStop(["sandbox", "--port", "0", "--json"], (text) =>
    text.includes("}\n"),
  );
  expect(code).toBe(0);
  const { baseUrl, keys } = JSON.parse(stdout);
  expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v3$/);
  expect(keys.length).toBeGreaterThan(3);
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "dayferry-test-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const hasAccount = (text: string) => /^ +password +\S/m.test(text);

describe("demo", () => {
  it("prints addresses that work, and stops cleanly", async () => {
    let [page, dav] = [0, 0];
    const { stdout, code } = await startAndStop(
      ["demo", "--port", "0"],
      hasAccount,
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

  it("takes host, port and data directory from the environment, and prints usable addresses", async () => {
    const dataDir = join(folder(), "kept");
    // A folder and a mask open to everybody: the files must be private all the same.
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o777);
    const mask = process.umask(0o000);
    onTestFinished(() => void process.umask(mask));
    const probe = createServer();
    const port = await listening(probe, 0);
    await new Promise((resolve) => probe.close(resolve));
    const env = {
      DAYFERRY_HOST: "0.0.0.0",
      DAYFERRY_PORT: String(port),
      DAYFERRY_DATA_DIR: dataDir,
      DAYFERRY_API_KEY: "of-another-account",
      DAYFERRY_ADMIN_TOKEN: "a-token-of-thirty-two-characters-or-more",
    };
    const { stdout, code } = await startAndStop(["demo"], hasAccount, undefined, env);
    expect(code).toBe(0);
    expect(stdout).toContain(`start page   http://127.0.0.1:${port}/?token=a-token`);
    expect(stdout).not.toContain("0.0.0.0");
    expect(openPlacesIn(dataDir)).toEqual([]);
    const settings = join(dataDir, "demo.json");
    expect(statSync(settings).mode & 0o777).toBe(0o600);
    const { http, service } = JSON.parse(readFileSync(settings, "utf8"));
    expect(http).toEqual({ host: "0.0.0.0", port, publicUrl: `http://127.0.0.1:${port}` });
    expect(service.apiKey).toMatch(/^sandbox-/);
  });

  it("leaves the data directory of a real account alone", async () => {
    const dataDir = folder();
    writeFileSync(join(dataDir, "dayferry.sqlite"), "");
    const ended = await dayferry(["demo", "--port", "0"], { env: { DAYFERRY_DATA_DIR: dataDir } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(`${dataDir} holds the data of a real account`);
    expect(existsSync(join(dataDir, "workspace.sqlite"))).toBe(false);
  });

  it("names an unusable variable", async () => {
    const ended = await dayferry(["demo"], { env: { DAYFERRY_PORT: "eighty" } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("DAYFERRY_PORT: must be a number");
  });
});

describe("an occupied port", () => {
  const other = createServer();
  let port = 0;
  beforeAll(async () => {
    port = await listening(other, 0);
  });
  afterAll(() => void other.close());

  it.each(["demo", "sandbox", "serve"])(
    "%s says so in one sentence, with a remedy",
    async (name) => {
      const config = join(folder(), "config.json");
      const service = {
        baseUrl: "http://127.0.0.1:1/api/v3",
        apiKey: "key-of-a-test",
        contact: "you@example.com",
        timeZone: "Europe/Berlin",
      };
      writeFileSync(config, JSON.stringify({ service, http: { port }, log: { level: "silent" } }));
      const args = { demo: ["--port", String(port)], sandbox: ["--port", String(port)], serve: [] };
      const extra = name === "demo" || name === "sandbox" ? args[name] : ["--config", config];
      const ended = await dayferry([name, ...extra]);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toMatch(
        new RegExp(`^port ${port} of 127\\.0\\.0\\.1 is in use by .*(--port|DAYFERRY_PORT).*\\n$`),
      );
      expect(ended.stderr).not.toContain("    at ");
    },
  );
});

describe("the progress line", () => {
  const remaining = (seconds: number) => Temporal.Duration.from({ milliseconds: seconds * 1000 });
  it.each([
    [{ done: 1, total: 9, remaining: remaining(0) }, "synced 1 of 9 lists known so far\n"],
    [
      { done: 9, total: 78, remaining: remaining(29.2) },
      "synced 9 of 78 lists, about 30 s left at the quota\n",
    ],
    [
      { done: 9, total: 900, remaining: remaining(300) },
      "synced 9 of 900 lists, about 5 min left at the quota\n",
    ],
    [{ done: 9, total: 9, remaining: remaining(0) }, "synced 9 of 9 lists\n"],
  ])("for %j", (progress, line) => {
    expect(progressLine(progress)).toBe(line);
  });
});

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
}
