import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { configSchema } from "../../src/config/schema.ts";
import { knownKeys } from "../../src/config/settings.ts";
import { command } from "../support/in-process.ts";

// What documents name exists: files, tests, commands, scripts, configuration keys, and headings.

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const isThere = (path: string): boolean => existsSync(join(root, path));
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });

const documents = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "test/caldav/standards.md",
  ...filesBelow("docs").map((path) => `docs/${path}`),
]
  .filter((path) => path.endsWith(".md") && isThere(path))
  .map((path) => ({ path, text: read(path) }));

/** Every name of a kind with the document that says it. */
function named(pattern: RegExp): readonly { readonly by: string; readonly name: string }[] {
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([, name = ""]) => ({ by: path, name })),
  );
}

describe("files named in documents", () => {
  const folders = [".", "src"].flatMap((place) =>
    readdirSync(join(root, place), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => entry.name)
      // Built files may be missing.
      .filter((name) => name !== "dist"),
  );
  const sources = ["src", "packages", "test", "bench", "scripts"].flatMap(filesBelow);

  it("exist at their paths, from the root or from src/", () => {
    const paths = named(/`((?:\w[\w-]*\/)+[\w.-]*)`/g).filter(({ name }) =>
      folders.includes(name.split("/")[0] ?? ""),
    );
    const missing = paths.filter(({ name }) =>
      ["", "src/"].every((from) => !isThere(from + name) && !isThere(`${from}${name}.ts`)),
    );
    expect(missing).toEqual([]);
    expect(paths.length).toBeGreaterThan(30);
  });

  it("exist by name", () => {
    const missing = named(/`([\w-]+\.ts)`/g).filter(
      ({ name }) => !sources.some((path) => path === name || path.endsWith(`/${name}`)),
    );
    expect(missing).toEqual([]);
  });

  it("exist where a link leads, with the heading behind #", () => {
    const links = named(/\]\(([^):\s]+)\)/g);
    const broken = links.filter(({ by, name }) => {
      const [file = "", heading] = name.split("#");
      const target = file === "" ? by : join(dirname(by), file);
      if (!isThere(target)) return true;
      return heading !== undefined && !headings(read(target)).includes(heading);
    });
    expect(broken).toEqual([]);
    expect(links.length).toBeGreaterThan(5);
  });
});

/** The headings of a document as links name them. */
function headings(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

it("every picture is shown by a document", () => {
  const shown = named(/!\[[^\]]+\]\(([^)]+)\)/g).map(({ by, name }) => join(dirname(by), name));
  const taken = filesBelow("docs/pictures").map((file) => `docs/pictures/${file}`);
  expect(taken.filter((file) => !shown.includes(file))).toEqual([]);
  expect(taken.length).toBeGreaterThan(5);
});

it("tests named in documents exist, by file and title", () => {
  const tests = named(/`([\w/-]+ › [^`]+)`/g);
  const missing = tests.filter(({ name }) => {
    const [file = "", title = ""] = name.split(/ › (.*)/s);
    const places = [`test/${file}`, `packages/${file.replace("/", "/test/")}`];
    return ![".test", ".long.test", ".drill", ""].some((kind) =>
      places.some((place) => hasTest(`${place}${kind}.ts`, title)),
    );
  });
  expect(missing).toEqual([]);
  expect(tests.length).toBeGreaterThan(150);
  expect(hasTest("test/docs/names.test.ts", "names no such test")).toBe(false);
});

/** Whether a file has a test or a group of tests with this title. */
function hasTest(file: string, title: string): boolean {
  if (!isThere(file)) return false;
  const escaped = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:describe|it|test|\\))(?:\\.each)?\\(\\s*["\`]${escaped}["\`]`).test(
    read(file),
  );
}

describe("commands named in documents", () => {
  /** The names that a command's help lists below "Commands". */
  async function commandsOf(...path: readonly string[]): Promise<readonly string[]> {
    const nowhere = { folder: "", configFile: "", dataDir: "", dispose: () => undefined };
    const { stdout } = await command([...path, "--help"], { installation: nowhere });
    // The program's own are in groups.
    const [, list = ""] = path.length === 0 ? ["", stdout] : stdout.split("\nCommands:\n");
    return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => name);
  }
  const inner = new Map<string, readonly string[]>();

  beforeAll(async () => {
    for (const name of await commandsOf()) inner.set(name, await commandsOf(name));
  });

  it("exist, including subcommands", () => {
    // In a recipe or a sentence, several below one with / between them; and in the table of commands.
    const run = named(
      /(?:dayferry --|exec dayferry dayferry|(?<!\w dayferry |(?:docker|kubectl).*)\bdayferry) ([a-z][\w-]*(?: [a-z][\w/-]*)?)/g,
    );
    const listed = named(/^\| `([a-z]+(?: [a-z/-]+)?)[^`]*`(?:, `[a-z]+`)* \| [^|]* \|$/gm);
    const said = [...run, ...listed.filter(isCommand)];
    const wrong = said.filter(({ name }) => {
      const [outer = "", below = ""] = name.split(" ");
      const known = inner.get(outer);
      if (!known) return true;
      return (
        known.length > 0 && below !== "" && !below.split("/").every((it) => known.includes(it))
      );
    });
    expect(wrong).toEqual([]);
    expect(said.length).toBeGreaterThan(30);
  });

  function isCommand({ by, name }: { readonly by: string; readonly name: string }): boolean {
    return by === "docs/api.md" && inner.has(name.split(" ")[0] ?? "");
  }

  it("are scripts of the package if npm runs them", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const wrong = named(/\bnpm run (?:-s )?([a-z]+)/g).filter(({ name }) => !(name in scripts));
    expect(wrong).toEqual([]);
  });

  it("run existing files", () => {
    const files = named(/\b(?:node|vitest run) ((?:bench|scripts|test)\/[\w./-]+)/g);
    expect(files.filter(({ name }) => !isThere(name))).toEqual([]);
    expect(files.length).toBeGreaterThan(2);
  });
});

describe("configuration keys named in documents", () => {
  /** Named like a key, and in the answer of /api/status. */
  const ofStatus = ["mail.turnedOff"];

  it("exist", () => {
    const paths = knownKeys(configSchema("/")).map(({ path }) => path.replace(/\[\]/g, ""));
    const parts = new Set(paths.map((path) => path.split(".")[0]));
    const keys = named(/`((?:[a-z][a-zA-Z]*(?:\[\])?\.)+[a-zA-Z]+)`/g)
      .map(({ by, name }) => ({ by, name: name.replace(/\[\]/g, "") }))
      .filter(({ name }) => parts.has(name.split(".")[0] ?? "") && !name.endsWith(".ts"))
      .filter(({ name }) => !ofStatus.includes(name));
    expect(keys.filter(({ name }) => !paths.some((path) => path.startsWith(name)))).toEqual([]);
    expect(keys.length).toBeGreaterThan(50);
  });
});
