// Dayferry for a bench: all modules and the whole HTTP face over a database on file, with a person who logs in by an app
// password. It has read an empty workspace of the stand-in and does not send or poll since: edits stay pending.
// Arguments: folder, how many events of the large calendar it has seen at the service.
import { randomBytes } from "node:crypto";
import { createCaldavServer } from "@dayferry/caldav-server";
import { personId, projectId } from "../../src/domain/ids.ts";
import { createApp } from "../../src/http/http-app.ts";
import { createLog } from "../../src/log.ts";
import { forecastOf } from "../../src/sync/forecast.ts";
import { anEvent, zone } from "../../test/support/items.ts";
import { modulesOn } from "../../test/support/modules.ts";
import { testSandbox } from "../../test/support/sandbox.ts";
import { descriptionOf, length, startOf, titleOf } from "./event-text.ts";

const [folder = "", large = "0"] = process.argv.slice(2);
const clock = () => Temporal.Now.instant();
const log = createLog({ level: "error" });
const sandbox = await testSandbox({ quota: { requests: 1000, perMs: 1000 } });
const config = { service: { quota: { requests: 25, per: "PT0.1S" } } };
const modules = modulesOn(sandbox, { folder, config, log });
await modules.sync.sweep({ signal: new AbortController().signal });
const [own, other] = sandbox.workspace.places().map(({ project }) => projectId(project));
const owner = sandbox.keys[0];
if (own === undefined || other === undefined || !owner)
  throw new Error("the sandbox has no places");
await sandbox.close();
fill();

const secret = modules.people.setPassword(personId(owner.personId));
if (secret.kind !== "set") throw new Error("there is no app password");
let origin = "";
const app = createApp({
  version: "bench",
  mailedLogIns: { ask() {}, look: () => null, use: () => null },
  identityHeader: null,
  zoneData: { tz: null, icu: null },
  ...modules.accessControl,
  caldav: createCaldavServer({ ...modules.caldav, publicUrl: () => origin }),
  store: modules.store,
  feeds: modules.feeds,
  editActions: modules.editActions,
  acceptFile: modules.acceptFile,
  acceptForm: null,
  webUrl: null,
  workspace: modules.workspace,
  links: modules.links,
  ready: () => modules.sync.ready,
  fresh: () => true,
  forecast: () =>
    forecastOf({ sources: 0, pace: 1, share: 1, maxAge: Temporal.Duration.from("PT15M") }),
  clockLead: () => null,
  fastPath: () => ({ kind: "off", reason: null }),
  gate: () => modules.upstream.gate.state(),
  channels: () => modules.channels.states(),
  loopDelay: () => ({ p50Ms: 1, p99Ms: 4, longestMs: 12.5, minutes: 5 }),
  adminToken: modules.adminToken,
  baseUrl: () => origin,
  trustProxy: false,
  zone,
  clock,
  randomBytes,
  monotonic: () => performance.now(),
  sendsMail: false,
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
  const { store } = modules;
  const source = `events:${other}` as const;
  store.together(() => {
    for (let nth = 0; nth < Number(large); nth++) {
      const start = startOf(nth).toZonedDateTimeISO(zone);
      store.mirror.put(
        anEvent(1_000_000 + nth, {
          projectId: projectId(Number(other)),
          title: titleOf(nth),
          description: descriptionOf(nth),
          when: { kind: "times", start, end: start.add(length) },
          createdAt: null,
          updatedAt: null,
        }),
        source,
      );
    }
  });
}
