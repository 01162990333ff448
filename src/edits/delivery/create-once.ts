import { inFlightUntil } from "../../domain/edit.ts";
import type { PersonId } from "../../domain/ids.ts";
import { fail, type Result } from "../../domain/result.ts";
import type { OpenRequest, Requests } from "../../store/journal/unanswered.ts";
import type { Call } from "../../upstream/client.ts";
import type { Failure } from "../../upstream/failure.ts";

/** Why something could not be made. `stuck`: it waits for a person; `unsure`: it is tried again later. */
export type Trouble =
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "stuck"; readonly problem: string }
  | { readonly kind: "unsure"; readonly problem: string };

/** More than any clock is wrong, a wrong zone included: what is older by its own stamp is something else. */
const widest = Temporal.Duration.from({ hours: 26 });

/**
 * What is to be made, once. `what` names the wish for the store, `word` for people. `known`: ids of what looks alike already.
 * `look`: what an earlier request has made, null when nothing is there. `send` makes it. `keep` stores a note now, or once the disk
 * takes it.
 */
interface Making<Value> {
  readonly what: string;
  readonly word: string;
  readonly requests: Requests;
  readonly clock: () => Temporal.Instant;
  readonly call: Call;
  readonly keep: (note: () => void) => void;
  readonly known: () => readonly number[];
  readonly look: (earlier: OpenRequest) => Promise<Result<Value | null, Trouble>>;
  readonly send: (call: Call) => Promise<Result<Value, Failure>>;
}

/**
 * Makes what can be told from others by its values alone: a comment, a label, a file. After a request without an answer it is looked
 * for, and sent again only when that request cannot be carried out any more. The request stays open: whoever stores what was made
 * ends it (`Requests.done`) in the same transaction, or later, so that it is looked for when the process ends in between.
 */
export async function makeOnce<Value>(making: Making<Value>): Promise<Result<Value, Trouble>> {
  const { what, word, requests, clock, call, keep, known, look, send } = making;
  const earlier = requests.open(what);
  if (earlier) {
    const found = await look(earlier);
    if (!found.ok) return found;
    if (found.value !== null) return { ok: true, value: found.value };
    if (Temporal.Instant.compare(earlier.inFlightUntil, clock()) > 0) {
      return fail({ kind: "unsure", problem: describeWait(word, earlier.inFlightUntil) });
    }
  }
  requests.leaving(what, known());
  const onUnanswered = (waited: Temporal.Duration) => {
    const until = inFlightUntil(clock(), waited);
    keep(() => requests.lost(what, until));
  };
  const made = await send({ ...call, onUnanswered });
  keep(() => requests.ended(what));
  return made.ok ? made : fail({ kind: "failed", failure: made.failure });
}

function describeWait(word: string, until: Temporal.Instant): string {
  const then = until.round({ smallestUnit: "second", roundingMode: "ceil" }).toString();
  return `no answer came to the creation of the ${word}, and it may still be carried out: it is looked for, and not sent again before ${then}`;
}

/** What tells whose something is, and since when. */
interface Made {
  readonly id: number;
  readonly byMe: boolean;
  readonly creatorId: PersonId | null;
  readonly createdAt: Temporal.Instant | null;
}

/** Whether an earlier request may have made something: by the same hand, and not known before. */
export function mayBeOf(
  { sentAt, known }: OpenRequest,
  { made, actor }: { readonly made: Made; readonly actor: PersonId | null },
): boolean {
  const { id, byMe, creatorId, createdAt } = made;
  const isOurs = byMe || (actor !== null && creatorId === actor);
  const isAncient =
    createdAt !== null && Temporal.Instant.compare(createdAt, sentAt.subtract(widest)) < 0;
  return isOurs && !isAncient && !known.has(id);
}

/** A list that cannot be read as a whole does not tell that something is missing. */
export const unsure = (what: string, problems: readonly string[]): Trouble => ({
  kind: "unsure",
  problem: `whether the ${what} was made is not known, as the list cannot be read as a whole: ${problems.join("; ")}`,
});
