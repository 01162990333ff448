import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { type Installation, install } from "../support/dayferry.ts";

/** A service whose workspace has places for items, and none in them. `perMs`: the time in which it answers 25 requests. */
export const emptySandbox = (perMs = 200): Promise<Sandbox> =>
  startSandbox({
    seed: 1,
    size: "empty",
    discovery: true,
    port: 0,
    timeZone: "Europe/Berlin",
    clock: () => Temporal.Now.instant(),
    quota: { requests: 25, perMs },
  });

/** One service for all tests of a file, and data directories for commands that run in processes of their own. */
export function commandRig() {
  let started: Sandbox | null = null;
  beforeAll(async () => {
    started = await emptySandbox();
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
    place: (changes?: Readonly<Record<string, unknown>>): Installation => {
      const installation = install(sandbox(), changes);
      onTestFinished(installation.dispose);
      return installation;
    },
    project: () => first().project,
    list: () => first().lists[0] ?? 0,
    owner: () => sandbox().keys[0]?.personId ?? 0,
  };
}
