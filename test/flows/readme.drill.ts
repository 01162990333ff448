import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "@dayferry/sandbox";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { mailsIn } from "../support/mails-in.ts";
import { testSandbox } from "../support/sandbox.ts";

// Every recipe of the README and of the demo's output, run by a shell as it is written, with its promised result; and
// that the container of docs/install.md fits the Dockerfile.

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const installing = readFileSync(join(root, "docs/install.md"), "utf8");
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("DAYFERRY_"));
const bare = {
  ...Object.fromEntries(inherited),
  PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
};

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs lines by a shell, in a folder. */
function shell(
  script: string,
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ran> {
  const child = spawn("sh", ["-e", "-c", script], { cwd, env: { ...bare, ...env } });
  return ended(child);
}

function ended(child: ChildProcess): Promise<Ran> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** The code blocks of a document, by default the README, below a heading, up to the next of its level. */
function blocks(heading: string, document = readme): readonly string[] {
  const [, below = ""] = document.split(`\n${heading}\n`);
  const level = heading.indexOf(" ");
  const section = below.split(new RegExp(`^#{1,${level}} `, "m"), 1).join("");
  return [...section.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

const blockWith = (heading: string, text: string, document = readme): string => {
  const found = blocks(heading, document).find((block) => block.includes(text));
  if (found === undefined) throw new Error(`no block below ${heading} has ${text}`);
  return found;
};

describe("the demo", () => {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-readme-"));
  let told = "";
  let demo: ChildProcess;

  beforeAll(async () => {
    const [first = ""] = blocks("## Try it: two commands");
    expect(first.trim().split("\n")).toEqual(["npm ci", "npm start"]);
    const env = {
      ...{ ...bare, XDG_RUNTIME_DIR: folder },
      ...{ DAYFERRY_PORT: "0", DAYFERRY_DATA_DIR: join(folder, "demo") },
    };
    // As `npm start` does; a config.json in the checkout would make it serve that.
    demo = spawn("npm", ["run", "-s", "dayferry", "--", "demo"], { cwd: root, env });
    demo.stdout?.on("data", (chunk) => {
      told += chunk;
    });
    await eventually("it has told all", () => told.includes("Ctrl-C stops") || null);
  });

  afterAll(async () => {
    const closed = new Promise((resolve) => demo.on("close", resolve));
    demo.kill("SIGINT");
    await closed;
    rmSync(folder, { recursive: true, force: true });
  });

  const named = (name: string): string =>
    new RegExp(`^ +${name} +(\\S+)`, "m").exec(told)?.[1] ?? "";
  const base = (): string => named("start page").replace(/\/\?.*/, "");
  const token = (): string => named("start page").split("token=")[1] ?? "";
  const feed = (): string => /^ +(http\S+mobile-app-2-0\.ics)$/m.exec(told)?.[1] ?? "";

  /** Runs lines in the folder of the test, or in the checkout if npm is called. */
  const run = (lines: string) =>
    shell(lines, {
      cwd: lines.includes("npm run") ? root : folder,
      env: { XDG_RUNTIME_DIR: folder },
    });

  async function expectMoved(answer: string, times: number): Promise<void> {
    const { summary, items } = JSON.parse(answer);
    expect(summary).toMatchObject({ update: 1, refused: 0 });
    const title = `Release call${" (moved)".repeat(times)}`;
    const update = items.find(({ action }: { action: string }) => action === "update");
    expect(update).toMatchObject({ title, changes: [{ field: "title", to: title }] });
    expect(await (await fetch(feed())).text()).toContain(`SUMMARY:${title}\r\n`);
    const list = "npm run -s dayferry -- edits list --json";
    await eventually("the workspace has it", async () => {
      const { stdout } = await run(list);
      const edits: readonly { id: number; state: string }[] = JSON.parse(stdout);
      return edits.find(({ id }) => id === update.editId)?.state === "confirmed" ? true : null;
    });
  }

  it("prints a working example of an edit by file", async () => {
    const recipe = /^ +curl -sf [\s\S]*?api\/edits\?project=\d+"$/m.exec(told)?.[0] ?? "";
    const { code, stdout } = await run(recipe);
    expect(code).toBe(0);
    expect(stdout.split("\n").length).toBeGreaterThan(10);
    await expectMoved(stdout, 1);
  });

  it("runs the README's edit by file, with address and token filled in", async () => {
    const block = blockWith("## Try it: two commands", "api/edits?project");
    const recipe = block
      .replace(/http:\/\/127\.0\.0\.1:8380\/feeds\/…\/\S+/, feed())
      .replaceAll("http://127.0.0.1:8380", base())
      .replace("<admin token>", token());
    expect(recipe).not.toMatch(/…|<admin/);
    const { code, stdout } = await run(recipe);
    expect(code).toBe(0);
    await expectMoved(stdout, 2);
  });

  it("prints commands that work beside it, as in the README", async () => {
    const printed = [...told.matchAll(/^ +(npm run -s dayferry -- .*)$/gm)].map(
      ([, line = ""]) => line,
    );
    const written = blockWith("## Try it: two commands", "edits list").trim().split("\n");
    expect(written).toEqual(printed);
    const others = [
      "people list",
      "feeds list",
      "brakes list",
      "labels list",
      "report list",
      "report overdue --limit 4",
      "report milestones --limit 6",
      "people set-password 11",
      "files list --project 2003",
      "apply changed.ics --project 2003 --dry-run",
      "sql 'SELECT count(*) AS items FROM view_items'",
    ].map((command) =>
      `npm run -s dayferry -- ${command}`.replace("changed.ics", join(folder, "changed.ics")),
    );
    for (const line of [...printed, ...others]) {
      const { code, stdout, stderr } = await run(line);
      expect([line, code, stderr.includes("is missing")]).toEqual([line, 0, false]);
      expect([line, stdout.length > 0]).toEqual([line, true]);
    }
  });

  it("has links in feeds and mails that work on this machine", async () => {
    const text = (await (await fetch(feed())).text()).replaceAll(/\r\n[ \t]/g, "");
    const [act = ""] = new RegExp(`${base()}/act/[\\w-]+`).exec(text) ?? [];
    expect((await fetch(act)).status).toBe(200);
    const mails = named("mails");
    // Other mails due at this time of day may have been sent before.
    const mail = await eventually("the reminder of the release call is there", async () => {
      const read = mailsIn(mails).map(({ octets }) => PostalMime.parse(octets));
      return (
        (await Promise.all(read)).find(({ subject }) => subject?.includes("Release call")) ?? null
      );
    });
    const [choice = ""] = new RegExp(`${base()}/unsubscribe/[\\w.-]+`).exec(mail.text ?? "") ?? [];
    expect((await fetch(choice)).status).toBe(200);
  }, 240_000);
});

describe("serving a real workspace", () => {
  let sandbox: Sandbox;
  const folder = mkdtempSync(join(tmpdir(), "dayferry-readme-"));
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("starts from the copied example with the key in the environment, or in a file", async () => {
    const heading = "## Serve your own workspace";
    const lines = blockWith(heading, "config.example.json").split("\n");
    const [copy = ""] = lines;
    expect(copy).toMatch(/^cp config\.example\.json config\.json/);
    const example = readFileSync(join(root, "config.example.json"), "utf8");
    writeFileSync(
      join(folder, "config.example.json"),
      example.replace("https://company.example.com/api/v3", sandbox.baseUrl),
    );
    const env = { DAYFERRY_API_KEY: sandbox.keys[0]?.apiKey ?? "", DAYFERRY_PORT: "0" };
    expect((await shell(copy, { cwd: folder, env })).code).toBe(0);
    const doctor = `exec sh ${root}/bin/dayferry.sh doctor`;
    const first = await shell(doctor, { cwd: folder, env });
    expect([first.code, first.stdout.includes("FAIL")]).toEqual([0, false]);

    expect((await shell(blockWith(heading, "mkdir"), { cwd: folder, env })).code).toBe(0);
    const file = join(folder, "config.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('// "apiKeyFile"', '"apiKeyFile"'));
    expect((await shell(doctor, { cwd: folder, env: { DAYFERRY_PORT: "0" } })).code).toBe(0);

    const serving = spawn("sh", [join(root, "bin/dayferry.sh"), "start"], {
      cwd: folder,
      env: { ...bare, DAYFERRY_PORT: "0" },
    });
    let said = "";
    serving.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const url = await eventually("it says where it is", () => {
      return /Dayferry is at (http:\S+\/) /.exec(said)?.[1] ?? null;
    });
    expect((await fetch(`${url}login`)).status).toBe(200);
    const feeds = await shell(`exec sh ${root}/bin/dayferry.sh feeds list`, { cwd: folder });
    expect(feeds.code).toBe(0);
    const closed = new Promise((resolve) => serving.on("close", resolve));
    serving.kill("SIGINT");
    expect(await closed).toBe(0);
  });
});

describe("the container", () => {
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  const variable = (name: string): string =>
    new RegExp(`\\b${name}=(\\S+)`).exec(dockerfile)?.[1] ?? "";
  const block = blockWith("## Container", "docker run", installing).replaceAll("\\\n", " ");
  const mounts = new Map(
    [...block.matchAll(/--volume "?([^\s":]+):([^\s":]+)/g)].map(([, from = "", to = ""]) => [
      to,
      from,
    ]),
  );

  it("finds configuration, secrets and data where docs/install.md mounts them", () => {
    expect(mounts.get(variable("DAYFERRY_CONFIG"))).toBe("$PWD/config.json");
    // The target of `./secrets/…` in the configuration file.
    expect(mounts.get(join(dirname(variable("DAYFERRY_CONFIG")), "secrets"))).toBe("$PWD/secrets");
    expect(mounts.get(variable("DAYFERRY_DATA_DIR"))).toBe("dayferry");
    expect(dockerfile).toContain(`VOLUME ${variable("DAYFERRY_DATA_DIR")}\n`);
    expect(block).toContain(`${variable("DAYFERRY_DATA_DIR")}/admin-token`);
  });

  it("listens on the published port, whatever the configuration says", () => {
    const port = variable("DAYFERRY_PORT");
    expect(block).toContain(`--publish 127.0.0.1:${port}:${port} `);
    expect(dockerfile).toContain(`EXPOSE ${port}\n`);
    expect(variable("DAYFERRY_HOST")).toBe("0.0.0.0");
  });

  it("copies every file it needs, all of which are in its context", () => {
    const ignored = readFileSync(join(root, ".dockerignore"), "utf8");
    for (const [, from = ""] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
      // A permitted folder is permitted with its files.
      for (const name of from.split(" ")) expect(ignored).toContain(`!${name.split("/")[0]}\n`);
    }
    expect(dockerfile).toContain("ln -s /app/dist/daemon/dayferry.mjs /image/bin/dayferry\n");
    expect(dockerfile).toContain("COPY --from=build /image/bin /usr/local/bin\n");
  });
});
