import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";

const script = join(import.meta.dirname, "../../deploy/litestream/restore-loop.sh");

it("deploy/litestream/restore-loop.sh moves complete states into place, and keeps the last one on failure", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-loop-"));
  const target = join(folder, "dayferry.sqlite");
  // The third state fails, and so do all after it.
  const command = `n=$(cat ${folder}/n 2>/dev/null || echo 0); n=$((n+1)); echo $n > ${folder}/n; [ $n -lt 3 ] && echo "state $n" > "$target.next"`;
  const child = spawn("sh", [script, target, "0.05", command], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually("some states were tried", () =>
    existsSync(join(folder, "n")) && Number(readFileSync(join(folder, "n"), "utf8")) > 4
      ? true
      : null,
  );
  expect(readFileSync(target, "utf8")).toBe("state 2\n");
  expect(statSync(target).mode & 0o777).toBe(0o600);
});
