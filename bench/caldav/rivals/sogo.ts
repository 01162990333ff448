import { join } from "node:path";
import { postgresNeeds, startPostgres } from "./postgres.ts";
import {
  fillByPut,
  folderFor,
  freePort,
  type Program,
  rival,
  start,
  untilListening,
} from "./processes.ts";

/** SOGo with one worker, over PostgreSQL and memcached. */
export const sogo: Program = {
  name: "SOGo",
  needs: ["sogod", "memcached", ...postgresNeeds],
  asUser: true,
  async start(ground) {
    const postgres = await startPostgres(ground, "sogo");
    postgres.run("postgres", "CREATE DATABASE sogo ENCODING 'UTF8' TEMPLATE template0");
    postgres.run(
      "sogo",
      `CREATE TABLE sogo_users (c_uid text PRIMARY KEY, c_name text, c_password text, c_cn text, mail text);
       INSERT INTO sogo_users VALUES ('bench', 'bench', 'bench', 'Bench', 'bench@example.com')`,
    );
    const [port, cachePort] = [await freePort(), await freePort()];
    const cache = start(ground, {
      program: "memcached",
      args: ["-u", "nobody", "-l", "127.0.0.1", "-p", String(cachePort)],
    });
    const home = folderFor("sogo", ground.folder, "sogo");
    const child = start(ground, {
      program: "sogod",
      args: options({ port, cachePort, home, database: postgres.port }),
      cwd: home,
      env: { HOME: home },
      user: "sogo",
    });
    const root = "/SOGo/dav/bench/Calendar";
    const paths = { calendar: `${root}/calendar/`, large: `${root}/large/` };
    const made = rival("SOGo", {
      child,
      address: { port, ...paths },
      end() {
        cache.kill();
        postgres.stop();
      },
    });
    await untilListening(made);
    await fillByPut(made, ground.large);
    return made;
  },
};

interface Places {
  readonly port: number;
  readonly cachePort: number;
  readonly home: string;
  /** PostgreSQL's port. */
  readonly database: number;
}

function options({ port, cachePort, home, database }: Places): readonly string[] {
  const table = (name: string) => `postgresql://postgres:x@127.0.0.1:${database}/sogo/${name}`;
  const users = `({type = sql; id = users; viewURL = "${table("sogo_users")}"; canAuthenticate = YES; userPasswordAlgorithm = none;})`;
  const settings: Readonly<Record<string, string>> = {
    WONoDetach: "YES",
    WOPort: `127.0.0.1:${port}`,
    WOWorkersCount: "1",
    WOPidFile: join(home, "pid"),
    WOLogFile: join(home, "log"),
    SOGoProfileURL: table("sogo_user_profile"),
    OCSFolderInfoURL: table("sogo_folder_info"),
    OCSSessionsFolderURL: table("sogo_sessions_folder"),
    OCSEMailAlarmsFolderURL: table("sogo_alarms"),
    OCSStoreURL: table("sogo_store"),
    OCSAclURL: table("sogo_acl"),
    OCSCacheFolderURL: table("sogo_cache_folder"),
    SOGoUserSources: users,
    SOGoMemcachedHost: `127.0.0.1:${cachePort}`,
    SOGoAppointmentSendEMailNotifications: "NO",
  };
  return Object.entries(settings).flatMap(([name, value]) => [`-${name}`, value]);
}
