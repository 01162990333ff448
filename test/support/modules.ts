import type { Sandbox } from "@dayferry/sandbox";
import { parseConfig } from "../../src/config/load.ts";
import { createLog } from "../../src/log.ts";
import { type Modules, openModules } from "../../src/modules/open-modules.ts";
import type { ConfigChanges } from "./dayferry.ts";
import { serviceConfig } from "./sandbox.ts";
import { layDatabase } from "./test-store.ts";

type Ambient = Parameters<typeof openModules>[1];

/**
 * The modules of a daemon on a sandbox, in this process, with the real clock and by default no log. `config`: merged
 * into the usual one, `service` key by key.
 */
export function modulesOn(
  sandbox: Sandbox,
  {
    folder,
    config: { service = {}, ...parts } = {},
    ...ambient
  }: Partial<Ambient> & { readonly folder: string; readonly config?: ConfigChanges },
): Modules {
  const config = parseConfig(
    { dataDir: folder, service: { ...serviceConfig(sandbox), ...service }, ...parts },
    { folder, env: {}, cwd: folder },
  );
  if (!config.ok) throw new Error(JSON.stringify(config.failure));
  layDatabase(config.value.dataDir);
  const opened = openModules(config.value, {
    clock: () => Temporal.Now.instant(),
    monotonic: () => performance.now(),
    random: Math.random,
    log: createLog({ level: "silent" }),
    ...ambient,
  });
  if (!opened.ok) throw new Error(opened.failure);
  return opened.value;
}
