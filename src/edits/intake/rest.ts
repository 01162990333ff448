import type { Channel, EditAction } from "../../domain/journal.ts";

/** Calendar programs that move a file send its removal and its new place apart, in any order. */
const deletionRest = Temporal.Duration.from({ seconds: 2 });

/**
 * Until when an edit rests before it is sent; null = not at all. A deletion by a calendar program may be the first half of
 * a move, and with the item would go what no program could send again: subtasks, comments, history, attachments, people.
 */
export function restOf(
  edit: { readonly channel: Channel; readonly action: EditAction },
  at: Temporal.Instant,
): Temporal.Instant | null {
  return edit.channel === "caldav" && edit.action === "delete" ? at.add(deletionRest) : null;
}
