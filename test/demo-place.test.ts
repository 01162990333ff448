import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { recordDemo, runningDemo } from "../src/demo-place.ts";

function place() {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-place-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, "demo.json");
  writeFileSync(config, "{}");
  return { folder, config, env: { XDG_RUNTIME_DIR: folder } };
}

describe("the location of a running demo", () => {
  it("is its configuration until it ends", () => {
    const { config, env } = place();
    expect(runningDemo(env)).toBeNull();
    const forget = recordDemo(config, env);
    expect(runningDemo(env)).toBe(config);
    forget();
    expect(runningDemo(env)).toBeNull();
  });

  it("is ignored if the demo's folder is gone, or others could have written it", () => {
    const { folder, config, env } = place();
    recordDemo(config, env);
    rmSync(config);
    expect(runningDemo(env)).toBeNull();
    writeFileSync(config, "{}");
    const [name = ""] = readdirSync(folder).filter((one) => one.startsWith("dayferry-demo-"));
    chmodSync(join(folder, name), 0o666);
    expect(runningDemo(env)).toBeNull();
  });

  it("is kept by a replaced demo, and missing if nothing can be written", () => {
    const { config, env } = place();
    const forget = recordDemo(`${config}.old`, env);
    recordDemo(config, env);
    forget();
    expect(runningDemo(env)).toBe(config);
    expect(() => recordDemo(config, { XDG_RUNTIME_DIR: "/nowhere" })()).not.toThrow();
  });
});
