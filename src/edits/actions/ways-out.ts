import type { Edit } from "../../domain/edit.ts";
import { unreachable } from "../../domain/result.ts";
import type { Choice } from "./choice.ts";

/** A possible action on an edit, with its effect, for buttons and commands. */
export interface WayOut {
  readonly act: "approve" | "retry" | "discard" | "undo" | "keep-mine" | "keep-theirs" | "combine";
  readonly label: string;
  readonly does: string;
}

/** Possible actions on an edit in its present state, most common first; empty if there are none. */
export function waysOut(edit: Edit, choice: Choice | null): readonly WayOut[] {
  switch (edit.state) {
    case "held":
      return [
        {
          act: "approve",
          label: edit.action === "delete" ? "Approve the deletion" : "Approve",
          does:
            edit.action === "delete"
              ? "deletes the item in the workspace; asks first if someone changed it"
              : "sends it to the workspace; asks first if someone changed the same fields",
        },
        discard("Discard", "sends nothing; the workspace stays unchanged"),
      ];
    case "pending":
      return [discard("Discard", "cancels sending, unless it has started already")];
    case "confirmed":
      return [
        {
          act: "undo",
          label: "Undo…",
          does: "shows what would be restored and what has changed since, and asks",
        },
      ];
    case "parked":
      return choice ? chosen(choice) : parked(edit);
    case "claimed":
    case "discarded":
    case "undone":
      return [];
    default:
      return unreachable(edit.state);
  }
}

const discard = (label: string, does: string): WayOut => ({ act: "discard", label, does });
const mine = (label: string, does: string): WayOut => ({ act: "keep-mine", label, does });
const theirs = (label: string, does: string): WayOut => ({ act: "keep-theirs", label, does });

function chosen(choice: Choice): readonly WayOut[] {
  switch (choice.kind) {
    case "deletion":
      return [
        theirs("Keep the item", "keeps the item with its changes, and discards the deletion"),
        mine("Delete the item", "deletes the item, including someone else's changes"),
      ];
    case "revival":
      return [
        mine(
          "Create it again",
          "recreates the deleted item with the edit's values; its comments, files and history are lost",
        ),
        theirs("Leave it deleted", "leaves the item deleted, and discards the edit"),
      ];
    case "fields":
      return choice.crossed.length === 0
        ? [
            mine("Send it", "sends the edit, which is no longer in conflict"),
            discard("Discard", "sends nothing"),
          ]
        : [
            mine("Use this edit", "overwrites someone else's values in these fields"),
            theirs(
              "Keep current values",
              "keeps someone else's values in these fields, and sends the rest of the edit",
            ),
            {
              act: "combine",
              label: "Combine",
              does: "choose field by field, with a preview of the result",
            },
            discard("Discard", "sends nothing of the edit, not even fields without a conflict"),
          ];
    default:
      return unreachable(choice);
  }
}

const asksFirst = "asks before overwriting what someone else changed";

function parked({ parkReason, action, frozen }: Edit): readonly WayOut[] {
  const giveUp = discard("Discard", "sends nothing more; the workspace stays unchanged");
  const again = (does: string): WayOut => ({ act: "retry", label: "Try again", does });
  switch (parkReason) {
    case "conflict":
      return [again(`the item is read again; ${asksFirst}`), giveUp];
    case "refused":
      return [
        again(
          action === "create"
            ? "looks for it, and sends it again if it does not exist; first correct what the service rejects"
            : `reads the item again and sends the remaining changes; ${asksFirst}`,
        ),
        giveUp,
      ];
    case "unknown-outcome":
      return [
        {
          act: "retry",
          label: "Look again",
          does: "looks for it in the workspace, and creates it if it does not exist",
        },
        discard("Give up", "sends nothing more; what may have been created already stays"),
      ];
    case "failed":
    case null:
      return [
        again(
          frozen
            ? `sends it again, although the item keeps being changed back; ${asksFirst}`
            : `retries for another day; ${asksFirst}`,
        ),
        giveUp,
      ];
    default:
      return unreachable(parkReason);
  }
}
