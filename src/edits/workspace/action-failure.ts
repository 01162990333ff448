import type { PersonId } from "../../domain/ids.ts";
import { fail, type Result, unreachable } from "../../domain/result.ts";
import { say } from "../../texts/say.ts";
import { retold } from "../../texts/stored.ts";
import type { Call } from "../../upstream/client.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { CreationFailure } from "../delivery/create-once.ts";

/**
 * Why a person's request was not carried out. `unknown`: it does not exist. `unfit`: not possible for this. `failed`: the
 * service did not do it, or the result is unknown.
 */
export type ActionFailure =
  | { readonly kind: "unknown"; readonly problem: string }
  | { readonly kind: "unfit"; readonly problem: string }
  | { readonly kind: "failed"; readonly failure: Failure };

export type Answer<Value> = Promise<Result<Value, ActionFailure>>;

/** On whose behalf; their own key is used if configured. */
export interface OnBehalf {
  readonly person: PersonId | null;
  readonly signal?: AbortSignal;
  /** Called while a file is sent. */
  readonly onSent?: Call["onSent"];
}

export const callOf = ({ onSent, ...by }: OnBehalf): Call => ({
  priority: "interactive",
  ...by,
  ...(onSent && { onSent }),
});

export const unknown = (problem: string) => fail({ kind: "unknown", problem } as const);
export const unfit = (problem: string) => fail({ kind: "unfit", problem } as const);
export const actionFailed = (failure: Failure) => fail({ kind: "failed", failure } as const);

export const creationFailed = (of: CreationFailure) =>
  of.kind === "failed" ? actionFailed(of.failure) : unfit(of.problem);

/** One sentence for people. */
export function describeActionFailure(of: ActionFailure): string {
  switch (of.kind) {
    case "unknown":
    case "unfit":
      return retold(of.problem);
    case "failed": {
      const { failure } = of;
      const problem = retold(describeFailure(failure));
      return failure.kind === "unknown-outcome"
        ? say("actionFault.checkFirst", { problem })
        : problem;
    }
    default:
      return unreachable(of);
  }
}
