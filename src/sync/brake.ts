import { unreachable } from "../domain/result.ts";

/**
 * What a loss calls for: `free` = each item is buried once it is confirmed; `confirmed` = none before all are confirmed;
 * `agreed` = none before a person agrees.
 */
export type BrakeVerdict = "free" | "confirmed" | "agreed";

/** How much of a source is missing: open questions, of so many mirrored items (the missing ones included). */
export interface Loss {
  readonly missing: number;
  readonly total: number;
}

/** A brake as it stands; `null` = the source has none. */
export type BrakeState = {
  readonly missing: number;
  readonly needsPerson: boolean;
  readonly releasedAt: Temporal.Instant | null;
} | null;

const fewItems = 10;
const confirmedShare = 0.2;
const agreedShare = 0.5;

/** Judges a loss: up to 10 items are never braked, nor is up to a fifth of a source; beyond half a person has to agree. */
export function judgeLoss({ missing, total }: Loss): BrakeVerdict {
  if (missing <= fewItems || missing <= total * confirmedShare) return "free";
  return missing <= total * agreedShare ? "confirmed" : "agreed";
}

/**
 * Judges a loss of people, who are few in many workspaces and cannot be asked for one by one: several who are more than
 * half of all are braked too, and nothing but a person's agreement lets them go.
 */
export function judgeLossOfPeople({ missing, total }: Loss): BrakeVerdict {
  const isMost = missing > 1 && missing > total * agreedShare;
  return isMost || judgeLoss({ missing, total }) !== "free" ? "agreed" : "free";
}

export type BrakeStep =
  | { readonly kind: "keep" }
  | { readonly kind: "lift" }
  | { readonly kind: "brake"; readonly needsPerson: boolean; readonly isNew: boolean };

/**
 * What a new snapshot does to its source's brake. A person's agreement covers what was missing then: when more goes
 * missing afterwards the question is asked anew.
 */
export function nextBrake(
  brake: BrakeState,
  { judge = judgeLoss, ...loss }: Loss & { readonly judge?: (loss: Loss) => BrakeVerdict },
): BrakeStep {
  const verdict = judge(loss);
  switch (verdict) {
    case "free":
      return brake ? { kind: "lift" } : { kind: "keep" };
    case "confirmed":
    case "agreed": {
      const needsPerson = verdict === "agreed";
      if (!brake) return { kind: "brake", needsPerson, isNew: false };
      if (brake.releasedAt) {
        return loss.missing > brake.missing
          ? { kind: "brake", needsPerson, isNew: true }
          : { kind: "keep" };
      }
      const same = brake.missing === loss.missing && (brake.needsPerson || !needsPerson);
      return same ? { kind: "keep" } : { kind: "brake", needsPerson, isNew: false };
    }
    default:
      return unreachable(verdict);
  }
}

/** Whether confirmed items of a source may be buried, while `unconfirmed` of its questions are still open. */
export function mayBury(brake: BrakeState, unconfirmed: number): boolean {
  if (!brake || brake.releasedAt) return true;
  return !brake.needsPerson && unconfirmed === 0;
}
