// Every report on a mirror of 50,000 tasks, and what a report costs the daemon beside it.
//   node bench/reports.ts [tasks=50000]
// First the time that each report takes after start-up, read, worked out and written, in each format, in a warm process:
// of the present, then of a past time by --as-of.
// Then a loop that stands for the daemon: it writes what a sweep finds changed, every 20 ms, without a report, with
// reports in the process that serves /api/reports, and beside the command in a process of its own; printed is the delay
// of its timer and the time of its writes. Ends with 1 when a report takes longer than 1 s, or a write with a report is
// more than 50 ms later than the latest one without.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { reports } from "../src/reports/catalogue/catalogue.ts";
import { type Format, formats } from "../src/reports/formats/format.ts";
import { type RenderOptions, renderReport } from "../src/reports/render-report.ts";
import { createReportProcesses } from "../src/reports/report-processes.ts";
import { numbersOf } from "./options.ts";
import { fillWorkspace, type ReportWorkspace } from "./report-workspace.ts";

const { tasks } = numbersOf({ tasks: 50_000 });
const zone = "Europe/Berlin";
const directory = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
const file = join(directory, "dayferry.sqlite");
const workspace = fillWorkspace(file, tasks);
const megabytes = Math.round(statSync(file).size / 1e6);
console.log(`${tasks} tasks, ${tasks / 10} events, ${megabytes} MB`);

const pastAt = Temporal.Now.instant().toString();
const slow = [...timeReports(null), ...timeReports(pastAt)];
const isLate = await timeDaemon(workspace);
workspace.store.close();
rmSync(directory, { recursive: true });
process.exitCode = slow.length > 0 || isLate ? 1 : 0;

function optionsFor(name: string, format: Format, asOf: string | null = null): RenderOptions {
  const now = Temporal.Now.instant();
  // Everything, where a report would show a span of its own.
  const from = name === "agenda" || name === "activity" ? "2000-01-01" : null;
  const rest = { project: null, person: null, label: null, to: null, since: null, asOf };
  return { file, zone, now, format, viewer: null, request: { ...rest, name, from, limit: null } };
}

function timeReports(asOf: string | null): readonly string[] {
  const timed = reports.filter(({ takes }) => asOf === null || takes.includes("as-of"));
  const rows = timed.map(({ name }) => {
    const times = formats.map((format) => {
      const runs = [0, 1, 2].map(() => {
        const began = performance.now();
        const rendered = renderReport(optionsFor(name, format, asOf));
        if (!rendered.ok) throw new Error(rendered.failure.message);
        return performance.now() - began;
      });
      return [format, Math.round(Math.min(...runs))] as const;
    });
    return {
      report: name,
      ...Object.fromEntries(times),
      worst: Math.max(...times.map(([, ms]) => ms)),
    };
  });
  // The quickest of three: what else runs on the machine only adds.
  console.log(`milliseconds, quickest of 3, ${asOf ? "as of a past time" : "of the present"}`);
  console.table(rows);
  return rows.filter(({ worst }) => worst > 1000).map(({ report }) => report);
}

/** How late the loop's timer is, and how long its writes take, while `beside` runs. */
async function loopBeside(
  { touch }: ReportWorkspace,
  beside: (stop: AbortSignal) => Promise<number>,
) {
  const stop = new AbortController();
  const done = beside(stop.signal);
  const late: number[] = [];
  const wrote: number[] = [];
  const until = performance.now() + 15_000;
  for (let round = 1; performance.now() < until; round += 1) {
    const due = performance.now() + 20;
    await rest(20);
    const began = performance.now();
    late.push(began - due);
    touch(round * 17, round);
    wrote.push(performance.now() - began);
  }
  stop.abort();
  const made = await done;
  const at = (values: readonly number[], share: number) =>
    Math.round(
      (values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0) * 10,
    ) / 10;
  return {
    reports: made,
    "timer late p50 ms": at(late, 0.5),
    "p99 ms": at(late, 0.99),
    "most ms": at(late, 1),
    "write p50 ms": at(wrote, 0.5),
    "write p99 ms": at(wrote, 0.99),
    "write most ms": at(wrote, 1),
  };
}

async function timeDaemon(workspace: ReportWorkspace): Promise<boolean> {
  const { signal } = new AbortController();
  const crew = createReportProcesses({ signal });
  const rows = {
    "no report": await loopBeside(workspace, async () => 0),
    "over HTTP": await loopBeside(workspace, async (stop) => {
      let made = 0;
      for (; !stop.aborted; made += 1) {
        const answer = await crew.render(optionsFor("agenda", "html"), signal);
        if (!answer.ok) throw new Error(answer.failure.message);
        answer.value.body.destroy();
      }
      return made;
    }),
    "as a command": await loopBeside(workspace, async (stop) => {
      let made = 0;
      for (; !stop.aborted; made += 1) await runCommand();
      return made;
    }),
  };
  console.table(rows);
  const alone = rows["no report"];
  return [rows["over HTTP"], rows["as a command"]].some(
    (row) =>
      row["most ms"] - alone["most ms"] > 50 || row["write most ms"] - alone["write most ms"] > 50,
  );
}

function runCommand(): Promise<void> {
  const main = join(import.meta.dirname, "../src/main.ts");
  const args = ["report", "slippage", "--database", file, "--time-zone", zone, "--format", "csv"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: "ignore" });
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`ended with ${code}`)),
    );
  });
}
