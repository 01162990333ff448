import { landsAfterCrash } from "../../domain/landing.ts";
import { instantText, itemText } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";
import type { Journal } from "./journal.ts";

/** What is noted of an edit while it is carried out; none of it is shown to calendars. */
export function createMarks({
  db,
  clock,
}: StoreDeps): Pick<Journal, "sending" | "landing" | "leaving" | "missing" | "keyRefused"> {
  const sent = db.prepare(
    `UPDATE edits SET resent_at = iif(sent_at IS NULL, resent_at, @now), sent_at = coalesce(sent_at, @now),
       sent_after = coalesce(sent_after, iif(sent_at IS NULL, (SELECT max(item) FROM identities), NULL)), lands_until = @until, updated_at = @now WHERE id = @id`,
  );
  const land = db.prepare("UPDATE edits SET lands_until = ? WHERE id = ?");
  const meet = db.prepare("UPDATE edits SET before = coalesce(before, ?) WHERE id = ?");
  const miss = db.prepare("UPDATE edits SET missed_at = ? WHERE id = ?");
  const refuseKey = db.prepare(
    "UPDATE edits SET key_refused_at = coalesce(key_refused_at, ?) WHERE id = ?",
  );
  const acceptKey = db.prepare("UPDATE edits SET key_refused_at = NULL WHERE id = ?");
  const stamp = () => instantText(clock());

  return {
    sending: (id) =>
      void sent.run({ id, now: stamp(), until: instantText(landsAfterCrash(clock())) }),
    landing: (id, until) => void land.run(until && instantText(until), id),
    leaving: (id, before) => void meet.run(itemText(before), id),
    missing: (id, isMissing) => void miss.run(isMissing ? stamp() : null, id),
    keyRefused: (id, isRefused) =>
      void (isRefused ? refuseKey.run(stamp(), id) : acceptKey.run(id)),
  };
}
