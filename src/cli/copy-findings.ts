import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { openReader } from "../store/reading/reader.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

/** The checks of `doctor --read-only`: a copy of a database that another daemon writes. Nothing is opened for writing. */
export function copyFindings(config: Config, now: Temporal.Instant): readonly Finding[] {
  return [copied(config, now), ...keys(config), primary(config)];
}

/** The age of a copy, as reported by the daemon that serves it, or from its file. */
export function copyAgeFinding({
  ageSeconds,
  problem,
}: {
  readonly ageSeconds: number | null;
  readonly problem: string | null;
}): Finding {
  const age =
    ageSeconds === null ? "nothing in it was ever read" : `it was read ${ageSeconds} s ago`;
  if (problem === null) return fine("copy", `it is whole; ${age}`);
  return doubtful("copy", {
    what: `the last good one is served (${age}): ${problem}`,
    remedy: "check what replaces it; a complete one is served within seconds",
  });
}

function copied({ dataDir }: Config, now: Temporal.Instant): Finding {
  const opened = openReader(join(dataDir, "dayferry.sqlite"));
  if (!opened.ok) {
    return broken("copy", {
      what: opened.failure,
      remedy:
        "create the copy again: with Litestream's restore, or `dayferry backup` on the writing daemon",
    });
  }
  try {
    const { newest } = opened.value.mirrorAge();
    const ageSeconds =
      newest === null
        ? null
        : Math.max(0, Math.round(now.since(Temporal.Instant.from(newest)).total("seconds")));
    return copyAgeFinding({ ageSeconds, problem: null });
  } finally {
    opened.value.close();
  }
}

const keys = ({ dataDir, feeds, http, adminToken }: Config): readonly Finding[] =>
  [
    "feed-key",
    ...(feeds.actionLinks && http.publicUrl !== null ? ["link-key"] : []),
    ...(adminToken === null ? ["admin-token"] : []),
  ].map((name) =>
    existsSync(join(dataDir, name))
      ? fine(name, "it is in the folder of the copy")
      : broken(name, {
          what: `it is not in the folder of the copy, ${dataDir}`,
          remedy: "copy it from the writing daemon; it never changes",
        }),
  );

function primary({ http }: Config): Finding {
  const address = http.primaryUrl ?? http.publicUrl;
  if (address !== null)
    return fine("primary", `people who want to change something are sent to ${address}`);
  return doubtful("primary", {
    what: "there is no address of the daemon that takes edits",
    remedy: "set http.primaryUrl to the address of the writing daemon",
  });
}
