import { isInstalled, runProgram } from "./programs.ts";

/** Whether Prometheus' tool, of Debian's package `prometheus`, is not here. */
export const missingPromtool = !isInstalled("promtool");

/** Runs promtool; `input`: what it reads from standard input. */
export async function promtool(
  args: readonly string[],
  input = "",
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { code, output } = await runProgram(["promtool", ...args], { input });
  return { code, output: output.trim() };
}
