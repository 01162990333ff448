import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { postgresNeeds, startPostgres } from "./postgres.ts";
import {
  fillByPut,
  freePort,
  type Program,
  rival,
  runAs,
  start,
  untilListening,
} from "./processes.ts";

const installed = "/usr/share/davical";

/** DAViCal in PHP's own web server, which closes each connection, over PostgreSQL. */
export const davical: Program = {
  name: "DAViCal",
  needs: [`${installed}/dba/create-database.sh`, "php", ...postgresNeeds],
  asUser: true,
  async start(ground) {
    const postgres = await startPostgres(ground, "davical");
    const home = join(ground.folder, "davical");
    cpSync(installed, home, { recursive: true, dereference: true });
    const env = `PGHOST=127.0.0.1 PGPORT=${postgres.port} PGUSER=postgres`.split(" ");
    runAs(
      "postgres",
      ["env", ...env, "sh", "create-database.sh", "davical", "bench"],
      join(home, "dba"),
    );
    mkdirSync(join(home, "config"), { recursive: true });
    const database = `host=127.0.0.1 port=${postgres.port} dbname=davical user=davical_app`;
    const lines = [
      "<?php",
      "$c->domain_name = '127.0.0.1';",
      "$c->admin_email = 'bench@example.com';",
    ];
    writeFileSync(
      join(home, "config", "config.php"),
      [...lines, `$c->pg_connect[] = '${database}';`, ""].join("\n"),
    );
    const port = await freePort();
    // Not the machine's own configuration, which would win.
    const settings = [
      `open_basedir=${home}:/usr/share/awl`,
      `session.save_path=${home}`,
      "opcache.enable_cli=1",
    ];
    const options = settings.flatMap((setting) => ["-d", setting]);
    const child = start(ground, {
      program: "php",
      args: [...options, "-S", `127.0.0.1:${port}`, "-t", "."],
      cwd: join(home, "htdocs"),
    });
    const paths = { calendar: "/caldav.php/admin/calendar/", large: "/caldav.php/admin/large/" };
    const address = { port, ...paths, user: "admin" };
    const made = rival("DAViCal", { child, address, end: postgres.stop });
    await untilListening(made);
    await fillByPut(made, ground.large);
    return made;
  },
};
