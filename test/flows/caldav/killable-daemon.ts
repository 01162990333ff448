import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll } from "vitest";
import { type Daemon, type Installation, install, serve } from "../../support/dayferry.ts";
import { ownerOf, testSandbox } from "../../support/sandbox.ts";
import { CalendarProgram } from "./program.ts";

/**
 * One service and one daemon for all tests of a file; the daemon is a separate process, which is killed and started
 * again on the same data, and its owner has an app password. `service`: merged into that part of its configuration;
 * `agent`: the User-Agent of the owner's program.
 */
export function killableDaemon({
  agent,
  service = {},
}: {
  readonly agent: string;
  readonly service?: object;
}) {
  let sandbox: Sandbox;
  let place: Installation;
  let daemon: Daemon;
  let password: string;
  const owner = () => ownerOf(sandbox);

  beforeAll(async () => {
    sandbox = await testSandbox({ quota: { requests: 200, perMs: 500 } });
    place = install(sandbox, { service });
    daemon = await serve(place);
    const answer = await daemon.ask(`/api/people/${owner()}/password`, { method: "POST" });
    ({ password } = JSON.parse(await answer.text()));
  });
  afterAll(async () => {
    await daemon.stop("SIGKILL");
    await sandbox.close();
    place.dispose();
  });

  return {
    owner,
    get sandbox() {
      return sandbox;
    },
    get dataDir() {
      return place.dataDir;
    },
    kill: () => daemon.stop("SIGKILL"),
    async start(): Promise<void> {
      daemon = await serve(place);
    },
    sweep: () => daemon.ask("/api/sync", { method: "POST" }),
    /** The state of every edit. */
    async states(): Promise<readonly string[]> {
      const { edits } = JSON.parse(await (await daemon.ask("/api/edits")).text());
      return edits.map(({ state }: { readonly state: string }) => state);
    },
    /** A new program of the owner's that follows sync tokens. */
    newProgram: () =>
      new CalendarProgram({
        port: Number(new URL(daemon.url).port),
        login: String(owner()),
        password,
        manner: "tokens",
        agent,
      }),
  };
}
