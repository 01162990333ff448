import { isAbsolute } from "node:path";
import { type ConfigProblem, describeProblem } from "../config/problems.ts";
import type { Finding } from "./examination.ts";

/** What is wrong with a configuration, one finding for each fault. */
export const configurationFindings = (problems: readonly ConfigProblem[]): readonly Finding[] =>
  problems.map((problem) => ({
    verdict: "broken",
    subject: "configuration",
    what: describeProblem(problem),
    remedy: remedyFor(problem.path),
  }));

function remedyFor(path: string): string {
  if (path.startsWith("DAYFERRY_")) return "correct or unset this variable of the environment";
  if (isAbsolute(path)) return "mend this file, or name another one with --config";
  return "mend this key in the configuration file; docs/configuration.md has every key";
}
