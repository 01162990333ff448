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
              ? "the item is deleted in the workspace; should somebody have changed it meanwhile, you are asked first"
              : "it is sent to the workspace; should somebody have changed the same meanwhile, you are asked first",
        },
        discard("Discard", "nothing is sent, and the workspace stays as it is"),
      ];
    case "pending":
      return [discard("Discard", "it is not sent, unless that has begun already")];
    case "confirmed":
      return [
        {
          act: "undo",
          label: "Undo…",
          does: "shows what would be put back and what has changed since, and asks",
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
        theirs("Keep theirs", "the item stays, with what was changed; the deletion is dropped"),
        mine("Keep mine", "the item is deleted, with what somebody else has changed"),
      ];
    case "revival":
      return [
        mine(
          "Keep mine",
          "the item, which somebody has deleted, is made anew with what the edit wishes; its comments, files and history cannot be brought back",
        ),
        theirs("Keep theirs", "the item stays deleted, and the edit is dropped"),
      ];
    case "fields":
      return choice.crossed.length === 0
        ? [
            mine("Send it", "nobody's change is in the way any more: it is sent"),
            discard("Discard", "nothing of it is sent"),
          ]
        : [
            mine("Keep mine", "what somebody else has set in these fields is overwritten"),
            theirs(
              "Keep theirs",
              "these fields stay as somebody else has set them; what else the edit wishes is sent",
            ),
            {
              act: "combine",
              label: "Combine",
              does: "you choose field by field, and see the result before it is sent",
            },
            discard("Discard", "nothing of the edit is sent, also what nobody else has changed"),
          ];
    default:
      return unreachable(choice);
  }
}

const asksFirst = "what somebody else has changed meanwhile is asked about before it is sent over";

function parked({ parkReason, action, frozen }: Edit): readonly WayOut[] {
  const giveUp = discard(
    "Discard",
    "nothing more is sent for it, and the workspace stays as it is",
  );
  const again = (does: string): WayOut => ({ act: "retry", label: "Try again", does });
  switch (parkReason) {
    case "conflict":
      return [again(`the item is read again; ${asksFirst}`), giveUp];
    case "refused":
      return [
        again(
          action === "create"
            ? "it is looked for, and sent once more when it is not there; put right first what the service refuses"
            : `the item is read again and what is left of the edit is sent; ${asksFirst}`,
        ),
        giveUp,
      ];
    case "unknown-outcome":
      return [
        {
          act: "retry",
          label: "Look again",
          does: "it is looked for in the workspace: found, it is taken for this one; not found, it is created",
        },
        discard("Give up", "nothing more is sent; what may have been made already stays"),
      ];
    case "failed":
    case null:
      return [
        again(
          frozen
            ? `it is sent although the item keeps being changed back by something else; ${asksFirst}`
            : `it is tried for another day; ${asksFirst}`,
        ),
        giveUp,
      ];
    default:
      return unreachable(parkReason);
  }
}
