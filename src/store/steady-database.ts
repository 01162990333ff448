import Database from "better-sqlite3";
import { type Revision, revision } from "../domain/ids.ts";
import { numberColumn } from "./rows/item-rows.ts";

/** What every table's repository is made of. */
export interface StoreDeps {
  readonly db: Database.Database;
  /** The account's zone. */
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
}

/**
 * A database whose statements are planned once. SQLite notes for which parameters another value might have another plan,
 * and plans anew once they are bound again; as better-sqlite3 unbinds all of them after each run, a statement that looks
 * up by more than a key would be parsed at each use, ten times as slowly.
 */
export class SteadyDatabase extends Database {
  override prepare<BindParameters extends unknown[] | object = unknown[], Result = unknown>(
    source: string,
  ) {
    return super.prepare<BindParameters, Result>(steady(source));
  }
}

/** A parameter behind a plus, which changes no value, is an expression, by which SQLite does not choose plans. */
export const steady = (sql: string): string =>
  sql.replaceAll(/(?<=(?:=|\bLIMIT)\s*)(?=[?@])/gi, "+");

/** The present transaction and those before it, for what keeps copies of rows in memory. */
export interface TransactionState {
  /** How many transactions were begun so far, those inside others not counted: names the present one. */
  readonly begun: number;
  readonly isOpen: boolean;
  /** How often steps were undone so far. What was read inside them may never have been. */
  readonly undone: number;
  /** The newest revision before the present transaction, or the last one. */
  readonly since: Revision;
}

export interface Transactions {
  /** Runs synchronous steps as one: all of them are kept, or none. Inside another transaction they are a part of it. */
  together<Value>(steps: () => Value): Value;
  /**
   * As `together`, and safe on the disk when it returns, also from a power cut: an accepted edit is a promise. Inside
   * another transaction it is a part of that one, whose end decides.
   */
  durably<Value>(steps: () => Value): Value;
  transaction(): TransactionState;
}

export function createTransactions(db: Database.Database): Transactions {
  const newest = db.prepare("SELECT coalesce(max(revision), 0) AS revision FROM changes");
  let begun = 0;
  let undone = 0;
  let since = revision(0);

  function run<Value>(steps: () => Value): Value {
    const isOutermost = !db.inTransaction;
    try {
      return db
        .transaction(() => {
          if (isOutermost) {
            begun += 1;
            since = revision(numberColumn(newest.get(), "revision"));
          }
          return steps();
        })
        .immediate();
    } catch (error) {
      undone += 1;
      throw error;
    }
  }

  return {
    together: run,
    durably(steps) {
      // SQLite refuses another pace inside a transaction.
      if (db.inTransaction) return run(steps);
      db.exec("PRAGMA synchronous = FULL");
      try {
        return run(steps);
      } finally {
        db.exec("PRAGMA synchronous = NORMAL");
      }
    },
    transaction: () => ({ begun, isOpen: db.inTransaction, undone, since }),
  };
}
