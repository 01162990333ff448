import type { PersonId } from "../../domain/ids.ts";
import { numberColumn, textColumn } from "../rows/item-rows.ts";
import {
  type PersonWebhook,
  personWebhookRow,
  reminderKinds,
  type WebhookFate,
  webhookFateRow,
} from "../rows/mail-rows.ts";
import { bound, upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";
import { ofPeople } from "./send-queue.ts";

/** People's webhooks, and the state of their messages. */
export function createPersonWebhooks({ db, clock }: StoreDeps) {
  const one = db.rows("SELECT * FROM person_webhooks WHERE person = ?", personWebhookRow);
  const all = db.rows("SELECT * FROM person_webhooks ORDER BY person", personWebhookRow);
  const put = db.prepare(
    upsert("person_webhooks", {
      key: ["person"],
      columns: ["format", "address", "token", "with_mail", "set_at"],
    }),
  );
  const remove = db.prepare("DELETE FROM person_webhooks WHERE person = ?");
  const newest = db.prepare(
    "SELECT count(*) AS webhooks, coalesce(max(set_at), '') AS at FROM person_webhooks",
  );
  const fate = db.rows(
    `SELECT state, problem, settled_at FROM outbox WHERE ${ofPeople("webhook", reminderKinds)}
       AND person = ? AND settled_at IS NOT NULL AND state IN ('sent', 'deferred', 'rejected') ORDER BY settled_at DESC LIMIT 1`,
    webhookFateRow,
  );
  return {
    get: (person: PersonId): PersonWebhook | null => one.find(person),
    list: (): readonly PersonWebhook[] => all.all(),
    /** Sets or replaces a person's webhook, from now on. */
    put: (webhook: Omit<PersonWebhook, "setAt">): void =>
      void put.run(bound({ ...webhook, setAt: clock() })),
    /** False if there was none. */
    remove: (person: PersonId): boolean => remove.run(person).changes > 0,
    /** Changes whenever a webhook is set or removed. */
    version(): string {
      const row = newest.get();
      return `${numberColumn(row, "webhooks")} ${textColumn(row, "at")}`;
    },
    /** Result of the last message to a person; null if there was none. */
    fate: (person: PersonId): WebhookFate | null => fate.find(person),
  };
}

export type { PersonWebhook, WebhookFate } from "../rows/mail-rows.ts";
