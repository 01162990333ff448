import type { When } from "@dayferry/ical";
import type { ProjectId, ServiceId } from "../domain/ids.ts";
import type { EventItem } from "../domain/item.ts";
import { sameWhen } from "../domain/same-values.ts";
import type { Trouble } from "../domain/trouble-kinds.ts";
import type { Troubles } from "../store/troubles.ts";
import type { Upstream } from "../upstream/client.ts";
import { describeFailure, type Failure, isMissing } from "../upstream/failure.ts";
import { zonesLike } from "./zones-like.ts";

/** Result of a probe of the account's time zone. */
export interface ZoneProof {
  readonly ending:
    | { readonly kind: "right"; readonly zone: string }
    | { readonly kind: "mismatch"; readonly trouble: ZoneMismatch }
    | {
        readonly kind: "unproved";
        readonly zone: string;
        readonly why: string;
        readonly remedy: string;
      };
  /** Number of leftover events of earlier probes that were removed. */
  readonly removed: number;
  /** What could not be removed, in words; null for nothing. */
  readonly left: string | null;
}

type ZoneMismatch = Extract<Trouble, { readonly kind: "zone-mismatch" }>;

export interface ZoneProbeDeps {
  readonly upstream: Pick<Upstream, "events" | "workspace">;
  /** The configured time zone. */
  readonly zone: string;
  /** Where the probe may create its event; null for any project the service shows. */
  readonly projects: readonly ProjectId[] | null;
  /** Known projects, if the service does not list them. */
  readonly known: () => readonly ProjectId[];
  /** Stores the result; null to store nothing. */
  readonly troubles: Pick<Troubles, "report" | "withdraw"> | null;
  readonly clock: () => Temporal.Instant;
  readonly signal: AbortSignal;
  /** Called for each project in which an event was created or removed. */
  readonly onTouched?: (project: ProjectId) => void;
}

/** Each probe has the same title, so that the next one finds leftovers. */
const title = "Dayferry time zone probe (deleted at once)";

/** A key may be allowed to create events in some projects only. At most this number of projects are tried. */
const mostProjects = 3;
const urgent = { priority: "interactive" } as const;

/**
 * Creates a private event with explicit offsets, reads it back, deletes it, and compares. The event lasts from noon in January
 * to noon in July, or from July to January, so that a zone with different clock changes is detected. Clocks never change at
 * noon.
 */
export async function probeZone(deps: ZoneProbeDeps): Promise<ZoneProof> {
  const { zone, troubles } = deps;
  const places = await placesFor(deps);
  let removed = 0;
  let proof: ZoneProof | null = null;
  for (const place of places) {
    const cleared = await removeProbes(place, deps);
    removed += cleared.removed;
    proof =
      cleared.left === null
        ? await probeIn(place, deps)
        : { ...unproved(zone, "leftovers of an earlier probe are in the way"), left: cleared.left };
    const isForbidden = proof.ending.kind === "unproved" && proof.ending.remedy === otherKey;
    if (!isForbidden) break;
  }
  const result = proof ?? unproved(zone, "no project is known to create the probe in");
  if (result.ending.kind === "mismatch") troubles?.report(result.ending.trouble);
  if (result.ending.kind === "right") troubles?.withdraw("zone-mismatch");
  return { ...result, removed: result.removed + removed };
}

async function placesFor({
  upstream,
  projects,
  known,
  signal,
}: ZoneProbeDeps): Promise<readonly ProjectId[]> {
  if (projects) return projects.slice(0, mostProjects);
  const listed = await upstream.workspace.projects({ ...urgent, signal });
  const found = listed.ok ? listed.value.items.map(({ id }) => id) : known();
  return found.toSorted((a, b) => a - b).slice(0, mostProjects);
}

async function probeIn(projectId: ProjectId, deps: ZoneProbeDeps): Promise<ZoneProof> {
  const { upstream, zone, signal } = deps;
  const when = halfYear(deps);
  const created = await upstream.events.create(
    { projectId, patch: { title, when, private: true } },
    { ...urgent, signal },
  );
  if (!created.ok) {
    const { failure } = created;
    const remedy = isForbidden(failure) ? otherKey : tryAgain;
    const why = isForbidden(failure)
      ? `the key may not create events in project ${projectId}`
      : describeFailure(failure);
    const proof = { ...unproved(zone, why, remedy) };
    // Without a usable response the event may exist all the same.
    const cleared = isDenied(failure) ? nothingLeft : await removeProbes(projectId, deps);
    return { ...proof, left: cleared.left };
  }
  const { id } = created.value;
  if (id === null) {
    const { left } = await removeProbes(projectId, deps);
    return { ...unproved(zone, "the service's response has an event without an id"), left };
  }
  const place = { projectId, id };
  const read = await upstream.events.get(place, { ...urgent, signal });
  const left = await remove(place, deps);
  if (read.ok) return { ending: compare(read.value, when, zone), removed: 0, left };
  const why = `the event was created, but cannot be read back: ${describeFailure(read.failure)}`;
  return { ...unproved(zone, why), left };
}

