import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { isThorough } from "./test/support/effort.ts";

/** Folders whose files take long: begun last, one of them would be the only one that still runs. */
const slowFolders = ["flows", "clients", "backups", "cli", "install", "sync"];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
  }
}

const isSlow = ({ moduleId }: TestSpecification): boolean =>
  slowFolders.some((folder) => moduleId.includes(`/test/${folder}/`));

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    // What takes seconds and has quicker tests of the same promise beside it: `npm run verify` runs these as well.
    exclude: isThorough ? [] : ["**/*.long.test.ts"],
    env: { TZ: "UTC" },
    globalSetup: ["test/support/build-program.ts", "test/clients/say-missing.ts"],
    // .ci/run prints the counts of this report.
    reporters: process.env["CI"]
      ? ["default", ["json", { outputFile: "coverage/tests.json" }]]
      : ["default"],
    setupFiles: ["test/support/temporal-equality.ts", "test/support/random-seed.ts"],
    pool: "forks",
    maxWorkers: 3,
    // Nothing in the sources keeps state in a module, so that a process may run one file after the other.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    // A bound for what hangs; on a busy machine much takes several times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // As long as test/support/eventually.ts; a second, the default, is short on a busy machine.
    expect: { poll: { timeout: 270_000, interval: 10 } },
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts", "packages/*/src/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        "src/{domain,sync,edits,ics}/**/*.ts": { lines: 95 },
      },
    },
  },
});
