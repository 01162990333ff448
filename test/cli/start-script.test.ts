import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** A checkout whose Node is a program that does what `script` says; the path has no other one. */
function checkout(script: string | null) {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-checkout-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  if (script !== null) program(join(folder, "node_modules/node/bin/node"), script);
  for (const name of ["dirname", "head", "sh"]) link(folder, name);
  return {
    folder,
    run: (env: Readonly<Record<string, string>> = {}) =>
      spawnSync("/bin/sh", [join(folder, "bin/dayferry.sh"), "edits", "list"], {
        encoding: "utf8",
        env: { PATH: join(folder, "path"), ...env },
      }),
  };
}

function program(file: string, script: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

const link = (folder: string, name: string): void =>
  program(join(folder, "path", name), `exec /usr/bin/${name} "$@"`);

const answering = (major: number) =>
  `if [ "$1" = -p ]; then echo ${major}; else echo "ran: $*"; fi`;

describe("bin/dayferry.sh", () => {
  it("runs the command with the Node that npm ci has installed", () => {
    const { folder, run } = checkout(answering(26));
    expect(run().stdout).toBe(`ran: ${folder}/src/dayferry.ts edits list\n`);
  });

  it("runs the bundle if it matches the sources, and the sources otherwise", () => {
    const { folder, run } = checkout(answering(26));
    for (const name of ["find", "sort", "xargs", "cksum"]) link(folder, name);
    const write = (name: string, text: string) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    };
    write("package-lock.json", "{}");
    write("src/dayferry.ts", "one();\n");
    write("src/edits/two.ts", "two();\n");
    const stamp = spawnSync("/bin/sh", [join(folder, "bin/stamp.sh")], { encoding: "utf8" });
    expect(stamp.stdout).toMatch(/^\d+ \d+\n$/);
    write("dist/daemon/stamp", stamp.stdout);
    expect(run().stdout).toBe(`ran: ${folder}/dist/daemon/dayferry.mjs edits list\n`);

    appendFileSync(join(folder, "src/edits/two.ts"), "\n");
    expect(run().stdout).toBe(`ran: ${folder}/src/dayferry.ts edits list\n`);
    write("src/edits/two.ts", "two();\n");
    expect(run().stdout).toContain("/dist/daemon/dayferry.mjs");
    write("package-lock.json", "{ }");
    expect(run().stdout).toContain("/src/dayferry.ts");
  });

  it("says if packages are not installed", () => {
    const { stderr, status } = checkout(null).run();
    expect(status).toBe(1);
    expect(stderr).toContain("run npm ci in");
  });

  it("names the missing libatomic and how to get it", () => {
    const fault = "error while loading shared libraries: libatomic.so.1: cannot open shared object";
    const { stdout, stderr, status } = checkout(`echo "node: ${fault}" >&2; exit 127`).run();
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`  node: ${fault}\n`);
    expect(stderr).toContain("apt-get install libatomic1");
    expect(stderr.split("\n").length).toBeLessThan(8);
  });

  it("uses the machine's Node only if that is new enough", () => {
    const { folder, run } = checkout("exit 127");
    const own = join(folder, "own/node");
    program(own, answering(24));
    expect(run({ npm_node_execpath: own }).status).toBe(1);
    program(own, answering(27));
    expect(run({ npm_node_execpath: own }).stdout).toBe(
      `ran: ${folder}/src/dayferry.ts edits list\n`,
    );
  });

  it.each(["start", "dayferry", "test"])("is run by `npm run %s`", (name) => {
    expect(manifest.scripts[name]).toMatch(/^(?:exec )?sh bin\/dayferry\.sh\b/);
  });

  it("leaves no process behind if npm is stopped", async () => {
    const npm = spawn("npm", ["run", "-s", "dayferry", "--", "sandbox", "--port", "0", "--json"], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise((resolve) => npm.on("close", resolve));
    const told = await new Promise<string>((resolve) => {
      npm.stdout.once("data", (chunk) => resolve(String(chunk)));
    });
    const { baseUrl } = JSON.parse(told);
    npm.kill("SIGTERM");
    await ended;
    await eventually("nobody listens any more", () =>
      fetch(baseUrl).then(
        () => null,
        () => true,
      ),
    );
  });
});

it("package.json can be installed by any Node from 20 on, without warnings", () => {
  expect(manifest.engines).toEqual({ node: ">=20" });
  expect(readFileSync(join(root, ".npmrc"), "utf8")).toMatch(/^loglevel=error$/m);
});
