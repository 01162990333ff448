import type { PersonId } from "../../domain/ids.ts";
import { instantText, numberColumn } from "../rows/item-rows.ts";
import { type LogInLink, logInLinkRow } from "../rows/log-in-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSendQueue, ofPeople } from "./send-queue.ts";

/** Identifies the mail with a link. */
export interface LogInMailKey {
  readonly link: number;
  readonly person: PersonId;
}

/** Older links are deleted. Until then they count towards the limit, and their mails are listed. */
const keptFor = Temporal.Duration.from({ hours: 24 * 30 });

/** Sign-in links by mail, and the state of their mails. */
export function createLogInLinks(deps: StoreDeps) {
  const { db, clock } = deps;
  const insert = db.prepare(
    "INSERT INTO login_links (person, next, asked_at, until) VALUES (@person, @next, @now, @until)",
  );
  const forget = db.prepare("DELETE FROM login_links WHERE asked_at < ?");
  const asked = db.prepare(
    "SELECT count(*) AS links FROM login_links WHERE person = ? AND asked_at > ? AND asked_at <= ?",
  );
  const byId = db.rows("SELECT * FROM login_links WHERE id = ?", logInLinkRow);
  const use = db.prepare(
    "UPDATE login_links SET used_at = @now WHERE id = @id AND used_at IS NULL AND until > @now AND asked_at <= @now",
  );
  const unsent = db.rows(
    `SELECT l.* FROM login_links l LEFT JOIN outbox m ON m.kind = 'log-in' AND m.subject = l.id
     WHERE l.used_at IS NULL AND l.until > ? AND (m.state IS NULL OR m.state IN ('claimed', 'deferred')) ORDER BY l.id`,
    logInLinkRow,
  );
  const now = () => instantText(clock());
  return {
    /** Records a request for a link. Null if the person has requested `most` since that moment. */
    ask: db.transaction(
      (
        { person, next, until }: Pick<LogInLink, "person" | "next" | "until">,
        { since, most }: { readonly since: Temporal.Instant; readonly most: number },
      ): number | null => {
        forget.run(instantText(clock().subtract(keptFor)));
        const count = numberColumn(asked.get(person, instantText(since), now()), "links");
        if (count >= most) return null;
        const { lastInsertRowid } = insert.run({
          person,
          next,
          now: now(),
          until: instantText(until),
        });
        return Number(lastInsertRowid);
      },
    ),
    get: (id: number): LogInLink | null => byId.find(id),
    /** Uses a link: false if it was used or has expired. */
    use: (id: number): boolean => use.run({ id, now: now() }).changes > 0,
    /** Unused, unexpired links whose mails are not sent yet, oldest first. */
    open: (): readonly LogInLink[] => unsent.all(now()),
    mails: createSendQueue<LogInMailKey>(deps, {
      scope: ofPeople("mail", ["log-in"]),
      keyOf: ({ link, person }) => ({
        way: "mail",
        kind: "log-in",
        subject: link,
        occasion: "",
        lead: "",
        person,
      }),
    }),
  };
}

export type { LogInLink } from "../rows/log-in-rows.ts";
