import { inFlightAfterCrash, nextLook } from "../../domain/edit.ts";
import type { EditId, ItemKey, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { patchToPlain } from "../../domain/plain-item.ts";
import { patchFromText } from "../rows/edit-rows.ts";
import {
  instantText,
  itemFromText,
  itemText,
  numberColumn,
  textColumn,
} from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A request about an item that is about to be sent. `patch`: what it sets, empty for a deletion. */
export type ItemRequest = { readonly edit: EditId; readonly item: ItemKey } & (
  | { readonly act: "create"; readonly patch: Patch }
  | {
      readonly act: "move" | "change" | "delete";
      readonly patch: Patch;
      readonly serviceId: ServiceId;
      /** The item's known state. */
      readonly before: Item;
    }
);

/**
 * A request for something without an identity here: a label, a comment, a file in a folder. `what` identifies it, like an
 * idempotency key.
 */
export interface NamedRequest {
  /** Null for a label, which belongs to no single edit. */
  readonly edit: EditId | null;
  readonly act: "label" | "extra";
  readonly what: string;
  /** Ids of existing look-alikes. */
  readonly known: readonly number[];
}

/** A request that was sent and whose result is unknown. */
export interface OpenRequest {
  readonly sentAt: Temporal.Instant;
  /** The last try may be carried out until then. */
  readonly inFlightUntil: Temporal.Instant;
  /** Ids of look-alikes from before the first try. */
  readonly known: ReadonlySet<number>;
}

/** Requests sent for edits: one row each, stored before the first byte is sent. */
export type Attempts = ReturnType<typeof createAttempts>;

/** True for requests that create something with a new id. A service may move a task by copying it. */
export const isCreating = (act: string): string => `${act} IN ('create', 'move')`;

/** True for requests about an existing item, which is read again if no answer comes. */
export const isOfKnown = (act: string): string => `${act} IN ('move', 'change', 'delete')`;

/** True if a creating request of an edit was sent, and `also` holds for it. */
export const hasCreated = (edit: string, also = "TRUE"): string =>
  `EXISTS (SELECT 1 FROM attempts a WHERE a.edit = ${edit} AND ${isCreating("a.act")} AND ${also})`;

/** When to read the item of an attempt without an answer again, if the item is known. */
const lookFor = `iif(${isOfKnown("act")}, @look, NULL)`;

export function createAttempts({ db, zone, clock }: StoreDeps) {
  const insert = db.prepare(
    `INSERT INTO attempts (edit, act, what, claim, repeats, item, service_id, patch, before, known, newest_item, sent_at, lands_until)
     VALUES (@edit, @act, @what, coalesce((SELECT begun FROM edits WHERE id = @edit), 0),
       ${isCreating("@act")} AND EXISTS (SELECT 1 FROM attempts WHERE edit = @edit AND ${isCreating("act")}),
       @item, @serviceId, @patch, @before, @known, (SELECT max(item) FROM identities), @now, @until)`,
  );
  const lose = db.prepare(
    `INSERT INTO attempts (edit, act, what, claim, repeats, item, service_id, patch, before, known, newest_item, sent_at, ended_at,
       lands_until, next_look)
     SELECT edit, act, what, claim, repeats, item, service_id, patch, before, known, newest_item, sent_at, @now, @until, ${lookFor}
       FROM attempts WHERE id = @id`,
  );
  const end = db.prepare(
    "UPDATE attempts SET ended_at = ?, lands_until = NULL, before = NULL WHERE id = ? AND ended_at IS NULL",
  );
  const endAll = db.prepare(
    "UPDATE attempts SET ended_at = ?, lands_until = NULL, before = NULL WHERE edit = ? AND what IS NULL AND ended_at IS NULL",
  );
  const drop = db.prepare("DELETE FROM attempts WHERE id = ? AND ended_at IS NULL");
  const settle = db.prepare(
    "UPDATE attempts SET lands_until = NULL WHERE edit = ? AND act = 'create'",
  );
  const named = db.prepare(
    `SELECT min(sent_at) AS sent_at, max(coalesce(lands_until, sent_at)) AS lands_until FROM attempts WHERE what = ?`,
  );
  const knownOf = db.rows(
    `SELECT value FROM json_each((SELECT known FROM attempts WHERE what = ? ORDER BY id LIMIT 1))`,
    (one) => numberColumn(one, "value"),
  );
  const forget = db.prepare("DELETE FROM attempts WHERE what = ?");
  const createdWith = db.prepare(
    "SELECT DISTINCT patch FROM attempts WHERE edit = ? AND act = 'create'",
  );
  const cutShort = `UPDATE attempts SET ended_at = @now, lands_until = @until, next_look = ${lookFor}
    WHERE ended_at IS NULL`;
  const cutAllShort = db.prepare(cutShort);
  const cutThoseShort = db.prepare(`${cutShort} AND edit = @edit`);

  const unanswered = (until: Temporal.Instant) => {
    const now = clock();
    const look = nextLook(now, { sentAt: now, until });
    return { now: instantText(now), until: instantText(until), look: instantText(look) };
  };

  return {
    /** Records a request that is sent in this turn of the event loop; returns its id. */
    leaving(request: ItemRequest | NamedRequest): number {
      const isNamed = "what" in request;
      const isKnown = !isNamed && request.act !== "create";
      const now = clock();
      const { lastInsertRowid } = insert.run({
        edit: request.edit,
        act: request.act,
        what: isNamed ? request.what : null,
        item: isNamed ? null : request.item,
        serviceId: isKnown ? request.serviceId : null,
        patch: isNamed ? null : JSON.stringify(patchToPlain(request.patch)),
        before: isKnown ? itemText(request.before) : null,
        known: JSON.stringify(isNamed ? request.known : []),
        now: instantText(now),
        until: instantText(inFlightAfterCrash(now)),
      });
      return Number(lastInsertRowid);
    },
    /** Records that one try of the request got no usable answer and may be carried out until `until`. */
    lost: (id: number, until: Temporal.Instant): void =>
      void lose.run({ id, ...unanswered(until) }),
    /**
     * Records that the last try has ended. `isLost`: some try was recorded as `lost`, and so was the last one unless it was
     * answered.
     */
    ended: (id: number, { isLost }: { readonly isLost: boolean }): void =>
      void (isLost ? drop.run(id) : end.run(instantText(clock()), id)),
    /** Records that the edit is applied: the results of its requests are known. */
    settled: (edit: EditId): void => void endAll.run(instantText(clock()), edit),
    /** The creating requests of these edits are known to have created nothing. */
    madeNothing(edits: readonly EditId[]): void {
      for (const edit of edits) settle.run(edit);
    },
    open(what: string): OpenRequest | null {
      const row = named.get(what);
      const sentAt = textColumn(row, "sent_at");
      const until = textColumn(row, "lands_until");
      if (sentAt === null || until === null) return null;
      return {
        sentAt: Temporal.Instant.from(sentAt),
        inFlightUntil: Temporal.Instant.from(until),
        known: new Set(knownOf.all(what)),
      };
    },
    /** What each request of an edit to create its item has set; several if the item was changed between them. */
    createdWith: (edit: EditId): readonly Patch[] =>
      createdWith.all(edit).flatMap((row) => {
        const text = textColumn(row, "patch");
        return text === null ? [] : [patchFromText(text, zone)];
      }),
    /** Deletes a request whose result exists. */
    done: (what: string): void => void forget.run(what),
    /** Requests in progress when the process ends, or a try of one edit ends, may be carried out for three more minutes. */
    release(edit?: EditId): void {
      const about = unanswered(inFlightAfterCrash(clock()));
      if (edit === undefined) cutAllShort.run(about);
      else cutThoseShort.run({ ...about, edit });
    },
  };
}

/** Items seen in lists that a creation without an answer may have created. */
export function createCandidates({ db, zone, clock }: StoreDeps) {
  const put = db.prepare(
    `INSERT INTO candidates (edit, kind, service_id, content, seen_at) VALUES (@edit, @kind, @id, @content, @now)
     ON CONFLICT (edit, kind, service_id) DO UPDATE SET content = excluded.content`,
  );
  const ofEdit = db.prepare("SELECT content FROM candidates WHERE edit = ? ORDER BY service_id");
  return {
    /** Stores an item with the edit, or updates it. */
    note(edit: EditId, item: Item & { readonly id: ServiceId }): void {
      const { kind, id } = item;
      put.run({ edit, kind, id, content: itemText(item), now: instantText(clock()) });
    },
    ofEdit: (edit: EditId): readonly Item[] =>
      ofEdit.all(edit).flatMap((row) => {
        const text = textColumn(row, "content");
        return text === null ? [] : [itemFromText(text, zone)];
      }),
  };
}
