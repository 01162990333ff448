import type Database from "better-sqlite3";
import { type Revision, revision } from "../domain/ids.ts";
import { lazy } from "../domain/lazy.ts";
import { databaseStep } from "../runtime.ts";
import { revisionColumn } from "./rows/item-rows.ts";

/** What every repository needs. */
export interface StoreDeps {
  readonly db: StoreDatabase;
  /** The account's zone. */
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
}

/** The part of a connection that repositories use. */
export interface StoreDatabase {
  prepare(sql: string): Statement;
  /** A query whose rows are decoded. */
  rows<Row>(sql: string, read: (row: unknown) => Row): Query<Row>;
  /** A query for one row that answers from memory until the next write. */
  remembered<Row>(sql: string, read: (row: unknown) => Row): Pick<Query<Row>, "find" | "get">;
  exec(sql: string): unknown;
  pragma(sql: string): unknown;
  /** Makes a function whose steps run as one transaction, or as a part of a surrounding one. */
  transaction<Given extends unknown[], Value>(
    steps: (...given: Given) => Value,
  ): (...given: Given) => Value;
  /** Runs steps likewise, with the write lock from the start. */
  immediately<Value>(steps: () => Value): Value;
  readonly function: Database.Database["function"];
  readonly inTransaction: boolean;
  close(): unknown;
}

/** A query with the decoder of its rows. */
interface Query<Row> {
  /** The first row; null if there is none. */
  find(...values: unknown[]): Row | null;
  /** The first row of a query that always has one. */
  get(...values: unknown[]): Row;
  all(...values: unknown[]): Row[];
}

/** The part of a prepared statement that repositories use. */
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

interface Prepared extends Statement {
  pluck(): Prepared;
  raw(): Prepared;
  readonly readonly: boolean;
}

/**
 * A connection whose statements are parsed at first use. Parsing all of a store's statements takes longer than opening its
 * database, and most processes run few of them.
 */
export function storeDatabase(db: Database.Database): StoreDatabase {
  /** Writes so far, and rollbacks, which undo some. */
  let writes = 0;
  const events: WriteEvents = {
    wrote() {
      writes += 1;
    },
    committed() {
      if (!db.inTransaction) databaseStep("committed");
    },
  };
  const prepare = (sql: string) => new LazyStatement(() => db.prepare(steady(sql)), events);
  return {
    prepare,
    rows: (sql, read) => decoded(prepare(sql), read),
    // Others may write beside a connection that only reads.
    remembered(sql, read) {
      const query = decoded(prepare(sql), read);
      if (db.readonly) return query;
      return {
        find: remembering(
          (...values) => query.find(...values),
          () => writes,
        ),
        get: remembering(
          (...values) => query.get(...values),
          () => writes,
        ),
      };
    },
    exec(sql) {
      events.wrote();
      return db.exec(sql);
    },
    pragma: (sql) => db.pragma(sql),
    transaction: (steps) => {
      const transaction = transactionOn(db, steps, events);
      return (...given) => transaction("deferred", given);
    },
    immediately: (steps) => transactionOn(db, steps, events)("immediate", []),
    function: db.function.bind(db),
    get inTransaction() {
      return db.inTransaction;
    },
    close: () => db.close(),
  };
}

const decoded = <Row>(statement: Statement, read: (row: unknown) => Row): Query<Row> => ({
  find(...values) {
    const row = statement.get(...values);
    return row === undefined ? null : read(row);
  },
  get: (...values) => read(statement.get(...values)),
  all: (...values) => statement.all(...values).map((row) => read(row)),
});

interface WriteEvents {
  readonly wrote: () => void;
  /** Called after each statement and transaction that may have been the outermost. */
  readonly committed: () => void;
}

/** Remembered answers per query, of which most have one or two. */
const mostRemembered = 1000;

