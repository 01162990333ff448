import type { EditState, ParkReason } from "../../domain/edit.ts";
import { say } from "../../texts/say.ts";

/** How pages, mails and commands name the state of an edit. Each also reads after "is". */
export const editStateLabel = (state: EditState): string => say(`edit.state.${state}`);

/** Why an edit is parked, in a few words. */
export const parkReasonLabel = (reason: ParkReason): string => say(`edit.reason.${reason}`);
