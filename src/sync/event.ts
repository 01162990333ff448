import type { SpokenKind } from "../domain/item.ts";

/** What happened to one item, for printing. */
export interface ItemChange {
  readonly kind: SpokenKind;
  readonly title: string;
  readonly act: "added" | "changed" | "buried";
}

/**
 * What the sync does and meets, for log, metrics and summaries. `polled`: a snapshot of items was applied; `missing` are
 * the items it did not hold and that became questions, `heldBack` those left to an edit under way. `found`: an item that
 * a list does not show answers by itself, so that list is cut. `directory-changed`: names or members of projects, lists,
 * labels or people are new. `side-changed`: so many comments, history entries, folders or files are new or different.
 * `look-up-refused` names the configuration key that replaces the look-up. `fault`: an error
 * that nobody foresaw.
 */
export type SyncEvent =
  | {
      readonly kind: "polled";
      readonly source: string;
      readonly added: number;
      readonly changed: number;
      readonly unchanged: number;
      readonly missing: number;
      readonly heldBack: number;
      readonly changes: readonly ItemChange[];
    }
  | { readonly kind: "directory-changed"; readonly source: string }
  | { readonly kind: "side-changed"; readonly source: string; readonly changed: number }
  | {
      readonly kind: "incomplete";
      readonly source: string;
      readonly problems: readonly string[];
    }
  | {
      readonly kind: "failed";
      readonly source: string;
      readonly problem: string;
      /** Failed polls in a row. */
      readonly failures: number;
      readonly nextAt: Temporal.Instant;
    }
  | { readonly kind: "recovered"; readonly source: string }
  | {
      readonly kind: "look-up-refused";
      readonly source: string;
      readonly problem: string;
      readonly setting: string;
      /** Whether something stays unknown for lack of it. */
      readonly needed: boolean;
    }
  | {
      readonly kind: "found";
      readonly source: string;
      readonly title: string;
      readonly changes: readonly ItemChange[];
    }
  | { readonly kind: "unanswered"; readonly source: string; readonly problem: string }
  | { readonly kind: "buried"; readonly source: string; readonly changes: readonly ItemChange[] }
  | {
      readonly kind: "braked";
      readonly source: string;
      readonly missing: number;
      readonly total: number;
      readonly needsPerson: boolean;
    }
  | { readonly kind: "brake-lifted"; readonly source: string }
  | { readonly kind: "fault"; readonly source: string; readonly error: unknown };
