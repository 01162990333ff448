import { join } from "node:path";
import { folderFor, freePort, type Ground, runAs } from "./processes.ts";

const programs = "/usr/lib/postgresql/15/bin";

/** The command that must exist for servers that use PostgreSQL. */
export const postgresNeeds = [`${programs}/initdb`, "psql"];

/** A PostgreSQL server of a bench. */
export interface Postgres {
  readonly port: number;
  /** Runs SQL as the superuser. */
  readonly run: (database: string, sql: string) => void;
  readonly stop: () => void;
}

/** Starts PostgreSQL with a folder of its own, its usual durability, and without passwords on loopback. */
export async function startPostgres(ground: Ground, name: string): Promise<Postgres> {
  const port = await freePort();
  const home = folderFor("postgres", ground.folder, `${name}-postgres`);
  const [data, log] = [join(home, "data"), join(home, "log")];
  const options = `-k ${home} -p ${port} -c listen_addresses=127.0.0.1`;
  runAs(
    "postgres",
    [`${programs}/initdb`, "-D", data, "-A", "trust", "-E", "UTF8", "--locale=C"],
    home,
  );
  const control = [...ground.pin, `${programs}/pg_ctl`, "-D", data, "-w"];
  runAs("postgres", [...control, "-l", log, "-o", options, "start"], home);
  return {
    port,
    run: (database, sql) =>
      runAs("postgres", ["psql", "-qX", "-h", home, "-p", String(port), "-c", sql, database], home),
    stop: () => runAs("postgres", [...control, "-m", "fast", "stop"], home),
  };
}
