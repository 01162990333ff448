import { dayferryProcess, type Ended } from "./dayferry.ts";

/** Runs a command until its output shows that it is up, lets `meanwhile` look at it, and stops it with SIGINT. */
export async function startAndStop(
  args: readonly string[],
  isUp: (stdout: string) => boolean,
  meanwhile: (stdout: string) => Promise<void> = () => Promise.resolve(),
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = dayferryProcess(args, env);
  let [stdout, stderr] = ["", ""];
  const up = new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
      if (isUp(stdout)) resolve();
    });
    child.on("close", () => reject(new Error(`ended early: ${stdout}${stderr}`)));
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const closed = new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  await up;
  await meanwhile(stdout);
  child.kill("SIGINT");
  return { code: await closed, stdout, stderr };
}
