import type { PersonId } from "../../domain/ids.ts";
import { instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import {
  type PersonWebhook,
  personWebhookRow,
  reminderKinds,
  type WebhookFate,
  webhookFateRow,
} from "../rows/mail-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import { ofPeople } from "./send-queue.ts";

/** People's webhooks, and the state of their messages. */
export interface PersonWebhooks {
  get(person: PersonId): PersonWebhook | null;
  list(): readonly PersonWebhook[];
  /** Sets or replaces a person's webhook, from now on. */
  put(webhook: Omit<PersonWebhook, "setAt">): void;
  /** False if there was none. */
  remove(person: PersonId): boolean;
  /** Changes whenever a webhook is set or removed. */
  version(): string;
  /** Result of the last message to a person; null if there was none. */
  fate(person: PersonId): WebhookFate | null;
}

export function createPersonWebhooks({ db, clock }: StoreDeps): PersonWebhooks {
  const one = db.prepare("SELECT * FROM person_webhooks WHERE person = ?");
  const all = db.prepare("SELECT * FROM person_webhooks ORDER BY person");
  const put = db.prepare(
    `INSERT INTO person_webhooks (person, format, address, token, with_mail, set_at)
     VALUES (@person, @format, @address, @token, @withMail, @now)
     ON CONFLICT (person) DO UPDATE SET format = excluded.format, address = excluded.address, token = excluded.token,
       with_mail = excluded.with_mail, set_at = excluded.set_at`,
  );
  const remove = db.prepare("DELETE FROM person_webhooks WHERE person = ?");
  const newest = db.prepare(
    "SELECT count(*) AS webhooks, coalesce(max(set_at), '') AS at FROM person_webhooks",
  );
  const fate = db.prepare(
    `SELECT state, problem, settled_at FROM outbox WHERE ${ofPeople("webhook", reminderKinds)}
       AND person = ? AND settled_at IS NOT NULL AND state IN ('sent', 'deferred', 'rejected') ORDER BY settled_at DESC LIMIT 1`,
  );
  return {
    get(person) {
      const row = one.get(person);
      return row === undefined ? null : personWebhookRow(row);
    },
    list: () => all.all().map(personWebhookRow),
    put: ({ withMail, ...webhook }) =>
      void put.run({ ...webhook, withMail: withMail ? 1 : 0, now: instantText(clock()) }),
    remove: (person) => remove.run(person).changes > 0,
    version() {
      const row = newest.get();
      return `${numberColumn(row, "webhooks")} ${textColumn(row, "at")}`;
    },
    fate(person) {
      const row = fate.get(person);
      return row === undefined ? null : webhookFateRow(row);
    },
  };
}

export type { PersonWebhook, WebhookFate } from "../rows/mail-rows.ts";
