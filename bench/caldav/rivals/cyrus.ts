import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import {
  fillByPut,
  folderFor,
  freePort,
  type Ground,
  type Program,
  rival,
  start,
  untilDone,
  untilListening,
} from "./processes.ts";

const programs = "/usr/lib/cyrus/bin";

/** Cyrus IMAP's httpd, with one process per connection. It accepts every password, so a log-in costs nothing. */
export const cyrus: Program = {
  name: "Cyrus",
  needs: [`${programs}/master`, `${programs}/httpd`, `${programs}/imapd`],
  asUser: true,
  async start(ground) {
    const [port, imapPort] = [await freePort(), await freePort()];
    const settings = writeSettings(ground, { port, imapPort });
    const child = start(ground, {
      program: `${programs}/master`,
      args: ["-D", "-C", settings.imapd, "-M", settings.cyrus, "-p", settings.pid],
    });
    const home = "/dav/calendars/user/bench";
    const paths = { calendar: `${home}/calendar/`, large: `${home}/large/` };
    const made = rival("Cyrus", { child, address: { port, ...paths } });
    await untilDone("Cyrus", () => makeUser(imapPort));
    await untilListening(made);
    await fillByPut(made, ground.large);
    return made;
  },
};

function writeSettings(
  { folder }: Ground,
  { port, imapPort }: { readonly port: number; readonly imapPort: number },
) {
  const home = folderFor("cyrus", folder, "cyrus");
  for (const name of ["db", "socket", "proc", "log", "msg", "lock", "quota", "user"]) {
    folderFor("cyrus", home, "conf");
    folderFor("cyrus", home, "conf", name);
  }
  const [imapd, cyrusConf, pid] = ["imapd.conf", "cyrus.conf", "pid"].map((name) =>
    join(home, name),
  ) as [string, string, string];
  const lines = [
    `configdirectory: ${join(home, "conf")}`,
    "defaultpartition: default",
    `partition-default: ${folderFor("cyrus", home, "spool")}`,
    "servername: localhost",
    "unixhierarchysep: no",
    "admins: admin",
    "allowplaintext: yes",
    "sasl_pwcheck_method: alwaystrue",
    "sasl_mech_list: PLAIN",
    "httpmodules: caldav",
    "caldav_allowscheduling: off",
  ];
  writeFileSync(imapd, `${lines.join("\n")}\n`);
  const service = (name: string, at: number) =>
    `  ${name === "httpd" ? "http" : "imap"} cmd="${programs}/${name} -C ${imapd}" listen="127.0.0.1:${at}" prefork=1`;
  writeFileSync(
    cyrusConf,
    [
      "START {",
      `  recover cmd="/usr/sbin/cyrus ctl_cyrusdb -C ${imapd} -r"`,
      "}",
      "SERVICES {",
      service("httpd", port),
      service("imapd", imapPort),
      "}",
      "",
    ].join("\n"),
  );
  return { imapd, cyrus: cyrusConf, pid };
}

/** The user's mailbox, below which httpd makes calendars. Only IMAP can make it. */
function makeUser(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => {
      if (/^b OK/m.test(text)) resolve();
      else reject(new Error(`IMAP said: ${text}`));
    });
    socket.write("a LOGIN admin admin\r\nb CREATE user.bench\r\nc LOGOUT\r\n");
  });
}
