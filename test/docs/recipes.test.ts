import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { glob } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { demoWorld } from "../support/demo-world.ts";
import { command } from "../support/in-process.ts";

// Every command of this program in a shell block of the README and of docs/, run against the demo; each other line has a
// reason not to be. `npm run verify` runs the README's blocks as they stand, by a shell.

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Lines that are not run here, with the place where they are or the reason why not. */
const elsewhere: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^npm (?:ci|start|pack)\b/, ".ci/run, and test/install/npm-package.drill.ts"],
  [/^npm (?:un)?install\b|^npx dayferry\b/, "test/install/npm-package.drill.ts"],
  [/^(?:curl|sed) |^ {2}"http/, "test/flows/readme.drill.ts"],
  [/^(?:cp|export|mkdir|printf|openssl) /, "test/flows/readme.drill.ts; they need nothing of ours"],
  [/^(?:ln|install|rm|systemctl|journalctl) /, "systemd, as root: test/install/units.drill.ts"],
  [/^docker |^ {2}--/, "test/install/image.drill.ts"],
  [/^kubectl /, "needs a cluster"],
  [/^dayferry restore (?!--list)/, "with the daemon stopped: test/flows/restore.test.ts"],
  [/^dayferry completion /, "test/cli/completions.test.ts"],
];

/** The lines of shell blocks: not of drawings, configuration, and what a command has printed. */
function shellLines(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```(?:sh|bash)?\n(.*?)^```$/gms)].map(
    ([, block = ""]) => block,
  );
  return blocks.filter(isShell).flatMap((block) => {
    const lines = block.split("\n").filter((line) => line !== "");
    const isSession = lines[0]?.startsWith("$ ") ?? false;
    return isSession
      ? lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2))
      : lines;
  });
}

const isShell = (block: string): boolean =>
  /^(?:\$ )?(?:npm|npx|dayferry|curl|cp|export|mkdir|docker|kubectl|install|systemctl) /.test(
    block,
  );

interface Recipe {
  readonly document: string;
  readonly line: string;
}

async function recipes(): Promise<readonly Recipe[]> {
  const documents = [
    "README.md",
    ...(await Array.fromAsync(glob("docs/*.md", { cwd: root }))).sort(),
  ];
  return documents.flatMap((document) =>
    shellLines(readFileSync(join(root, document), "utf8")).map((line) => ({ document, line })),
  );
}

/** The arguments of a line that runs this program, as a shell would pass them; null for another line. */
function argumentsOf(line: string, folder: string): readonly string[] | null {
  const [, rest] = /^(?:npm run -s dayferry --|dayferry) (.*)$/.exec(line) ?? [];
  if (rest === undefined) return null;
  const said = rest
    .replace(/\s+#.*$/, "")
    .replace(/ [<>] \S+$/, "")
    .replace(/ --config \S+/, "")
    .replaceAll("/mnt/elsewhere", folder)
    .replaceAll("$(date +%F)", Temporal.Now.plainDateISO("Europe/Berlin").toString());
  return [...said.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = ""]) => quoted ?? bare);
}

let world: Awaited<ReturnType<typeof demoWorld>>;
let folder: string;
beforeAll(async () => {
  world = await demoWorld();
  folder = mkdtempSync(join(tmpdir(), "dayferry-recipes-"));
});
afterAll(async () => {
  await world?.close();
  if (folder) rmSync(folder, { recursive: true });
});

it("gives a reason for each command that is not run, and no unused reason", async () => {
  const lines = (await recipes()).map(({ line }) => line);
  const others = lines.filter((line) => !elsewhere.some(([pattern]) => pattern.test(line)));
  expect(others.filter((line) => argumentsOf(line, "") === null)).toEqual([]);
  const unused = elsewhere.filter(([pattern]) => !lines.some((line) => pattern.test(line)));
  expect(unused.map(([pattern]) => pattern.source)).toEqual([]);
});

it("runs every command that the README and docs/ show", async () => {
  const failed: string[] = [];
  let count = 0;
  for (const { document, line } of await recipes()) {
    const args = argumentsOf(line, folder);
    if (!args || elsewhere.some(([pattern]) => pattern.test(line))) continue;
    count += 1;
    const output = args.indexOf("--output");
    const placed = args.map((arg, at) =>
      output >= 0 && at === output + 1 ? join(folder, arg) : arg,
    );
    const { installation } = world;
    const daemon = { url: world.url, adminToken: world.adminToken };
    const input = line.includes(" < query.sql") ? "SELECT 1 AS one" : "";
    const { code, stderr } = await command(placed, { installation, daemon, input });
    // doctor reports by its exit code what is wrong with a place.
    if (code !== 0 && !(args[0] === "doctor" && code === 1))
      failed.push(`${document}: ${line}: ${code} ${stderr}`);
  }
  expect(failed).toEqual([]);
  expect(count).toBeGreaterThan(15);
});
