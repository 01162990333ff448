import Database from "better-sqlite3";

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
