import type { Database } from "better-sqlite3";
import { type StoreDatabase, steady, storeDatabase } from "../../src/store/steady-database.ts";
import { createStore } from "../../src/store/store.ts";
import { handClock } from "../support/test-store.ts";

/** The texts of all statements of a store, each as written and as SQLite gets it. */
export function statementsOfStore(
  connection: Database,
): readonly { readonly written: string; readonly sql: string }[] {
  const db = storeDatabase(connection);
  const all = new Set<string>();
  const noted = (sql: string): string => {
    all.add(sql);
    return sql;
  };
  const noting: StoreDatabase = {
    ...db,
    prepare: (sql) => db.prepare(noted(sql)),
    rows: (sql, read) => db.rows(noted(sql), read),
    remembered: (sql, read) => db.remembered(noted(sql), read),
  };
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = createStore({ db: noting, zone: "UTC", clock }, () => "id");
  store.byWebhook();
  store.gauges();
  return [...all].map((written) => ({ written, sql: steady(written) }));
}
