import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dayferry, type Installation, install } from "../support/dayferry.ts";
import { command as commandHere, serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

let sandbox: Sandbox;
let installation: Installation;
let daemon: Awaited<ReturnType<typeof serveHere>> | null = null;
let due: Temporal.PlainDate;

beforeAll(async () => {
  sandbox = await testSandbox({ quota: { requests: 25, perMs: 100 } });
  installation = install(sandbox);
  due = Temporal.Now.plainDateISO("Europe/Berlin").subtract({ days: 3 });
  const { project, lists } = place();
  const task = { title: "Overdue | one", due_date: due.toString() };
  sandbox.workspace.tasks.create({ by: by(), project, list: lists[0] ?? 0 }, task);
});
afterAll(async () => {
  await daemon?.stop();
  installation.dispose();
  await sandbox.close();
});

const place = () => {
  const [first] = sandbox.workspace.places();
  if (!first) throw new Error("the workspace is empty");
  return first;
};
const by = () => ownerOf(sandbox);
const command = (...args: readonly (string | number)[]) =>
  commandHere(args.map(String), { installation, daemon });
const published = () => {
  const { project, folders } = place();
  const files = sandbox.workspace.files.list({ by: by(), project, folder: folders[0] ?? 0 });
  return files.map(({ name }) => name);
};

describe("report", () => {
  it("says that there is no data yet, before the first sync", async () => {
    const { code, stderr } = await command("report", "agenda");
    expect([code, stderr]).toEqual([1, expect.stringContaining("there is no database at")]);
    expect((await command("report", "list")).stdout).toContain("freshness");
    for (const json of [["--json"], ["--format", "json"]]) {
      const listed: unknown = JSON.parse((await command("report", "list", ...json)).stdout);
      expect(listed).toContainEqual(expect.objectContaining({ name: "freshness" }));
    }
    expect(existsSync(join(installation.dataDir, "dayferry.sqlite"))).toBe(false);
  });

  it("reads what a sweep has stored, without daemon and service", async () => {
    expect((await command("sync")).code).toBe(0);
    const table = await command("report", "overdue");
    expect([table.code, table.stderr]).toEqual([0, ""]);
    expect(table.stdout).toMatch(/3 {2}task +Overdue \| one/);
    expect(table.stdout).toMatch(/\nMirror: \d+ sources, read \d+ s/);
    const marked = await command("report", "overdue", "--format", "csv", "--bom");
    expect(marked.stdout.startsWith("\ufeff")).toBe(true);
    const csv = await command("report", "overdue", "--format", "csv");
    expect(csv.stderr).toMatch(/^Mirror: /);
    const moved = await command("report", "slippage", "--format", "csv");
    expect(moved.stderr).toMatch(/^Only moves that were seen count: .*\nMirror: .*\n$/);
    expect(csv.stdout.split("\r\n")[1]).toMatch(/,Overdue \| one,.*Z$/);
    const json: unknown = JSON.parse((await command("report", "overdue", "--json")).stdout);
    expect(json).toMatchObject({ rows: [{ days_late: 3 }], freshness: { neverRead: 0 } });
  });

  it("ends with 2 and the reason for arguments it cannot understand", async () => {
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [["report", "agendas"], "there are agenda, overdue"],
      [["report", "agenda", "--from", "soon"], '--from "soon": it must be a date'],
      [["report", "agenda", "--project", "0"], "nothing has that id or name"],
      [["report", "agenda", "--as-of", "2020-01-01"], "everything is known from"],
      [["report", "agenda", "--format", "pdf"], "Allowed choices are table, csv, json, md, html"],
      [["report", "agenda", "--limit", "0"], "positive whole number"],
      [["report", "agenda", "--time-zone", "Berlin"], "not an IANA time zone"],
      [["report", "agenda", "--publish", "nowhere"], "nothing has that id or name"],
      [["report", "agenda", "--output", installation.folder], "it is a folder"],
      [["report"], "missing required argument 'name'"],
    ];
    for (const [args, reason] of wrong) {
      const { code, stderr } = await command(...args);
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(reason)]);
    }
  });

  it("writes a file completely, or keeps the previous one", async () => {
    const output = join(installation.folder, "overdue.html");
    writeFileSync(output, "old");
    const { code, stdout } = await command(
      "report",
      "overdue",
      "--format",
      "html",
      "--output",
      output,
    );
    expect([code, stdout]).toEqual([0, ""]);
    expect(readFileSync(output, "utf8")).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    const lost = join(installation.folder, "none", "x.html");
    expect((await command("report", "overdue", "--output", lost)).code).toBe(1);
    expect(readdirSync(installation.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("publishes to a folder of the project, alone and beside a daemon", async () => {
    const { project, folders } = place();
    const args = ["report", "overdue", "--project", project, "--publish", folders[0] ?? 0];
    const alone = await command(...args);
    expect([alone.code, alone.stderr]).toEqual([0, expect.stringContaining("is in folder")]);
    expect(published()).toEqual([expect.stringMatching(/^overdue-\d{4}-\d\d-\d\d\.html$/)]);
    daemon = await serveHere(installation);
    expect((await command(...args, "--format", "csv")).code).toBe(0);
    expect(published()).toHaveLength(2);
  });

  it("names the failed step of publishing, and keeps the report file", async () => {
    const { project, folders } = place();
    const output = join(installation.folder, "kept.md");
    const publish = (folder: number) =>
      command(
        ...["report", "overdue", "--project", project, "--publish", folder],
        ...["--format", "md", "--output", output],
      );
    const steps = [/^\/upload/, /\/folders\/\d+\/files$/] as const;
    for (const path of steps) {
      sandbox.faults.add({ kind: "status", status: 422, method: "POST", path });
      const { code, stderr } = await publish(folders[0] ?? 0);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/POST .*, 422\)/)]);
      expect(readFileSync(output, "utf8")).toContain("Overdue \\| one");
      rmSync(output);
    }
    const elsewhere = await publish(999_999);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      1,
      expect.stringContaining("there is no folder 999999"),
    ]);
    expect(published()).toHaveLength(2);
    sandbox.faults.clear();
  });
});

