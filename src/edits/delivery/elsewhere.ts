import type { Item } from "../../domain/item.ts";
import type { Source } from "../../domain/source.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { SourceState } from "../../store/rows/sources.ts";
import type { Errand, Outcome } from "./errand.ts";

/** So many lists are asked for at once: each is a request of the quota that everybody shares. */
const mostHurried = 10;
/** How long they are given to be read before they are looked at again. */
const pause = Temporal.Duration.from({ seconds: 2 });
/** So long a creation waits for other lists: in a workspace of many hundreds the rest is left to the next sweep. */
const longest = Temporal.Duration.from({ minutes: 1 });

/**
 * Holds a lost creation back until the other lists were read once since its request could last be carried out: somebody may have
 * moved what it made. What they show of it is kept with the edit (`store.candidates`). Null when nothing is left to wait for.
 */
export function lookElsewhere(
  wished: Item,
  { edit, store, now, onMissing }: Errand,
): Outcome | null {
  const since = edit.landsUntil ?? edit.resentAt ?? edit.sentAt;
  if (!since || Temporal.Instant.compare(now, since.add(longest)) >= 0) return null;
  const kind = wished.kind === "event" ? "events" : "tasks";
  const unread = store.sources
    .all()
    .filter((state) => state.source.kind === kind && !isAskedSince(since, state))
    .toSorted(nearFirst(wished));
  if (unread.length === 0) return null;
  onMissing(
    edit,
    unread.slice(0, mostHurried).map(({ name }) => name),
  );
  const problem = `no answer came to the creation, and it is not in its list: ${unread.length} other lists are looked at before it is sent again`;
  return { kind: "settled", settlement: { kind: "retry", notBefore: now.add(pause), problem } };
}

/** Whether the list was read, or could not be, since then: no more can be learnt from it now. */
function isAskedSince(since: Temporal.Instant, state: SourceState): boolean {
  const { attemptedAt, failure } = state;
  const isTried = attemptedAt !== null && Temporal.Instant.compare(attemptedAt, since) > 0;
  return isReadSince(since, state) || (isTried && failure !== null);
}

const nearFirst =
  ({ projectId }: Item) =>
  ({ source: a }: SourceState, { source: b }: SourceState): number => {
    const isFar = (source: Source) => "projectId" in source && source.projectId !== projectId;
    return Number(isFar(a)) - Number(isFar(b));
  };
