import { inFlightUntil, type NoAnswer } from "../../domain/edit.ts";
import type { PersonId } from "../../domain/ids.ts";
import { isByHand } from "../../domain/lost-creation.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Attempts, NamedRequest, OpenRequest } from "../../store/journal/attempts.ts";
import { stored } from "../../texts/stored.ts";
import type { Call } from "../../upstream/client.ts";
import type { Failure } from "../../upstream/failure.ts";
import { wholeSecond } from "./attempt.ts";

/** Why something could not be created. `stuck`: it waits for a person; `unsure`: it is retried later. */
export type CreationFailure =
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "stuck"; readonly problem: string }
  | { readonly kind: "unsure"; readonly problem: string };

/**
 * Something to create once. `word`: its name for people. `known`: ids of existing look-alikes. `look`: finds what an earlier
 * request created, null if nothing. `send` creates it. `keep` stores a note now, or once the disk accepts it.
 */
interface OnceRequest<Value> extends Omit<NamedRequest, "known"> {
  readonly word: string;
  readonly attempts: Attempts;
  readonly clock: () => Temporal.Instant;
  readonly call: Call;
  readonly keep: (note: () => void) => void;
  readonly known: () => readonly number[];
  readonly look: (earlier: OpenRequest) => Promise<Result<Value | null, CreationFailure>>;
  readonly send: (call: Call) => Promise<Result<Value, Failure>>;
}

/**
 * Creates something that is identified by its values alone: a comment, a label, a file. After a request without an answer it is
 * looked up, and sent again only when that request can no longer be carried out. The request stays open until whoever stores
 * the result ends it (`Attempts.done`) in the same transaction or later, so that it is looked up after a crash.
 */
export async function createOnce<Value>(
  request: OnceRequest<Value>,
): Promise<Result<Value, CreationFailure>> {
  const { edit, act, what, word, attempts, clock, call, keep, known, look, send } = request;
  const earlier = attempts.open(what);
  if (earlier) {
    const found = await look(earlier);
    if (!found.ok) return found;
    if (found.value !== null) return ok(found.value);
    if (Temporal.Instant.compare(earlier.inFlightUntil, clock()) > 0) {
      const problem = stored("problem.extraUnanswered", {
        what: word,
        until: wholeSecond(earlier.inFlightUntil),
      });
      return fail({ kind: "unsure", problem });
    }
  }
  const id = attempts.leaving({ edit, act, what, known: known() });
  let isLost = false;
  const onUnanswered = (how: NoAnswer) => {
    isLost = true;
    const until = inFlightUntil(clock(), how);
    keep(() => attempts.lost(id, until));
  };
  const created = await send({ ...call, onUnanswered });
  keep(() => attempts.ended(id, { isLost }));
  return created.ok ? created : fail({ kind: "failed", failure: created.failure });
}

/** Who created something, and when. */
export interface Created {
  readonly id: number;
  readonly byMe: boolean;
  readonly creatorId: PersonId | null;
  readonly createdAt: Temporal.Instant | null;
}

/** True if an earlier request may have created it: same creator, and not known before. */
export const mayBeOf = (
  { sentAt, known }: OpenRequest,
  created: Created,
  actor: PersonId | null,
): boolean => isByHand(created, { sentAt, actor }) && !known.has(created.id);

/** A list that cannot be read completely does not prove that something is missing. */
export const unsure = (what: string, problems: readonly string[]): CreationFailure => ({
  kind: "unsure",
  problem: stored("problem.extraUnread", { what, gaps: problems.join("; ") }),
});
