import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type ConfigChanges, type Installation, install } from "../support/dayferry.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

/** One service for all tests of a file, and data directories for commands that run in separate processes. */
export function commandRig() {
  let started: Sandbox | null = null;
  beforeAll(async () => {
    started = await testSandbox();
  });
  afterAll(() => started?.close());
  function sandbox(): Sandbox {
    if (!started) throw new Error("the service is not there yet");
    return started;
  }
  const first = () => {
    const [found] = sandbox().workspace.places();
    if (!found) throw new Error("the workspace is empty");
    return found;
  };
  return {
    get sandbox() {
      return sandbox();
    },
    /** A data directory with a configuration, removed when the test ends. */
    place: (changes?: ConfigChanges): Installation => {
      const installation = install(sandbox(), changes);
      onTestFinished(installation.dispose);
      return installation;
    },
    project: () => first().project,
    list: () => first().lists[0] ?? 0,
    owner: () => ownerOf(sandbox()),
  };
}
