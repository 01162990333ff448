import type { PersonId } from "../../domain/ids.ts";
import { fail, type Result, unreachable } from "../../domain/result.ts";
import type { Call } from "../../upstream/client.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { CreationFailure } from "../delivery/create-once.ts";

/**
 * Why a person's request was not carried out. `unknown`: there is no such thing. `unfit`: it cannot be done to this.
 * `failed`: the service did not do it, or it is not known whether it did.
 */
export type Hindrance =
  | { readonly kind: "unknown"; readonly problem: string }
  | { readonly kind: "unfit"; readonly problem: string }
  | { readonly kind: "failed"; readonly failure: Failure };

export type Answer<Value> = Promise<Result<Value, Hindrance>>;

/** On whose behalf: their key is used when one is configured. */
export interface OnBehalf {
  readonly person: PersonId | null;
  readonly signal?: AbortSignal;
}

export const callOf = (by: OnBehalf): Call => ({ priority: "interactive", ...by });

export const unknown = (problem: string) => fail({ kind: "unknown", problem } as const);
export const unfit = (problem: string) => fail({ kind: "unfit", problem } as const);
export const failed = (failure: Failure) => fail({ kind: "failed", failure } as const);

export const hindered = (trouble: CreationFailure) =>
  trouble.kind === "failed" ? failed(trouble.failure) : unfit(trouble.problem);

/** One sentence for people. */
export function describeHindrance(hindrance: Hindrance): string {
  switch (hindrance.kind) {
    case "unknown":
    case "unfit":
      return hindrance.problem;
    case "failed": {
      const { failure } = hindrance;
      const told = describeFailure(failure);
      return failure.kind === "unknown-outcome"
        ? `${told}. Look into the workspace before doing it again.`
        : told;
    }
    default:
      return unreachable(hindrance);
  }
}