const tryAgain = "try again";
const otherKey =
  "use a key that may create events, or list a project first where this one may; nothing was changed";

const unproved = (zone: string, why: string, remedy = tryAgain): ZoneProof => ({
  ending: { kind: "unproved", zone, why, remedy },
  removed: 0,
  left: null,
});

const isForbidden = (failure: Failure): boolean =>
  failure.kind === "refused" && (failure.status === 401 || failure.status === 403);

const isDenied = (failure: Failure): boolean =>
  failure.kind === "refused" || failure.kind === "service-refused";

/** From noon on the next 15th of January or July to noon on the following one. */
function halfYear({ clock, zone }: Pick<ZoneProbeDeps, "clock" | "zone">): When {
  const today = clock().toZonedDateTimeISO(zone).toPlainDate();
  const middles = [0, 1, 2].flatMap((years) =>
    [1, 7].map((month) => new Temporal.PlainDate(today.year + years, month, 15)),
  );
  const [from, to] = middles
    .filter((day) => Temporal.PlainDate.compare(day, today) > 0)
    .map((day) => day.toZonedDateTime({ timeZone: zone, plainTime: "12:00" }));
  if (!from || !to) throw new RangeError(`no day follows ${today.toString()}`);
  return { kind: "times", start: from, end: to };
}

const nothingLeft = { removed: 0, left: null } as const;

/** Removes leftover probes in a project. `left`: what could not be removed; null also if the probes cannot be listed. */
async function removeProbes(
  projectId: ProjectId,
  deps: ZoneProbeDeps,
): Promise<{ readonly removed: number; readonly left: string | null }> {
  const listed = await deps.upstream.events.list({ projectId, view: "events" }, urgent);
  if (!listed.ok) return nothingLeft;
  const probes = listed.value.items.filter((event) => event.title === title && event.private);
  let removed = 0;
  for (const { id } of probes) {
    const left = id === null ? null : await remove({ projectId, id }, deps);
    if (left !== null) return { removed, left };
    removed += 1;
  }
  return { removed, left: null };
}

/** Also runs during shutdown, so that no event remains. Returns in words what could not be removed. */
async function remove(
  place: { readonly projectId: ProjectId; readonly id: ServiceId },
  { upstream, onTouched }: Pick<ZoneProbeDeps, "upstream" | "onTouched">,
): Promise<string | null> {
  const deleted = await upstream.events.delete(place, urgent);
  onTouched?.(place.projectId);
  if (deleted.ok || isMissing(deleted.failure)) {
    return null;
  }
  const { id, projectId } = place;
  return `the private event ${id} of project ${projectId}, “${title}”, could not be deleted: ${describeFailure(deleted.failure)}`;
}

function compare(answer: EventItem, when: When, zone: string): ZoneProof["ending"] {
  if (sameWhen(answer.when, when)) return { kind: "right", zone };
  if (when.kind !== "times" || answer.when.kind !== "times") {
    const why = `the service returned whole days for an event with times: ${answer.when.start.toString()}`;
    return { kind: "unproved", zone, why, remedy: "report this to the maintainers of Dayferry" };
  }
  const moments = [
    { sent: when.start, answered: answer.when.start },
    ...(when.end && answer.when.end ? [{ sent: when.end, answered: answer.when.end }] : []),
  ];
  const differing = moments.find(({ sent, answered }) => !sent.equals(answered));
  if (!differing) {
    const why = "the service returns only the start, which proves half a year only";
    return { kind: "unproved", zone, why, remedy: "try again in half a year" };
  }
  const trouble: ZoneMismatch = {
    kind: "zone-mismatch",
    zone,
    sent: differing.sent.toString(),
    answered: differing.answered.toString(),
    ...zonesLike(
      moments.map(({ sent, answered }) => ({
        instant: sent.toInstant(),
        clock: answered.toPlainDateTime(),
      })),
    ),
  };
  return { kind: "mismatch", trouble };
}
