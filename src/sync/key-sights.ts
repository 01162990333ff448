import type { PersonId, ProjectId } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import type { Call, Upstream } from "../upstream/client.ts";

export interface KeySightsDeps {
  readonly store: Store;
  readonly upstream: Pick<Upstream, "events" | "labels">;
  /** People with keys of their own. */
  readonly people: ReadonlySet<PersonId>;
  readonly clock: () => Temporal.Instant;
}

/** Until a project is asked for again: sooner where the answer was no, as that may have been a mistake. */
const rests = {
  open: Temporal.Duration.from({ hours: 1 }),
  refused: Temporal.Duration.from({ minutes: 1 }),
} as const;

/**
 * Finds out which projects the keys of people open, where the service does not say who is on a project: without that
 * everybody would be offered calendars of which each edit is refused. One key and one project at a time; what is known
 * already is asked for again after a while. An answer that says nothing about the project changes nothing.
 */
export function createKeySights(deps: KeySightsDeps): (signal: AbortSignal) => Promise<void> {
  const { store, people, clock } = deps;
  return async (signal) => {
    for (const person of people) {
      for (const { id, members, archived } of store.directory.projects()) {
        if (signal.aborted) return;
        const at = { person, project: id };
        if (archived || members.length > 0 || isFresh(store.keySights.get(at), clock())) continue;
        const answer = await look(at, { deps, signal });
        if (answer !== null && !signal.aborted) store.keySights.put({ ...at, isOpen: answer });
      }
    }
  };
}

function isFresh(
  known: { readonly refusals: number; readonly at: Temporal.Instant } | null,
  now: Temporal.Instant,
): boolean {
  if (!known) return false;
  const rest = known.refusals > 0 ? rests.refused : rests.open;
  return Temporal.Instant.compare(known.at.add(rest), now) > 0;
}

/** Null where nobody can tell: the service is out, or refuses the key for everything. */
async function look(
  { person, project }: { readonly person: PersonId; readonly project: ProjectId },
  { deps, signal }: { readonly deps: KeySightsDeps; readonly signal: AbortSignal },
): Promise<boolean | null> {
  const { events, labels } = deps.upstream;
  const call: Call = { priority: "interactive", person, signal };
  const listed = await events.list({ projectId: project, view: "milestones" }, call);
  if (listed.ok) return true;
  const { failure } = listed;
  if (failure.kind !== "refused" || (failure.status !== 403 && failure.status !== 404)) return null;
  return (await labels.list(call)).ok ? false : null;
}
