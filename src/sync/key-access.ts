import { backOff, earlier, isRecent, later } from "../domain/backoff.ts";
import type { PersonId, ProjectId, Revision } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import type { Call, Upstream } from "../upstream/client.ts";

export interface KeyAccessDeps {
  readonly store: Store;
  readonly upstream: Pick<Upstream, "events" | "labels">;
  /** People with keys of their own. */
  readonly people: ReadonlySet<PersonId>;
  readonly clock: () => Temporal.Instant;
}

/** Time until a project is checked again; sooner at first after a refusal, which may have been a mistake. */
const usualRest = Temporal.Duration.from({ hours: 1 });
const firstRests = {
  refused: Temporal.Duration.from({ minutes: 1 }),
  unanswered: Temporal.Duration.from({ seconds: 5 }),
} as const;

/** `unanswered`: unknown, as the service is down; `key-refused`: the key is refused altogether. */
type Answer = "open" | "closed" | "unanswered" | "key-refused";

interface At {
  readonly person: PersonId;
  readonly project: ProjectId;
}

/** Unanswered requests of this process: how many in a row, and when last. */
interface Silence {
  readonly times: number;
  readonly at: Temporal.Instant;
}

/**
 * Finds out which projects people's own keys have access to, if the service does not list members. Otherwise everyone would be
 * offered calendars where each edit is refused. Checks one key and one project at a time, repeats known answers after a while,
 * and takes turns with sweeps. An answer that says nothing about the project changes nothing, and is retried with growing
 * delays.
 */
export function createKeyAccess(deps: KeyAccessDeps): (signal: AbortSignal) => Promise<void> {
  const { store, people, clock } = deps;
  const silences = new Map<string, Silence>();

  /** Nothing is requested until then, unless the directory changes: the loop runs every second. */
  let quiet: Quiet | null = null;

  /** When a pause ends; null if it is over, or there is none. */
  const silentUntil = (name: string): Temporal.Instant | null => {
    const silence = silences.get(name);
    if (!silence) return null;
    const length = restAfter(silence.times, firstRests.unanswered);
    return isRecent(silence.at, { length, now: clock() }) ? later(silence.at, length) : null;
  };
  const noteSilence = (name: string): void => {
    silences.set(name, { times: (silences.get(name)?.times ?? 0) + 1, at: clock() });
  };

  /** Returns whether the key has any access, as far as known. */
  async function ask(at: At, signal: AbortSignal): Promise<boolean> {
    const answer = await look(at, deps, signal);
    if (signal.aborted) return false;
    if (answer === "key-refused") {
      noteSilence(keyName(at));
      return false;
    }
    if (answer === "unanswered") {
      noteSilence(pairName(at));
      return true;
    }
    silences.delete(keyName(at));
    silences.delete(pairName(at));
    store.keyAccess.put({ ...at, isOpen: answer === "open" });
    return true;
  }

  return async (signal) => {
    if (people.size === 0) return;
    const at = { directory: store.changes.revisionOfDirectory(), now: clock() };
    if (quiet && lasts(quiet, at)) return;
    quiet = null;
    const rests: (Temporal.Instant | null)[] = [];
    let hasAsked = false;
    const unknown = store.directory
      .projects()
      .filter(({ members, archived }) => !archived && members.length === 0);
    for (const person of people) {
      for (const { id } of unknown) {
        if (signal.aborted) return;
        const pair = { person, project: id };
        const silentKey = silentUntil(keyName(pair));
        rests.push(silentKey);
        if (silentKey) break;
        const until = silentUntil(pairName(pair)) ?? freshUntil(store.keyAccess.get(pair), clock());
        rests.push(until);
        if (until) continue;
        hasAsked = true;
        if (!(await ask(pair, signal))) break;
      }
    }
    if (hasAsked) return;
    const until = rests.reduce(earlier, null);
    quiet = { directory: at.directory, from: at.now, until };
  };
}

/** A time without anything to request; ends with any change of the directory. */
interface Quiet {
  readonly directory: Revision;
  readonly from: Temporal.Instant;
  /** Null = forever. */
  readonly until: Temporal.Instant | null;
}

/** A clock that was set back ends it too. */
function lasts(
  { directory, from, until }: Quiet,
  at: { readonly directory: Revision; readonly now: Temporal.Instant },
): boolean {
  if (directory !== at.directory || Temporal.Instant.compare(at.now, from) < 0) return false;
  return until === null || Temporal.Instant.compare(at.now, until) < 0;
}

const keyName = ({ person }: At): string => `${person}`;
const pairName = ({ person, project }: At): string => `${person} ${project}`;

/** How long an answer is valid; null if it has expired. */
function freshUntil(
  known: { readonly refusals: number; readonly at: Temporal.Instant } | null,
  now: Temporal.Instant,
): Temporal.Instant | null {
  if (!known) return null;
  const { refusals, at } = known;
  const length = refusals > 0 ? restAfter(refusals, firstRests.refused) : usualRest;
  return isRecent(at, { length, now }) ? later(at, length) : null;
}

const restAfter = (times: number, first: Temporal.Duration): Temporal.Duration =>
  backOff(times, { first, ceiling: usualRest });

async function look(at: At, deps: KeyAccessDeps, signal: AbortSignal): Promise<Answer> {
  const { person, project } = at;
  const { events, labels } = deps.upstream;
  // Until the first answer, a calendar may be offered that rejects every edit, so this request is urgent.
  const priority = deps.store.keyAccess.get(at) === null ? "interactive" : "sweep";
  const call: Call = { priority, person, signal };
  const listed = await events.list({ projectId: project, view: "milestones" }, call);
  if (listed.ok) return "open";
  const { failure } = listed;
  if (failure.kind !== "refused") return "unanswered";
  if (failure.status === 401) return "key-refused";
  if (failure.status !== 403 && failure.status !== 404) return "unanswered";
  const opened = await labels.list(call);
  if (opened.ok) return "closed";
  return opened.failure.kind === "refused" ? "key-refused" : "unanswered";
}
