import type { Database } from "better-sqlite3";
import { steady, storeDatabase } from "../../src/store/steady-database.ts";
import { createStore } from "../../src/store/store.ts";
import { handClock } from "../support/test-store.ts";

/** The texts of all statements of a store, each as written and as SQLite gets it. */
export function statementsOfStore(
  connection: Database,
): readonly { readonly written: string; readonly sql: string }[] {
  const db = storeDatabase(connection);
  const all = new Set<string>();
  const prepare = (sql: string) => {
    all.add(sql);
    return db.prepare(sql);
  };
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = createStore(
    { db: { ...db, prepare, remembered: prepare }, zone: "UTC", clock },
    () => "id",
  );
  store.byWebhook();
  store.gauges();
  return [...all].map((written) => ({ written, sql: steady(written) }));
}
