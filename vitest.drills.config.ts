import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** The drills: whole programs on full disks, under other clocks, through outages and damage; minutes of mostly waiting. */
export default defineConfig({
  test: { ...base.test, include: ["test/**/*.drill.ts", "packages/*/test/**/*.drill.ts"] },
});
