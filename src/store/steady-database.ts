import type Database from "better-sqlite3";
import { type Revision, revision } from "../domain/ids.ts";
import { lazy } from "../domain/lazy.ts";
import { databaseStep } from "../runtime.ts";
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
  transaction<Given extends unknown[], Value>(
    steps: (...given: Given) => Value,
  ): StoreTransaction<Given, Value>;
  readonly function: Database.Database["function"];
  readonly inTransaction: boolean;
  close(): unknown;
}

/** Runs its steps as one; inside another transaction it is a part of that one. */
export interface StoreTransaction<Given extends unknown[], Value> {
  (...given: Given): Value;
  /** Takes the right to write at once. */
  immediate(...given: Given): Value;
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
  const committed = () => {
    if (!db.inTransaction) databaseStep("committed");
  };
  return {
    prepare: (sql) => new LazyStatement(() => db.prepare(steady(sql)), committed),
    exec: (sql) => db.exec(sql),
    pragma: (sql) => db.pragma(sql),
    transaction: (steps) => transactionOn(db, { steps, committed }),
    function: db.function.bind(db),
    get inTransaction() {
      return db.inTransaction;
    },
    close: () => db.close(),
  };
}

function transactionOn<Given extends unknown[], Value>(
  db: Database.Database,
  {
    steps,
    committed,
  }: { readonly steps: (...given: Given) => Value; readonly committed: () => void },
): StoreTransaction<Given, Value> {
  const transaction = db.transaction((isOutermost: boolean, given: Given): Value => {
    const value = steps(...given);
    if (isOutermost) databaseStep("commit");
    return value;
  });
  const run = (begin: (isOutermost: boolean, given: Given) => Value, given: Given): Value => {
    const value = begin(!db.inTransaction, given);
    committed();
    return value;
  };
  return Object.assign((...given: Given) => run(transaction, given), {
    immediate: (...given: Given) => run((...all) => transaction.immediate(...all), given),
  });
}

class LazyStatement implements Statement {
  readonly #statement: () => Statement;
  readonly #committed: () => void;

  /** `committed`: called after each run, which outside of a transaction is one. */
  constructor(prepare: () => Statement, committed: () => void) {
    this.#statement = lazy(prepare);
    this.#committed = committed;
  }

  run(...values: unknown[]) {
    databaseStep("write");
    const result = this.#statement().run(...values);
    this.#committed();
    return result;
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
    return new LazyStatement(() => this.#statement().pluck(), this.#committed);
  }

  raw() {
    return new LazyStatement(() => this.#statement().raw(), this.#committed);
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
