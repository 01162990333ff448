import type { EditExtra } from "../../domain/edit-extra.ts";
import type { PersonId, ServiceId } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import type { Result } from "../../domain/result.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import type { Failure } from "../../upstream/failure.ts";

/** A wish beside an edit on its way. */
export interface ExtraErrand {
  readonly extra: EditExtra;
  readonly edit: Edit;
  readonly store: Store;
  readonly upstream: Upstream;
  readonly call: Call;
}

/** Why a wish was not carried out. `stuck`: it waits for a person; `unsure`: it is tried again later. */
export type Trouble =
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "stuck"; readonly problem: string }
  | { readonly kind: "unsure"; readonly problem: string };

export const trouble = (failure: Failure): Trouble => ({ kind: "failed", failure });

/** How carrying out one wish ended; its id where the service has named one. */
export type Made = Result<ServiceId | null, Trouble>;

/** The service's stamps have whole seconds, and its clock may be a little behind. */
const tolerance = Temporal.Duration.from({ seconds: 2 });

/** Whether something may have been made by a request that left then. */
export const isSince = (createdAt: Temporal.Instant | null, sentAt: Temporal.Instant): boolean =>
  createdAt === null || Temporal.Instant.compare(createdAt, sentAt.subtract(tolerance)) >= 0;

/** Whether the account's key or the edit's person made it. */
export const isOurs = (
  { byMe, creatorId }: { readonly byMe: boolean; readonly creatorId: PersonId | null },
  actor: PersonId | null,
): boolean => byMe || (actor !== null && creatorId === actor);

/** A list that cannot be read as a whole does not tell that something is missing. */
export const unsure = (what: string, problems: readonly string[]): Trouble => ({
  kind: "unsure",
  problem: `whether the ${what} was made is not known, as the list cannot be read as a whole: ${problems.join("; ")}`,
});
