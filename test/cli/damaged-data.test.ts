import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, install } from "../support/dayferry.ts";
import { command } from "../support/in-process.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();
/** After a sweep; copied for each test. */
let swept: Installation;

beforeAll(async () => {
  swept = install(rig.sandbox);
  expect(await command(["sync"], { installation: swept })).toMatchObject({ code: 0 });
});
afterAll(() => swept.dispose());

const databaseOf = ({ dataDir }: Installation): string => join(dataDir, "dayferry.sqlite");

/** As a bad cable would leave it: impossible values on pages in the middle. */
function spoilPages(file: string): void {
  const octets = readFileSync(file);
  octets.fill(0xa5, 8 * 4096, octets.length - 4096);
  writeFileSync(file, octets);
}

const damages: readonly (readonly [what: string, damage: (file: string) => void])[] = [
  ["pages that say what cannot be", spoilPages],
  ["no head", (file) => writeFileSync(file, readFileSync(file).fill(0x5a, 0, 4096))],
  ["a part cut off", (file) => truncateSync(file, 50_000)],
  ["nothing in it", (file) => truncateSync(file, 0)],
  [
    "a folder in its place",
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
];

function damaged(damage: (file: string) => void): Installation {
  const installation = rig.place();
  cpSync(swept.dataDir, installation.dataDir, { recursive: true });
  writeFileSync(`${databaseOf(installation)}-known`, "");
  damage(databaseOf(installation));
  return installation;
}

const working: readonly (readonly string[])[] = [
  ["sync"],
  ["apply", "-", "--project", "2001"],
  ["edits", "list"],
  ["edits", "show", "1"],
  ["edits", "discard", "1"],
  ["feeds", "list"],
  ["feeds", "rotate", "2001"],
  ["people", "list"],
  ["people", "set-password", "11"],
  ["brakes", "list"],
  ["labels", "list"],
  ["labels", "create", "New"],
  ["comments", "list", "4001"],
  ["tasks", "copy", "4001", "--list", "3001"],
];

describe("a command on a damaged database", () => {
  it.each(working)("%s %s ends with the reason and the one command that helps", async (...args) => {
    const installation = damaged(spoilPages);
    const { code, stdout, stderr } = await command(args, { installation });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^\S+dayferry\.sqlite is damaged: .+\nWhat to do: there is no good backup in \S+: stop Dayferry, run `mkdir .+` and start it again: .+\n$/,
    );
  });

  it.each(damages)("also ends so if it has %s", async (_what, damage) => {
    const installation = damaged(damage);
    const { code, stderr } = await command(["edits", "list"], { installation });
    expect(code).toBe(1);
    expect(stderr).toMatch(/dayferry\.sqlite is damaged: .+\nWhat to do: /);
  });

  it("names the newest backup", async () => {
    const installation = damaged(spoilPages);
    const backups = join(installation.dataDir, "backups");
    mkdirSync(backups);
    for (const day of ["20261120", "20261121"]) {
      writeFileSync(join(backups, `dayferry-${day}T020000Z-daily.tar.gz`), "");
    }
    const { stderr } = await command(["sync"], { installation });
    expect(stderr).toContain(
      `run \`dayferry restore ${backups}/dayferry-20261121T020000Z-daily.tar.gz\``,
    );
  });

  it.each([
    ["report", "overdue"],
    ["sql", "SELECT count(*) FROM items"],
  ])("%s, which only reads, says where to find help", async (...args) => {
    const installation = damaged((file) =>
      writeFileSync(file, readFileSync(file).fill(0x5a, 0, 4096)),
    );
    const { code, stdout, stderr } = await command(args, { installation });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/dayferry\.sqlite .+; `dayferry doctor` says what helps\n$/);
  });

  it("doctor reports it among its other findings", async () => {
    const installation = damaged(spoilPages);
    const { code, stdout } = await command(["doctor"], { installation });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL data directory: \S+dayferry\.sqlite is damaged: /m);
    expect(stdout).toContain("stop Dayferry, run `mkdir");
    expect(stdout).toMatch(/^ok {3}configuration/m);
  });
});

it.each([
  ["dataDir", { dataDir: "FILE" }],
  ["dataDir", { dataDir: "FILE/below" }],
  ["mail.directory", { mail: { directory: "FILE/mails", from: "a@example.com" } }],
])(
  "a command whose folders are not writable because %s is %j names the file instead",
  async (key, changes) => {
    const place = rig.place();
    const file = join(place.folder, "file");
    writeFileSync(file, "");
    const written = JSON.parse(readFileSync(place.configFile, "utf8"));
    const changed = JSON.stringify({ ...written, ...changes }).replaceAll("FILE", file);
    writeFileSync(place.configFile, changed);
    for (const args of [["edits", "list"], ["sync"]]) {
      const { code, stderr } = await command(args, { installation: place });
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(`^${key} .+ cannot be written to: ${file} is a file, not a folder\n$`),
      );
    }
    const { code, stdout } = await command(["doctor"], { installation: place });
    expect(code).toBe(1);
    expect(stdout).toContain(`${file} is a file, not a folder`);
  },
);
