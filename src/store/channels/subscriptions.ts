import {
  type SubscribedItem,
  type SubscriptionRow,
  subscribedItemRow,
  subscriptionRow,
} from "../rows/channels.ts";
import { instantText, numberColumn } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";

/** Subscribed calendars, by their configured names, and what each of them last showed. */
export interface Subscriptions {
  /** The calendar's row, made when there is none. Another address than last time begins anew, with no snapshot. */
  open(name: string, address: string): SubscriptionRow;
  put(row: SubscriptionRow): void;
  items(name: string): readonly SubscribedItem[];
  /** Writes these items and removes those of the dropped UIDs. */
  putItems(
    name: string,
    change: { readonly put: readonly SubscribedItem[]; readonly drop: readonly string[] },
  ): void;
  /** How many items the calendar last showed. */
  count(name: string): number;
}

export function createSubscriptions({ db }: StoreDeps): Subscriptions {
  const byName = db.prepare("SELECT * FROM subscriptions WHERE name = ?");
  const add = db.prepare("INSERT INTO subscriptions (name, address) VALUES (?, ?)");
  const forget = db.prepare("DELETE FROM subscriptions WHERE name = ? AND address <> ?");
  const update = db.prepare(
    `UPDATE subscriptions SET etag = @etag, last_modified = @lastModified, body = @body, baseline_at = @baselineAt,
       attempted_at = @attemptedAt, succeeded_at = @succeededAt, changed_at = @changedAt, next_at = @nextAt,
       failures = @failures, problem = @problem, notes = @notes, reissues = @reissues WHERE name = @name`,
  );
  const items = db.prepare("SELECT * FROM subscription_items WHERE subscription = ? ORDER BY uid");
  const putItem = db.prepare(
    `INSERT INTO subscription_items (subscription, uid, known_as, project_id, shown, missing, missing_at)
     VALUES (@name, @uid, @knownAs, @projectId, @shown, @missing, @missingAt)
     ON CONFLICT (subscription, uid) DO UPDATE SET known_as = excluded.known_as, project_id = excluded.project_id,
       shown = excluded.shown, missing = excluded.missing, missing_at = excluded.missing_at`,
  );
  const dropItem = db.prepare("DELETE FROM subscription_items WHERE subscription = ? AND uid = ?");
  const tally = db.prepare(
    "SELECT count(*) AS items FROM subscription_items WHERE subscription = ? AND missing = 0",
  );
  const textOf = (at: Temporal.Instant | null) => at && instantText(at);

  return {
    open: db.transaction((name: string, address: string) => {
      forget.run(name, address);
      if (byName.get(name) === undefined) add.run(name, address);
      return subscriptionRow(byName.get(name));
    }),
    put: (row) =>
      void update.run({
        ...row,
        baselineAt: textOf(row.baselineAt),
        attemptedAt: textOf(row.attemptedAt),
        succeededAt: textOf(row.succeededAt),
        changedAt: textOf(row.changedAt),
        nextAt: textOf(row.nextAt),
        notes: JSON.stringify(row.notes),
        reissues: row.reissues ? 1 : 0,
      }),
    items: (name) => items.all(name).map(subscribedItemRow),
    putItems: db.transaction(
      (
        name: string,
        {
          put,
          drop,
        }: { readonly put: readonly SubscribedItem[]; readonly drop: readonly string[] },
      ) => {
        for (const uid of drop) dropItem.run(name, uid);
        for (const item of put) putItem.run({ ...item, name, missingAt: textOf(item.missingAt) });
      },
    ),
    count: (name) => numberColumn(tally.get(name), "items"),
  };
}
