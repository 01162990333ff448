import { inFlightAfterCrash, nextLook } from "../../domain/edit.ts";
import type { EditId, ItemKey, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { patchToPlain } from "../../domain/plain-item.ts";
import {
  instantText,
  itemFromText,
  itemText,
  numberColumn,
  textColumn,
} from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A request about an item that is about to leave. `patch`: what it sets, empty for a deletion. */
export type ItemRequest = { readonly edit: EditId; readonly item: ItemKey } & (
  | { readonly act: "create"; readonly patch: Patch }
  | {
      readonly act: "move" | "change" | "delete";
      readonly patch: Patch;
      readonly serviceId: ServiceId;
      /** The item as it is known to be. */
      readonly before: Item;
    }
);

/** A request for what has no identity here: a label, a comment, a file in a folder. `what` names it, as an idempotency key does. */
export interface NamedRequest {
  /** Null for a label, which belongs to no single edit. */
  readonly edit: EditId | null;
  readonly act: "label" | "extra";
  readonly what: string;
  /** Ids of what looks alike already. */
  readonly known: readonly number[];
}

/** A named request that has left, and of which it is not known what it has made. */
export interface OpenRequest {
  readonly sentAt: Temporal.Instant;
  /** Until then the last try may be carried out. */
  readonly inFlightUntil: Temporal.Instant;
  /** Ids of what looked alike before the first try left. */
  readonly known: ReadonlySet<number>;
}

/** The requests that were sent for edits: one row each, which stands before the first byte leaves. */
export interface Attempts {
  /** Notes a request that leaves in this turn; the returned number names it. */
  leaving(request: ItemRequest | NamedRequest): number;
  /** Notes that one try of the request got no usable answer, and may be carried out until then. */
  lost(id: number, until: Temporal.Instant): void;
  /** Notes that the last try has ended. `isLost`: one was noted as `lost`, and the last one as well if it was not answered. */
  ended(id: number, how: { readonly isLost: boolean }): void;
  /** Notes that the edit is carried out: what its requests have made is known. */
  settled(edit: EditId): void;
  /** The creating requests of these edits are known not to have made anything. */
  madeNothing(edits: readonly EditId[]): void;
  open(what: string): OpenRequest | null;
  /** Drops a named request: what it was to make is there. */
  done(what: string): void;
  /** What is still under way at the end of the process, or of a try of one edit, may be carried out for three more minutes. */
  release(edit?: EditId): void;
}

/** Whether a request makes something under a new id; a service may move a task by copying it. */
export const isCreating = (act: string): string => `${act} IN ('create', 'move')`;

/** Whether a request is about an item that the service has, which is read again when no answer comes. */
export const isOfKnown = (act: string): string => `${act} IN ('move', 'change', 'delete')`;

/** Whether a creating request of an edit has left, and `also` holds for it. */
export const hasCreated = (edit: string, also = "TRUE"): string =>
  `EXISTS (SELECT 1 FROM attempts a WHERE a.edit = ${edit} AND ${isCreating("a.act")} AND ${also})`;

/** When the item of an attempt without an answer is read again, as far as it is known which one that is. */
const lookFor = `iif(${isOfKnown("act")}, @look, NULL)`;

export function createAttempts({ db, clock }: StoreDeps): Attempts {
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
  const knownOf = db.prepare(
    `SELECT value FROM json_each((SELECT known FROM attempts WHERE what = ? ORDER BY id LIMIT 1))`,
  );
  const forget = db.prepare("DELETE FROM attempts WHERE what = ?");
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
    leaving(request) {
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
    lost: (id, until) => void lose.run({ id, ...unanswered(until) }),
    ended: (id, { isLost }) => void (isLost ? drop.run(id) : end.run(instantText(clock()), id)),
    settled: (edit) => void endAll.run(instantText(clock()), edit),
    madeNothing(edits) {
      for (const edit of edits) settle.run(edit);
    },
    open(what) {
      const row = named.get(what);
      const sentAt = textColumn(row, "sent_at");
      const until = textColumn(row, "lands_until");
      if (sentAt === null || until === null) return null;
      return {
        sentAt: Temporal.Instant.from(sentAt),
        inFlightUntil: Temporal.Instant.from(until),
        known: new Set(knownOf.all(what).map((one) => numberColumn(one, "value"))),
      };
    },
    done: (what) => void forget.run(what),
    release(edit) {
      const about = unanswered(inFlightAfterCrash(clock()));
      if (edit === undefined) cutAllShort.run(about);
      else cutThoseShort.run({ ...about, edit });
    },
  };
}

/** Items that lists have shown and that may be what a creation without an answer has made. */
export interface Candidates {
  /** Keeps an item with the edit; one that is kept already is brought up to date. */
  note(edit: EditId, item: Item & { readonly id: ServiceId }): void;
  ofEdit(edit: EditId): readonly Item[];
}

export function createCandidates({ db, zone, clock }: StoreDeps): Candidates {
  const put = db.prepare(
    `INSERT INTO candidates (edit, kind, service_id, content, seen_at) VALUES (@edit, @kind, @id, @content, @now)
     ON CONFLICT (edit, kind, service_id) DO UPDATE SET content = excluded.content`,
  );
  const ofEdit = db.prepare("SELECT content FROM candidates WHERE edit = ? ORDER BY service_id");
  return {
    note(edit, item) {
      const { kind, id } = item;
      put.run({ edit, kind, id, content: itemText(item), now: instantText(clock()) });
    },
    ofEdit: (edit) =>
      ofEdit.all(edit).flatMap((row) => {
        const text = textColumn(row, "content");
        return text === null ? [] : [itemFromText(text, zone)];
      }),
  };
}
