import type { PersonId } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import { editStates } from "../../domain/journal.ts";
import { editRow } from "../rows/journal.ts";
import { instantText, numberColumn } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";
import type { Journal } from "./journal.ts";

/** Two rounds of polling at the usual pace: what a request has made is seen by then. */
const outlook = Temporal.Duration.from({ minutes: 30 });

/** What the journal holds. */
export function createJournalReads({
  db,
  zone,
  clock,
}: StoreDeps): Pick<
  Journal,
  "get" | "list" | "heldOf" | "heldBy" | "openCreations" | "givenUpCreations" | "counts"
> {
  const byId = db.prepare("SELECT * FROM edits WHERE id = ?");
  const newest = db.prepare("SELECT * FROM edits ORDER BY id DESC LIMIT ?");
  const newestIn = db.prepare("SELECT * FROM edits WHERE state = ? ORDER BY id DESC LIMIT ?");
  const held = db.prepare("SELECT * FROM edits WHERE item = ? AND state = 'held' ORDER BY id DESC");
  const heldByPerson = db.prepare(
    "SELECT * FROM edits WHERE state = 'held' AND channel = 'caldav' AND actor = ? ORDER BY id",
  );
  const creations = db.prepare(
    `SELECT * FROM edits WHERE action = 'create' AND sent_at IS NOT NULL
       AND (state IN ('pending', 'claimed') OR (state = 'parked' AND coalesce(resent_at, sent_at) > @since))`,
  );
  const givenUp = db.prepare(
    `SELECT * FROM edits WHERE state = 'discarded' AND sent_at IS NOT NULL AND lands_until IS NOT NULL
       AND lands_until > @since AND (action = 'create' OR (patch ->> 'place') IS NOT NULL)`,
  );
  const tally = db.prepare(
    `SELECT ${editStates
      .map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`)
      .join(", ")} FROM edits`,
  );
  const read = (row: unknown): Edit => editRow(row, zone);
  const heldKnown = new Map<PersonId, ReadonlyMap<string, Edit>>();
  const ago = (span: Temporal.Duration): string => instantText(clock().subtract(span));

  return {
    get(id) {
      const row = byId.get(id);
      return row === undefined ? null : read(row);
    },
    list: ({ state, limit }) => (state ? newestIn.all(state, limit) : newest.all(limit)).map(read),
    heldOf: (item) => held.all(item).map(read),
    heldBy(person) {
      const before = heldKnown.get(person);
      const rows = heldByPerson.all(person).map((row) => [JSON.stringify(row), row] as const);
      const edits = new Map(rows.map(([text, row]) => [text, before?.get(text) ?? read(row)]));
      heldKnown.set(person, edits);
      return [...edits.values()];
    },
    openCreations: () => creations.all({ since: ago(outlook) }).map(read),
    givenUpCreations: () => givenUp.all({ since: ago(outlook) }).map(read),
    counts() {
      const counted = tally.get();
      return Object.fromEntries(
        editStates.flatMap((state) => {
          const count = numberColumn(counted, state);
          return count > 0 ? [[state, count]] : [];
        }),
      );
    },
  };
}
