// Runs the test suite several times, beside busy loops, and lists every test that failed even once.
//   npx node scripts/repeat-tests.ts RUNS [--load N] [FILTER...]    N busy loops; FILTER as for `vitest run`
// Exits with 1 if a test failed or a run did not finish. A test that fails by chance is a defect.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";

const usage = "usage: node scripts/repeat-tests.ts RUNS [--load N] [FILTER...]";
const root = fileURLToPath(new URL("..", import.meta.url));

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).optional(),
        }),
      ),
    }),
  ),
});

interface Run {
  readonly passed: number;
  /** `file › test`, or a file that failed to load. */
  readonly failures: readonly string[];
  /** Output of the failed tests: a flaky failure may not happen again. */
  readonly messages: readonly string[];
}

const { runs, load, filters } = readArguments();
const folder = mkdtempSync(join(tmpdir(), "dayferry-repeat-"));
const loops = Array.from({ length: load }, () =>
  // Each ends with this process, however it was ended.
  spawn(process.execPath, ["--eval", "for (const { ppid } = process; process.ppid === ppid; );"], {
    stdio: "ignore",
  }),
);
const failures = new Map<string, number>();
try {
  for (let nth = 1; nth <= runs; nth += 1) {
    const began = Date.now();
    const run = await runOnce(join(folder, `${nth}.json`));
    for (const name of run.failures) failures.set(name, (failures.get(name) ?? 0) + 1);
    for (const message of run.messages) console.log(message);
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(
      `run ${nth} of ${runs}: ${run.passed} passed, ${run.failures.length} failed, ${seconds} s`,
    );
  }
} finally {
  for (const loop of loops) loop.kill("SIGKILL");
  rmSync(folder, { recursive: true });
}
for (const [name, times] of failures) console.log(`failed in ${times} of ${runs} runs: ${name}`);
console.log(
  failures.size === 0 ? `No test failed in ${runs} runs with load ${load}.` : "Tests failed.",
);
process.exitCode = failures.size === 0 ? 0 : 1;

function readArguments() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { load: { type: "string", default: "0" } },
  });
  const [count = "", ...filters] = positionals;
  if (!/^[1-9]\d*$/.test(count) || !/^\d+$/.test(values.load)) {
    console.error(usage);
    process.exit(2);
  }
  return { runs: Number(count), load: Number(values.load), filters };
}

async function runOnce(file: string): Promise<Run> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const options = ["run", "--reporter=json", `--outputFile.json=${file}`, ...filters];
  const child: ChildProcess = spawn(process.execPath, [vitest, ...options], {
    cwd: root,
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  const report = readReport(file);
  if (report === null) return { passed: 0, failures: [`the run ended with ${code}`], messages: [] };
  const failed = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((one) => one.status === "failed");
    const path = name.replace(root, "");
    if (tests.length > 0) return tests.map(({ fullName }) => `${path} › ${fullName}`);
    return status === "failed" ? [`${path} did not load: ${message ?? ""}`] : [];
  });
  const messages = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ failureMessages = [] }) => failureMessages);
  const unexplained = failed.length === 0 && code !== 0 ? [`the run ended with ${code}`] : [];
  return { passed: report.numPassedTests, failures: [...failed, ...unexplained], messages };
}

function readReport(file: string) {
  try {
    return reportSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}
