// Dayferry for a bench: all rooms and the whole HTTP face over a database on file, with a person who logs in by an app
// password. It has read an empty workspace of the stand-in and does not send or poll since: edits stay pending.
// Arguments: folder, how many events of the large calendar it has seen at the service.
import { randomBytes } from "node:crypto";
import { openRooms } from "../../src/build-daemon.ts";
import { createDavRouter } from "../../src/caldav/router.ts";
import { parseConfig } from "../../src/config/load.ts";
import { personId, projectId, serviceId } from "../../src/domain/ids.ts";
import { createApp } from "../../src/http/http-app.ts";
import { createLog } from "../../src/log.ts";
import { testSandbox } from "../../test/support/sandbox.ts";
import { descriptionOf, length, startOf, titleOf } from "./event-text.ts";

const [folder = "", large = "0"] = process.argv.slice(2);
const zone = "Europe/Berlin";
const clock = () => Temporal.Now.instant();
const log = createLog({ level: "error" });
const sandbox = await testSandbox({ quota: { requests: 1000, perMs: 1000 } });
const config = parseConfig(
  {
    dataDir: folder,
    service: {
      baseUrl: sandbox.baseUrl,
      apiKey: sandbox.keys[0]?.apiKey,
      contact: "bench@example.com",
      timeZone: zone,
      quota: { requests: 25, per: "PT0.1S" },
    },
  },
  { folder, env: {}, cwd: folder },
);
if (!config.ok) throw new Error(JSON.stringify(config.failure));
const opened = openRooms(config.value, {
  clock,
  monotonic: () => performance.now(),
  random: Math.random,
  log,
});
if (!opened.ok) throw new Error(opened.failure);
const rooms = opened.value;
await rooms.sync.sweep({ signal: new AbortController().signal });
const [own, other] = sandbox.workspace.places().map(({ project }) => projectId(project));
const owner = sandbox.keys[0];
if (own === undefined || other === undefined || !owner)
  throw new Error("the sandbox has no places");
await sandbox.close();
fill();

const secret = rooms.people.setPassword(personId(owner.personId));
if (secret.kind !== "set") throw new Error("there is no app password");
let origin = "";
const app = createApp({
  version: "bench",
  zoneData: { tz: null, icu: null },
  ...rooms.reception,
  caldav: createDavRouter({ ...rooms.dav, publicUrl: () => origin, log }),
  store: rooms.store,
  feeds: rooms.feeds,
  editActions: rooms.editActions,
  workspace: rooms.workspace,
  links: rooms.links,
  ready: () => rooms.sync.ready,
  clockLead: () => null,
  gate: rooms.upstream.gate.state,
  channels: () => rooms.channels.states(),
  adminToken: rooms.adminToken,
  baseUrl: () => origin,
  trustProxy: false,
  zone,
  clock,
  randomBytes,
  log,
});
const server = app.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("the server has no port");
  origin = `http://127.0.0.1:${address.port}`;
  const home = `/dav/calendars/${owner.personId}`;
  const calendars = { calendar: `${home}/events-${own}/`, large: `${home}/events-${other}/` };
  const account = { user: secret.person.login, password: secret.password };
  console.log(JSON.stringify({ port: address.port, ...calendars, ...account }));
});

// Profiles are written at an orderly end alone.
process.once("SIGTERM", () => process.exit());

function fill(): void {
  const { store } = rooms;
  const source = `events:${other}` as const;
  store.together(() => {
    for (let nth = 0; nth < Number(large); nth++) {
      const start = startOf(nth).toZonedDateTimeISO(zone);
      store.mirror.put(
        {
          id: serviceId(1_000_000 + nth),
          kind: "event",
          projectId: projectId(Number(other)),
          title: titleOf(nth),
          description: descriptionOf(nth),
          when: { kind: "times", start, end: start.add(length) },
          reminder: null,
          milestone: false,
          private: false,
          completed: false,
          assigned: [],
          creatorId: null,
          byMe: false,
          createdAt: null,
          updatedAt: null,
        },
        source,
      );
    }
  });
}
