import type { Edit } from "../../domain/edit.ts";
import { unreachable } from "../../domain/result.ts";
import { say } from "../../texts/say.ts";
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
          label: edit.action === "delete" ? say("way.approveDeletion") : say("way.approve"),
          does: edit.action === "delete" ? say("way.doesApproveDeletion") : say("way.doesApprove"),
        },
        discard(say("action.discard"), say("way.doesDiscardHeld")),
      ];
    case "pending":
      return [discard(say("action.discard"), say("way.doesDiscardPending"))];
    case "confirmed":
      return [
        {
          act: "undo",
          label: say("action.undoEllipsis"),
          does: say("way.doesUndo"),
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
        theirs(say("way.keepItem"), say("way.doesKeepItem")),
        mine(say("way.deleteItem"), say("way.doesDeleteItem")),
      ];
    case "revival":
      return [
        mine(say("action.createAgain"), say("way.doesCreateAgain")),
        theirs(say("way.leaveDeleted"), say("way.doesLeaveDeleted")),
      ];
    case "fields":
      return choice.crossed.length === 0
        ? [
            mine(say("way.sendIt"), say("way.doesSendIt")),
            discard(say("action.discard"), say("way.doesSendNothing")),
          ]
        : [
            mine(say("way.useEdit"), say("way.doesUseEdit")),
            theirs(say("way.keepCurrent"), say("way.doesKeepCurrent")),
            {
              act: "combine",
              label: say("way.combine"),
              does: say("way.doesCombine"),
            },
            discard(say("action.discard"), say("way.doesDiscardAll")),
          ];
    default:
      return unreachable(choice);
  }
}

function parked({ parkReason, action, frozen }: Edit): readonly WayOut[] {
  const giveUp = discard(say("action.discard"), say("way.doesGiveUp"));
  const again = (does: string): WayOut => ({ act: "retry", label: say("action.tryAgain"), does });
  const asks = say("way.asksFirst");
  switch (parkReason) {
    case "conflict":
      return [again(say("way.doesReadAgain", { asks })), giveUp];
    case "refused":
      return [
        again(action === "create" ? say("way.doesLookAndSend") : say("way.doesSendRest", { asks })),
        giveUp,
      ];
    case "unknown-outcome":
      return [
        {
          act: "retry",
          label: say("way.lookAgain"),
          does: say("way.doesLookAgain"),
        },
        discard(say("way.giveUp"), say("way.doesStop")),
      ];
    case "failed":
    case null:
      return [again(say(frozen ? "way.doesFrozen" : "way.doesRetry", { asks })), giveUp];
    default:
      return unreachable(parkReason);
  }
}
