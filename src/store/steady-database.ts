import type Database from "better-sqlite3";
import { type Revision, revision } from "../domain/ids.ts";
import { lazy } from "../domain/lazy.ts";
import { numberColumn } from "./rows/item-rows.ts";

/** What every table's repository is made of. */
export interface StoreDeps {
  readonly db: StoreDatabase;
  /** The account's zone. */
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
}

/** What repositories use of a connection. */
export interface StoreDatabase {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  pragma(sql: string): unknown;
  readonly transaction: Database.Database["transaction"];
  readonly function: Database.Database["function"];
  readonly inTransaction: boolean;
  close(): unknown;
}

/** What repositories use of a prepared statement. */
export interface Statement {
  run(...values: unknown[]): Database.RunResult;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  iterate(...values: unknown[]): IterableIterator<unknown>;
  /** Rows become their first column. */
  pluck(): Statement;
  /** Rows become arrays. */
  raw(): Statement;
}

/**
 * A connection whose statements are parsed once, at their first use: parsing all that a store has takes longer than
 * opening its database, and most processes run few of them.
 */
export function storeDatabase(db: Database.Database): StoreDatabase {
  return {
    prepare: (sql) => new LazyStatement(() => db.prepare(steady(sql))),
    exec: (sql) => db.exec(sql),
    pragma: (sql) => db.pragma(sql),
    transaction: (steps) => db.transaction(steps),
    function: db.function.bind(db),
    get inTransaction() {
      return db.inTransaction;
    },
    close: () => db.close(),
  };
}

class LazyStatement implements Statement {
  readonly #statement: () => Statement;

  constructor(prepare: () => Statement) {
    this.#statement = lazy(prepare);
  }

  run(...values: unknown[]) {
    return this.#statement().run(...values);
  }

  get(...values: unknown[]) {
    return this.#statement().get(...values);
  }

  all(...values: unknown[]) {
    return this.#statement().all(...values);
  }

  iterate(...values: unknown[]) {
    return this.#statement().iterate(...values);
  }

  pluck() {
    return new LazyStatement(() => this.#statement().pluck());
  }

  raw() {
    return new LazyStatement(() => this.#statement().raw());
  }
}

/**
 * SQLite notes for which parameters another value might have another plan, and parses the statement anew once they are
 * bound again; as better-sqlite3 unbinds all of them after each run, a statement that looks up by more than a key would
 * be parsed at each use, ten times as slowly. A parameter behind a plus, which changes no value, is an expression, by
 * which SQLite does not choose plans.
 */
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

export function createTransactions(db: StoreDatabase): Transactions {
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
