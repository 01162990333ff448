import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    env: { TZ: "UTC" },
    globalSetup: ["test/clients/say-missing.ts"],
    setupFiles: ["test/support/temporal-equality.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        "src/{domain,sync,edits,ics}/**/*.ts": { lines: 95 },
      },
    },
  },
});
