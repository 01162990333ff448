import { unreachable } from "../domain/result.ts";
import { troubleWords } from "../domain/trouble.ts";
import type { Trouble } from "../domain/trouble-kinds.ts";
import type { ZoneProof } from "../troubles/zone-probe.ts";
import { describeFailure, type Failure } from "../upstream/failure.ts";
import type { LocalModules } from "./command-host.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

/** Requests the labels: the cheapest request that checks reachability, the key and the format of answers. */
export async function checkReach(
  { upstream, config }: LocalModules,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const call = { priority: "interactive", signal } as const;
  const labels = await upstream.labels.list(call);
  if (!labels.ok) {
    const { failure } = labels;
    const what = describeFailure(failure);
    return [broken("service", { what, remedy: remedyForFailure(failure) })];
  }
  const reached = fine("service", `${config.service.baseUrl} responds and accepts the key`);
  if (config.projects !== "discover") return [reached];
  const projects = await upstream.workspace.projects(call);
  if (projects.ok) {
    const what = `${projects.value.items.length} projects are visible to the key`;
    return [reached, fine("projects", what)];
  }
  return [
    reached,
    broken("projects", {
      what: `they cannot be listed: ${describeFailure(projects.failure)}`,
      remedy: 'list them in "projects" with their ids and todolists',
    }),
  ];
}

/** What helps against a failure of the first request. */
export function remedyForFailure(failure: Failure): string {
  if (failure.kind === "refused") {
    return failure.status === 401 || failure.status === 403
      ? "check service.apiKeyFile: the service rejects this key"
      : "check service.baseUrl: it must end with the version, /api/v3";
  }
  return remedies[failure.kind] ?? "try again";
}

const remedies: Readonly<Partial<Record<Failure["kind"], string>>> = {
  unreadable: "check service.baseUrl: the server there is not the service",
  unavailable: "check service.baseUrl and the network; the service may be down",
  "rate-limited": "other programs use the same quota: lower service.quota.requests",
};

/** The result of a zone check, for people. */
export function zoneFindings({ ending, removed, left }: ZoneProof): readonly Finding[] {
  return [
    endingFinding(ending),
    ...(removed > 0
      ? [fine("zone probe", `leftovers of an earlier probe were removed (${removed})`)]
      : []),
    ...(left === null ? [] : [broken("zone probe", { what: left, remedy: "delete it by hand" })]),
  ];
}

function endingFinding(ending: ZoneProof["ending"]): Finding {
  switch (ending.kind) {
    case "right":
      return fine("zone", `the service answers in ${ending.zone}`);
    case "mismatch":
      return broken("zone", findingOf(ending.trouble));
    case "unproved": {
      const { zone, why, remedy } = ending;
      const what = `that the account is in ${zone} could not be proved: ${why}`;
      return doubtful("zone", { what, remedy });
    }
    default:
      return unreachable(ending);
  }
}

function findingOf(trouble: Trouble): { readonly what: string; readonly remedy: string } {
  const { what, remedy } = troubleWords(trouble);
  return { what, remedy };
}
