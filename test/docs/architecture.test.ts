import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { mostFiles, type Walk, walkNames } from "../../scripts/walks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = readFileSync(`${root}docs/architecture.md`, "utf8");

/** A sequence diagram: `stops` by their names in it, with their file of `src/` unless they are outside figures. */
interface Diagram {
  readonly stops: ReadonlyMap<string, string | null>;
  readonly arrows: readonly { readonly from: string; readonly to: string }[];
  /** Lines that are not allowed in a diagram. */
  readonly odd: readonly string[];
}

function diagramOf(walk: string): Diagram {
  const [, below = ""] = text.split(`\n### ${walk}\n`);
  const [, block = ""] = /```mermaid\n(.*?)\n```/s.exec(below.split(/^#{2,3} /m)[0] ?? "") ?? [];
  const [first, ...lines] = block.split("\n").map((line) => line.trim());
  const stops = new Map<string, string | null>();
  const arrows: { readonly from: string; readonly to: string }[] = [];
  const odd = first === "sequenceDiagram" ? [] : [`${first}`];
  for (const line of lines) {
    const [, figure] = /^actor (\w+)$/.exec(line) ?? [];
    const [, name, path] = /^participant (\w+) as ([\w/-]+)$/.exec(line) ?? [];
    const [, from, to] = /^(\w+)--?>>(\w+): [^;#]+$/.exec(line) ?? [];
    if (figure !== undefined) stops.set(figure, null);
    else if (name !== undefined && path !== undefined) stops.set(name, path);
    else if (from !== undefined && to !== undefined) arrows.push({ from, to });
    else if (line !== "autonumber") odd.push(line);
  }
  return { stops, arrows, odd };
}

const foldersIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([\w-]+\/)`/g)].map(([, name = ""]) => name);

describe("docs/architecture.md", () => {
  let walks: readonly Walk[] = [];

  // In a separate process, as the coverage of the tests counts by the same means in this one.
  beforeAll(async () => {
    const script = `${root}scripts/walk-files.ts`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [script, "--json"], { cwd: root });
    walks = JSON.parse(stdout);
  });

  it("names every module and folder, and no missing one", () => {
    const [, table = ""] = text.split("\n## Modules\n");
    const rows = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| (`\w.*`) \| .* \| (.*)\|$/gm)];
    const told = rows.flatMap(([, first = "", inner = ""]) => {
      const modules = foldersIn(first);
      return [...modules, ...foldersIn(inner).map((folder) => `${modules[0]}${folder}`)];
    });
    const folders = readdirSync(`${root}src`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => `${relative(`${root}src`, join(parentPath, name))}/`);
    expect(told.toSorted()).toEqual(folders.toSorted());
  });

  it("lists every decision by its title, each with its parts", () => {
    const files = readdirSync(`${root}docs/decisions`).toSorted();
    const [, index = ""] = text.split("\n## Decisions\n");
    const listed = index.matchAll(/^\| \[(\d{4})\]\(decisions\/([^)]+)\) \| (.+?) \| .+ \|$/gm);
    const heads = files.map((file) => {
      const decision = readFileSync(`${root}docs/decisions/${file}`, "utf8");
      const parts = [...decision.matchAll(/^## (.+)$/gm)].map(([, part]) => part);
      expect([file, parts]).toEqual([file, ["Context", "Choice", "Reason", "Price"]]);
      expect(decision).toMatch(/^\w+, \d{4}-\d\d-\d\d\.$/m);
      const [, number, title] = /^# (\d{4})\. (.+)$/m.exec(decision) ?? [];
      return [number, file, title];
    });
    expect([...listed].map(([, ...head]) => head)).toEqual(heads);
    expect(files.length).toBeGreaterThan(10);
  });

  it.each(walkNames)("draws %s with stops on the walk", (name) => {
    const { stops } = diagramOf(name);
    const paths = [...stops.values()].filter((path) => path !== null);
    expect(paths.length).toBeGreaterThan(8);
    const places = (path: string) => [
      `${root}src/${path}.ts`,
      `${root}packages/${path.replace("/", "/src/")}.ts`,
    ];
    expect(paths.filter((path) => !places(path).some((place) => existsSync(place)))).toEqual([]);
    const ran = new Set(walks.find((walk) => walk.name === name)?.files.map(({ file }) => file));
    expect(paths.filter((path) => !ran.has(`${path}.ts`))).toEqual([]);
  });

  it.each(walkNames)("%s executes no more files than before", (name) => {
    const files = walks.find((walk) => walk.name === name)?.files ?? [];
    expect(files.length).toBeGreaterThan(20);
    expect(files.length).toBeLessThanOrEqual(mostFiles[name]);
  });

  it.each(walkNames)("draws %s in lines that Mermaid reads", (name) => {
    const { stops, arrows, odd } = diagramOf(name);
    expect(odd).toEqual([]);
    const kept = ["end", "loop", "alt", "else", "opt", "par", "note", "activate", "box", "link"];
    expect([...stops.keys()].filter((stop) => kept.includes(stop))).toEqual([]);
    const strange = arrows.filter(({ from, to }) => !stops.has(from) || !stops.has(to));
    expect(strange).toEqual([]);
  });

  it.each(walkNames)("draws the files of %s in the order of the walk", (name) => {
    const { stops, arrows } = diagramOf(name);
    const met = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))];
    const isFile = (stop: string): boolean => stops.get(stop) !== null;
    expect(met.filter(isFile)).toEqual([...stops.keys()].filter(isFile));
    expect(met.length).toBe(stops.size);
  });
});