/** Answers from memory until the next write. */
function remembering<Value>(
  ask: (...values: unknown[]) => Value,
  writes: () => number,
): (...values: unknown[]) => Value {
  const answers = new Map<string, { readonly value: Value }>();
  let at = -1;
  return (...values) => {
    if (at !== writes() || answers.size >= mostRemembered) answers.clear();
    at = writes();
    const key = values.length === 0 ? "" : JSON.stringify(values);
    const answer = answers.get(key) ?? { value: ask(...values) };
    answers.set(key, answer);
    return answer.value;
  };
}

function transactionOn<Given extends unknown[], Value>(
  db: Database.Database,
  steps: (...given: Given) => Value,
  { wrote, committed }: WriteEvents,
): (begin: "deferred" | "immediate", given: Given) => Value {
  const transaction = db.transaction((isOutermost: boolean, given: Given): Value => {
    const value = steps(...given);
    if (isOutermost) databaseStep("commit");
    return value;
  });
  return (begin, given) => {
    try {
      const value = transaction[begin](!db.inTransaction, given);
      committed();
      return value;
    } catch (error) {
      wrote();
      throw error;
    }
  };
}

class LazyStatement implements Statement {
  readonly #statement: () => Prepared;
  readonly #events: WriteEvents;

  constructor(prepare: () => Prepared, events: WriteEvents) {
    this.#statement = lazy(prepare);
    this.#events = events;
  }

  run(...values: unknown[]) {
    databaseStep("write");
    const result = this.#statement().run(...values);
    this.#events.wrote();
    this.#events.committed();
    return result;
  }

  get(...values: unknown[]) {
    return this.#asked().get(...values);
  }

  all(...values: unknown[]) {
    return this.#asked().all(...values);
  }

  iterate(...values: unknown[]) {
    return this.#asked().iterate(...values);
  }

  pluck() {
    return new LazyStatement(() => this.#statement().pluck(), this.#events);
  }

  raw() {
    return new LazyStatement(() => this.#statement().raw(), this.#events);
  }

  /** The statement, for its rows: with RETURNING it writes as well. */
  #asked(): Prepared {
    const statement = this.#statement();
    if (!statement.readonly) this.#events.wrote();
    return statement;
  }
}

/**
 * SQLite re-parses a statement after it is bound again if another value might change the plan. As better-sqlite3 unbinds after
 * each run, such a statement would be parsed at each use, ten times as slowly. A parameter after a unary plus is an expression,
 * which SQLite does not use for planning.
 */
export const steady = (sql: string): string =>
  sql.replaceAll(/(?<=(?:=|\bLIMIT)\s*)(?=[?@])/gi, "+");

/** The present and past transactions, for caches of rows in memory. */
export interface TransactionState {
  /** Number of outermost transactions begun so far; identifies the current one. */
  readonly begun: number;
  readonly isOpen: boolean;
  /** Number of rollbacks so far. What was read inside them may never have existed. */
  readonly undone: number;
  /** The newest revision before the current transaction, or the last one. */
  readonly since: Revision;
}

export interface Transactions {
  /** Runs synchronous steps as one transaction, or as a part of a surrounding one. */
  together<Value>(steps: () => Value): Value;
  /**
   * Like `together`, and synced to disk when it returns: an accepted edit must survive a power cut. Inside another transaction,
   * that one decides.
   */
  durably<Value>(steps: () => Value): Value;
  transaction(): TransactionState;
}

export function createTransactions(db: StoreDatabase): Transactions {
  const newest = db.remembered("SELECT max(revision) AS revision FROM changes", revisionColumn);
  let begun = 0;
  let undone = 0;
  let since = revision(0);

  function run<Value>(steps: () => Value): Value {
    const isOutermost = !db.inTransaction;
    try {
      return db.immediately(() => {
        if (isOutermost) {
          begun += 1;
          since = newest.get();
        }
        return steps();
      });
    } catch (error) {
      undone += 1;
      throw error;
    }
  }

  return {
    together: run,
    durably(steps) {
      // SQLite refuses to change the sync mode inside a transaction.
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
