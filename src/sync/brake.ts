import { unreachable } from "../domain/result.ts";

/**
 * How a loss is handled: `free` = each item is buried once confirmed as gone; `confirmed` = none before all are confirmed;
 * `agreed` = none before a person agrees.
 */
export type BrakeVerdict = "free" | "confirmed" | "agreed";

/** How much of a source is missing: `missing` of `total` mirrored items. */
export interface Loss {
  readonly missing: number;
  readonly total: number;
}

/** A brake's state; `null` = the source has none. */
export type BrakeState = {
  readonly missing: number;
  readonly needsPerson: boolean;
  readonly releasedAt: Temporal.Instant | null;
} | null;

const fewItems = 10;
const confirmedShare = 0.2;
const agreedShare = 0.5;

/** Judges a loss: up to 10 items, or a fifth of a source, are never braked. For more than half, a person must agree. */
export function judgeLoss({ missing, total }: Loss): BrakeVerdict {
  if (missing <= fewItems || missing <= total * confirmedShare) return "free";
  return missing <= total * agreedShare ? "confirmed" : "agreed";
}

/**
 * Judges a loss of people, who are few and cannot be looked up one by one: several who are more than half of all are braked
 * until a person agrees.
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
 * How a new snapshot changes its source's brake. A person's agreement covers what was missing then. If more goes missing, it is
 * needed again.
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

/** True if confirmed items of a source may be buried while `unconfirmed` others are still open. */
export function mayBury(brake: BrakeState, unconfirmed: number): boolean {
  if (!brake || brake.releasedAt) return true;
  return !brake.needsPerson && unconfirmed === 0;
}
