import {
  type InboxFile,
  inboxFileRow,
  type SubscribedItem,
  type SubscriptionRow,
  subscribedItemRow,
  subscriptionRow,
} from "../rows/channel-rows.ts";
import { instantText, numberColumn } from "../rows/item-rows.ts";
import { bound, upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** Processed files of the watched folder that were not yet moved to their target. */
export function createInboxFiles({ db, clock }: StoreDeps) {
  const add = db.prepare(
    upsert("inbox_files", { key: ["path"], columns: ["stamp", "target", "report", "applied_at"] }),
  );
  const all = db.rows("SELECT * FROM inbox_files ORDER BY path", inboxFileRow);
  const remove = db.prepare("DELETE FROM inbox_files WHERE path = ?");
  return {
    /** Call inside the transaction that stores the file's edits. */
    add: (file: InboxFile): void => void add.run({ ...file, appliedAt: instantText(clock()) }),
    all: (): readonly InboxFile[] => all.all(),
    remove: (path: string): void => void remove.run(path),
  };
}

/** Subscribed calendars by configured name, with their last snapshot. */
export function createSubscriptions({ db }: StoreDeps) {
  const byName = db.rows("SELECT * FROM subscriptions WHERE name = ?", subscriptionRow);
  const add = db.rows(
    "INSERT INTO subscriptions (name, address) VALUES (?, ?) RETURNING *",
    subscriptionRow,
  );
  const forget = db.prepare("DELETE FROM subscriptions WHERE name = ? AND address <> ?");
  const update = db.prepare(
    `UPDATE subscriptions SET etag = @etag, last_modified = @lastModified, body = @body, baseline_at = @baselineAt,
       attempted_at = @attemptedAt, succeeded_at = @succeededAt, changed_at = @changedAt, next_at = @nextAt,
       failures = @failures, problem = @problem, notes = @notes, reissues = @reissues WHERE name = @name`,
  );
  const items = db.rows(
    "SELECT * FROM subscription_items WHERE subscription = ? ORDER BY uid",
    subscribedItemRow,
  );
  const putItem = db.prepare(
    upsert("subscription_items", {
      key: ["subscription", "uid"],
      columns: ["known_as", "project_id", "shown", "missing", "missing_at"],
    }),
  );
  const dropItem = db.prepare("DELETE FROM subscription_items WHERE subscription = ? AND uid = ?");
  const counting = db.prepare(
    "SELECT count(*) AS items FROM subscription_items WHERE subscription = ? AND missing = 0",
  );

  return {
    /** The calendar's row; created if missing. A changed address starts over without a snapshot. */
    open: db.transaction((name: string, address: string): SubscriptionRow => {
      forget.run(name, address);
      return byName.find(name) ?? add.get(name, address);
    }),
    put: (row: SubscriptionRow): void => void update.run(bound(row)),
    items: (name: string): readonly SubscribedItem[] => items.all(name),
    /** Writes these items and deletes those with the dropped UIDs. */
    putItems: db.transaction(
      (
        name: string,
        {
          put,
          drop,
        }: { readonly put: readonly SubscribedItem[]; readonly drop: readonly string[] },
      ): void => {
        for (const uid of drop) dropItem.run(name, uid);
        for (const item of put) putItem.run(bound({ ...item, subscription: name }));
      },
    ),
    /** Number of items in the last snapshot. */
    count: (name: string): number => numberColumn(counting.get(name), "items"),
  };
}
