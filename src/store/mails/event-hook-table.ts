import { type HookEvent, hookEvents } from "../../domain/hook-event.ts";
import { type PersonId, type ProjectId, personId, projectId } from "../../domain/ids.ts";
import { instantText } from "../rows/item-rows.ts";
import { tableRow } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A webhook for events that somebody created; address and secret are encrypted. */
export interface CreatedHook {
  readonly id: number;
  /** Null for the admin. */
  readonly owner: PersonId | null;
  readonly name: string;
  readonly address: string;
  readonly secret: string;
  readonly events: readonly HookEvent[];
  readonly project: ProjectId | null;
  readonly person: PersonId | null;
  readonly createdAt: Temporal.Instant;
}

/** Webhooks for events that people and the admin created. */
export function createEventHookTable({ db, clock }: StoreDeps) {
  const insert = db.prepare(
    `INSERT INTO event_hooks (owner, name, address, secret, events, project, person, created_at)
     VALUES (@owner, @name, @address, @secret, @events, @project, @person, @now)`,
  );
  const all = db.rows("SELECT * FROM event_hooks ORDER BY id", createdHookRow);
  const remove = db.prepare("DELETE FROM event_hooks WHERE id = ?");
  return {
    /** Returns its id. */
    add({ events, ...hook }: Omit<CreatedHook, "id" | "createdAt">): number {
      const row = { ...hook, events: events.join(" "), now: instantText(clock()) };
      return Number(insert.run(row).lastInsertRowid);
    },
    /** Oldest first. */
    list: (): readonly CreatedHook[] => all.all(),
    remove: (id: number): void => void remove.run(id),
  };
}

function createdHookRow(row: unknown): CreatedHook {
  const raw = tableRow<"event_hooks">(row);
  const events = raw.events.split(" ");
  return {
    id: raw.id,
    owner: raw.owner === null ? null : personId(raw.owner),
    name: raw.name,
    address: raw.address,
    secret: raw.secret,
    events: hookEvents.filter((event) => events.includes(event)),
    project: raw.project === null ? null : projectId(raw.project),
    person: raw.person === null ? null : personId(raw.person),
    createdAt: Temporal.Instant.from(raw.created_at),
  };
}
