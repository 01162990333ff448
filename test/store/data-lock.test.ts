import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lockDataDirectory } from "../../src/store/data-lock.ts";
import { testDirectory } from "../support/test-store.ts";

const lockFile = join(import.meta.dirname, "../../src/store/data-lock.ts");

/** Another process that tries to lock a directory, prints the result, and stays until it is ended. */
async function otherProcess(directory: string): Promise<{ child: ChildProcess; said: string }> {
  const script = `import { lockDataDirectory } from ${JSON.stringify(lockFile)};
    globalThis.held = lockDataDirectory(${JSON.stringify(directory)});
    console.log(globalThis.held ? "held" : "refused");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [chunk] = await once(child.stdout, "data");
  return { child, said: String(chunk).trim() };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

describe("lockDataDirectory()", () => {
  it("holds in this process until it is released", () => {
    const directory = testDirectory();
    const first = lockDataDirectory(directory);
    expect(first).not.toBeNull();
    expect(lockDataDirectory(directory)).toBeNull();
    first?.release();
    const second = lockDataDirectory(directory);
    expect(second).not.toBeNull();
    second?.release();
  });

  it("refuses another process while it is held", async () => {
    const directory = testDirectory();
    const lock = lockDataDirectory(directory);
    const refused = await otherProcess(directory);
    expect(refused.said).toBe("refused");
    lock?.release();
    expect((await otherProcess(directory)).said).toBe("held");
    expect(lockDataDirectory(directory)).toBeNull();
  });

  it("leaves nothing behind when its holder is killed", async () => {
    const directory = testDirectory();
    const { child, said } = await otherProcess(directory);
    expect(said).toBe("held");
    expect(lockDataDirectory(directory)).toBeNull();
    await end(child, "SIGKILL");
    const lock = lockDataDirectory(directory);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  it("throws when the directory does not exist", () => {
    expect(() => lockDataDirectory(join(testDirectory(), "missing"))).toThrow();
  });
});
