import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { serviceConfig, testSandbox } from "../support/sandbox.ts";

// The package as npm makes it, installed in an empty folder, and used from there.

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "dayferry-package-"));
const home = join(folder, "home");
const files = new Set<string>();

beforeAll(() => {
  mkdirSync(home);
  writeFileSync(join(home, "package.json"), '{"private": true}');
  // Without scripts, as everything that they would build was built before the first test.
  const made = run(
    "npm",
    ["pack", "--ignore-scripts", "--json", "--pack-destination", folder],
    root,
  );
  const [{ filename, files: packed }] = JSON.parse(made);
  for (const { path } of packed) files.add(path);
  run("npm", ["install", "--prefer-offline", join(folder, filename)], home);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing of the checkout, and no setting of the person who runs the tests. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:DAYFERRY_|npm_|NODE_(?!EXTRA_CA_CERTS$))/.test(name),
  ),
);

function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    env: clean,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const dayferry = (...args: readonly string[]): string =>
  run(join(home, "node_modules/.bin/dayferry"), args, home);

/** A program that runs until it is stopped; gives its output on both streams. */
function start(args: readonly string[], { cwd = home, env = {} } = {}) {
  const child: ChildProcess = spawn(join(home, "node_modules/.bin/dayferry"), args, {
    cwd,
    env: { ...clean, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      said += chunk;
    });
  }
  const closed = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    says: (pattern: RegExp) =>
      eventually(`it says ${pattern.source}`, () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said}`);
        return pattern.exec(said)?.[1] ?? null;
      }),
    async stop() {
      child.kill("SIGTERM");
      return closed;
    },
  };
}

describe("the npm package", () => {
  it("contains what runs, what explains it, and nothing else", () => {
    const packed = [...files];
    for (const path of [
      "LICENSE",
      "THIRD-PARTY-LICENSES.txt",
      "bin/dayferry.sh",
      "config.example.json",
      "dist/daemon/dayferry.mjs",
      "dist/web/manifest.json",
      "man/dayferry.1",
      "migrations/0001_spine.sql",
      "sbom.cdx.json",
    ]) {
      expect(packed).toContain(path);
    }
    expect(
      packed.filter((path) => /^(?:src|test|bench|scripts)\/|\.ts$|\.map$/.test(path)),
    ).toEqual([]);
  });

  it("contains everything that its documents link to", () => {
    const lost = [...files]
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) =>
        [...readFileSync(join(root, path), "utf8").matchAll(/\]\(([^):#\s]+)(?:#[^)]*)?\)/g)]
          .map(([, name = ""]) => join(dirname(path), name))
          // A folder exists together with its contents.
          .filter((name) => ![...files].some((file) => `${file}/`.startsWith(join(name, "/")))),
      );
    expect(lost).toEqual([]);
  });

  it("installs no development dependency", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const brought = ["typescript", "vitest", "vite", "fullcalendar", "rolldown"];
    expect(brought.every((name) => name in devDependencies)).toBe(true);
    expect(brought.filter((name) => existsSync(join(home, "node_modules", name)))).toEqual([]);
  });

  it("is a command that runs with npm's own Node", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(dayferry("--version")).toBe(`${version}\n`);
    expect(run("npx", ["dayferry", "--version"], home)).toBe(`${version}\n`);
    expect(dayferry("completion", "bash")).toContain("complete -F _dayferry dayferry");
  });

  it("shows the demo", async () => {
    const demo = start(["demo", "--port", "0"]);
    const url = await demo.says(/start page +(http:[^?\s]+)/);
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
    const feed = await demo.says(/(http:\S+\.ics)/);
    expect([200, 503]).toContain((await fetch(feed)).status);
    const page = await fetch(new URL("/login", url));
    expect(await page.text()).toMatch(/page-\w+\.js/);
    expect(await demo.stop()).toEqual([0, null]);
  });

  it("runs the stand-in service alone", async () => {
    const sandbox = start(["sandbox", "--port", "0", "--json"]);
    const url = await sandbox.says(/"baseUrl": ?"(http:[^"]+)"/);
    expect((await fetch(`${url}/projects`)).status).toBe(403);
    expect(await sandbox.stop()).toEqual([0, null]);
  });

  it("offers the set-up when there is no configuration", async () => {
    const empty = mkdtempSync(join(folder, "empty-"));
    const setup = start(["serve"], { cwd: empty, env: { DAYFERRY_PORT: "0" } });
    const url = await setup.says(/(http:\/\/127\.0\.0\.1:\d+\/setup\S*)/);
    const entered = await fetch(url, { redirect: "manual" });
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "./setup"]);
    expect(await setup.stop()).toEqual([0, null]);
  });

  it("says what helps when the machine's Node is too old", () => {
    const alone = mkdtempSync(join(folder, "alone-"));
    const place = join(alone, "node_modules/dayferry/bin");
    mkdirSync(place, { recursive: true });
    writeFileSync(
      join(place, "dayferry.sh"),
      readFileSync(join(home, "node_modules/dayferry/bin/dayferry.sh")),
    );
    const old = join(alone, "path/node");
    mkdirSync(join(alone, "path"));
    writeFileSync(old, "#!/bin/sh\necho 20\n");
    chmodSync(old, 0o755);
    const { status, stdout, stderr } = spawnSync(
      "/bin/sh",
      [join(place, "dayferry.sh"), "--version"],
      {
        encoding: "utf8",
        env: { PATH: `${join(alone, "path")}:/usr/bin:/bin` },
      },
    );
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("Dayferry needs Node 26");
    expect(stderr).toContain("ignore-scripts");
    expect(stderr.split("\n").length).toBeLessThan(5);
  });
});

describe("a daemon of the npm package", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await testSandbox({ size: "s" });
  });
  afterAll(() => sandbox.close());

  it("serves feeds, reports and queries", async () => {
    const config = { dataDir: "./data", service: serviceConfig(sandbox), http: { port: 0 } };
    writeFileSync(join(home, "config.json"), JSON.stringify(config));
    const daemon = start(["serve"]);
    const url = await daemon.says(/Dayferry is at (http:\S+)/);
    await eventually("all was read", async () => ((await fetch(`${url}readyz`)).ok ? true : null));
    const [feed] = JSON.parse(dayferry("feeds", "list", "--json"));
    const calendar = await fetch(feed.url);
    expect([calendar.status, await calendar.text()]).toEqual([
      200,
      expect.stringContaining("BEGIN:VEVENT"),
    ]);
    expect(dayferry("report", "agenda")).toContain("Agenda");
    expect(dayferry("sql", "select count(*) as many from report_items")).toContain("many");
    expect(await daemon.stop()).toEqual([0, null]);
  });
});
