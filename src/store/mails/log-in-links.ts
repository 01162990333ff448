import { instantText, numberColumn } from "../rows/item-rows.ts";
import { type LogInLink, logInLinkRow } from "../rows/log-in-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createHandover, type Handover } from "./handover.ts";

/** The mail that carries one link. */
export interface LogInMailKey {
  readonly link: number;
}

/** Links by mail with which people log in, and how their mails fare. */
export interface LogInLinks {
  /** Notes that a person is to get one. Null where they have asked for `most` since that moment already. */
  ask(
    link: Pick<LogInLink, "person" | "next" | "until">,
    limit: { readonly since: Temporal.Instant; readonly most: number },
  ): number | null;
  get(id: number): LogInLink | null;
  /** Uses it up: false where it was used, or its time is over. */
  use(id: number): boolean;
  /** Those that nobody has used whose mails are not settled, as long as they open; oldest first. */
  open(): readonly LogInLink[];
  readonly mails: Handover<LogInMailKey>;
}

/** What is older is forgotten; until then it is counted, and its mail is listed. */
const keptFor = Temporal.Duration.from({ hours: 24 * 30 });

export function createLogInLinks(deps: StoreDeps): LogInLinks {
  const { db, clock } = deps;
  const insert = db.prepare(
    "INSERT INTO login_links (person, next, asked_at, until) VALUES (@person, @next, @now, @until)",
  );
  const forget = db.prepare("DELETE FROM login_links WHERE asked_at < ?");
  const asked = db.prepare(
    "SELECT count(*) AS links FROM login_links WHERE person = ? AND asked_at > ? AND asked_at <= ?",
  );
  const byId = db.prepare("SELECT * FROM login_links WHERE id = ?");
  const use = db.prepare(
    "UPDATE login_links SET used_at = @now WHERE id = @id AND used_at IS NULL AND until > @now AND asked_at <= @now",
  );
  const untold = db.prepare(
    `SELECT l.* FROM login_links l LEFT JOIN login_mails m ON m.link = l.id
     WHERE l.used_at IS NULL AND l.until > ? AND (m.state IS NULL OR m.state IN ('claimed', 'deferred')) ORDER BY l.id`,
  );
  const now = () => instantText(clock());
  return {
    ask: db.transaction(({ person, next, until }, { since, most }) => {
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
    }),
    get(id) {
      const row = byId.get(id);
      return row === undefined ? null : logInLinkRow(row);
    },
    use: (id) => use.run({ id, now: now() }).changes > 0,
    open: () => untold.all(now()).map(logInLinkRow),
    mails: createHandover<LogInMailKey>(deps, { table: "login_mails", columns: { link: "link" } }),
  };
}

export type { LogInLink } from "../rows/log-in-rows.ts";
