import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A separate demo, once its guide is complete. */
export async function startDemo(): Promise<{
  /** The address of the start page, which signs in. */
  readonly start: string;
  readonly stop: () => Promise<void>;
}> {
  const demo = spawn(process.execPath, [join(root, "src/dayferry.ts"), "demo", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => demo.on("close", () => resolve()));
  let told = "";
  const start = await new Promise<string>((resolve, reject) => {
    demo.on("close", () => reject(new Error(`the demo ended early: ${told}`)));
    demo.stdout.on("data", (chunk) => {
      told += chunk;
      const [, address] = /start page +(\S+)/.exec(told) ?? [];
      if (address !== undefined && told.includes("Ctrl-C stops")) resolve(address);
    });
  });
  return {
    start,
    stop: async () => {
      demo.kill("SIGINT");
      await ended;
    },
  };
}
