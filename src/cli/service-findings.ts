import type { EventItem } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import { sameWhen } from "../domain/sameness.ts";
import type { When } from "../domain/when.ts";
import { describeFailure, type Failure } from "../upstream/failure.ts";
import type { CommandHost, LocalRooms } from "./command-host.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

/** Asks the service for its labels: the cheapest question that shows reachability, the key and the form of answers. */
export async function checkReach(
  { upstream, config }: LocalRooms,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const call = { priority: "interactive", signal } as const;
  const labels = await upstream.labels.list(call);
  if (!labels.ok) {
    const { failure } = labels;
    const what = describeFailure(failure);
    return [broken("service", { what, remedy: remedyFor(failure) })];
  }
  const reached = fine("service", `${config.service.baseUrl} answers and takes the key`);
  if (config.projects !== "discover") return [reached];
  const projects = await upstream.workspace.projects(call);
  if (projects.ok) {
    const what = `${projects.value.items.length} projects are visible to the key`;
    return [reached, fine("projects", what)];
  }
  return [
    reached,
    broken("projects", {
      what: `they cannot be discovered: ${describeFailure(projects.failure)}`,
      remedy: 'list them in "projects" with their ids and todolists',
    }),
  ];
}

function remedyFor(failure: Failure): string {
  switch (failure.kind) {
    case "refused":
      return failure.status === 401 || failure.status === 403
        ? "check service.apiKeyFile: the service refuses this key"
        : "check service.baseUrl: it must end with the version, /api/v3";
    case "unreadable":
      return "check service.baseUrl: what answers there is not the service";
    case "unavailable":
      return "check service.baseUrl and the network; the service may be down";
    case "rate-limited":
      return "other programs use the same quota: lower service.quota.requests";
    case "service-refused":
    case "unknown-outcome":
    case "aborted":
      return "try again";
    default:
      return unreachable(failure);
  }
}

const title = "Dayferry time zone probe (deleted at once)";

/** Creates a private event with an explicit offset, reads the zoneless answer back, compares, and deletes it. */
export async function checkTimeZone(
  rooms: LocalRooms,
  host: CommandHost,
): Promise<readonly Finding[]> {
  const { upstream, config, store } = rooms;
  const zone = config.service.timeZone;
  const call = { priority: "interactive", signal: host.signal } as const;
  const configured = config.projects === "discover" ? [] : config.projects;
  const listed = configured.length > 0 ? null : await upstream.workspace.projects(call);
  const project =
    configured[0] ??
    (listed?.ok ? listed.value.items[0] : undefined) ??
    store.directory.projects()[0];
  if (!project) return [unproved(zone, "no project is known to create the probe in")];

  // At noon no clock is changed, and the service has one name for each moment.
  const tomorrow = host.clock().toZonedDateTimeISO(zone).toPlainDate().add({ days: 1 });
  const start = tomorrow.toZonedDateTime({ timeZone: zone, plainTime: "12:00" });
  const when: When = { kind: "times", start, end: start.add({ hours: 1 }) };
  const created = await upstream.events.create(
    { projectId: project.id, patch: { title, when, private: true } },
    call,
  );
  if (!created.ok) return [unproved(zone, describeFailure(created.failure))];
  const { id } = created.value;
  if (id === null) return [unproved(zone, "the service answered an event without an id")];
  const deleted = await upstream.events.delete({ projectId: project.id, id }, call);
  const proof = compare(created.value, { when, zone });
  if (deleted.ok) return [proof];
  return [
    proof,
    broken("zone", {
      what: `the probe event ${id} of project ${project.id} could not be deleted: ${describeFailure(deleted.failure)}`,
      remedy: "delete it by hand",
    }),
  ];
}

function compare(answer: EventItem, sent: { readonly when: When; readonly zone: string }): Finding {
  if (sameWhen(answer.when, sent.when)) {
    return fine("zone", `the service answers in ${sent.zone}`);
  }
  const [was, is] = [sent.when, answer.when].map((when) => when.start.toString());
  return broken("zone", {
    what: `an event sent for ${was} came back as ${is}: the account is not in ${sent.zone}`,
    remedy: "set service.timeZone to the account's zone",
  });
}

const unproved = (zone: string, why: string): Finding =>
  doubtful("zone", {
    what: `that the account is in ${zone} could not be proved: ${why}`,
    remedy: "try again with a key that may create events",
  });