describe("GET /api/reports", () => {
  const ask = (path: string, token = daemon?.adminToken) =>
    fetch(`${daemon?.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

  it("returns every format for the admin token, from its own thread", async () => {
    for (const [format, type] of [
      ["json", "application/json"],
      ["csv", "text/csv"],
      ["html", "text/html"],
    ]) {
      const answer = await ask(`/api/reports/overdue?format=${format}`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        expect.stringContaining(type ?? ""),
      ]);
      expect(answer.headers.get("x-dayferry-mirror")).toMatch(/^Mirror: /);
      expect(await answer.text()).toContain("Overdue | one");
    }
    const items: unknown = await (await ask(`/api/items?project=${place().project}`)).json();
    expect(items).toMatchObject({ report: "items", rows: [{ title: "Overdue | one" }] });
  });

  it("refuses others, unknown names and wrong parameters", async () => {
    const statuses = await Promise.all(
      [
        ask("/api/reports/overdue", "wrong"),
        ask("/api/items", "wrong"),
        ask("/api/reports/nothing"),
        ask("/api/reports/overdue?from=x"),
        ask("/api/reports/overdue?format=pdf"),
        ask("/api/reports/overdue?limit=-1"),
        ask("/api/reports/overdue?per=son"),
        // A misunderstood filter must not be answered with everything.
        ask("/api/reports/overdue?project=2001&project=2002"),
        ask("/api/reports/overdue?project[]=2001"),
        ask("/api/reports/overdue?person="),
        ask("/api/items?label"),
      ].map(async (answer) => (await answer).status),
    );
    expect(statuses).toEqual([401, 401, 404, 400, 400, 400, 400, 400, 400, 400, 400]);
    const listed: unknown = await (await ask("/api/reports")).json();
    expect(listed).toContainEqual(expect.objectContaining({ name: "overdue" }));
    expect((await ask("/api/reports", "wrong")).status).toBe(401);
    const problem: unknown = await (await ask("/api/reports/overdue?from=x")).json();
    expect(problem).toMatchObject({ detail: 'from "x": it must be a date, such as 2026-11-30' });
  });
});

describe("sql", () => {
  it("answers a query beside the daemon, in every format", async () => {
    const query = "SELECT title, days_late, NULL AS empty, x'00ff' AS octets FROM report_overdue";
    const said = async (format: string) => (await command("sql", query, "--format", format)).stdout;
    // A file alone does not tell the account's zone: its day is that of UTC.
    const late = Temporal.Now.plainDateISO("UTC").since(due).days;
    expect(await said("table")).toBe(
      `title          days_late  empty  octets\nOverdue | one          ${late}         x'00ff'\n`,
    );
    expect(await said("csv")).toBe(
      `title,days_late,empty,octets\r\nOverdue | one,${late},,x'00ff'\r\n`,
    );
    expect(JSON.parse(await said("json"))).toEqual([
      { title: "Overdue | one", days_late: late, empty: null, octets: "x'00ff'" },
    ]);
    expect(await said("md")).toContain(`| Overdue \\| one | ${late} |`);
    expect(await said("html")).toContain("<td>Overdue | one</td>");
  });

  it("stops slow queries, and says how many rows it left out", async () => {
    const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    const late = await command("sql", `${endless} SELECT count(*) FROM n`, "--timeout", "PT1S");
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("longer than PT1S")]);
    const many = await command("sql", `${endless} SELECT x FROM n`, "--limit", "3", "--json");
    expect([many.code, JSON.parse(many.stdout)]).toEqual([0, [{ x: 1 }, { x: 2 }, { x: 3 }]]);
    expect(many.stderr).toContain("only the first 3 rows");
  });

  it("refuses writing queries, and says where a query is wrong", async () => {
    const deleted = await command("sql", "DELETE FROM view_items");
    expect([deleted.code, deleted.stderr]).toEqual([
      1,
      expect.stringContaining("only queries that read"),
    ]);
    const wrong = await command("sql", "SELECT titel FROM view_items");
    expect([wrong.code, wrong.stderr]).toEqual([1, "no such column: titel (line 1, column 8)\n"]);
  });
});

it("reads a copy of the file without a configuration, in its own process", async () => {
  await daemon?.stop();
  daemon = null;
  const folder = join(installation.folder, "copy");
  mkdirSync(folder);
  const copy = join(folder, "some.sqlite");
  writeFileSync(copy, readFileSync(join(installation.dataDir, "dayferry.sqlite")));
  chmodSync(copy, 0o444);
  const env = { DAYFERRY_CONFIG: join(folder, "none.json") };
  const { code, stdout, stderr } = await dayferry(
    ["report", "overdue", "--database", copy, "--time-zone", "Europe/Berlin"],
    { env },
  );
  expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("Overdue | one")]);
  const sql = await dayferry(["sql", "-", "--database", copy], { env, input: "SELECT 1 AS one" });
  expect([sql.code, sql.stdout]).toEqual([0, "one\n  1\n"]);
  rmSync(folder, { recursive: true });
});
