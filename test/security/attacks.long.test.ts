import { afterAll, beforeAll, expect, it } from "vitest";
import { type AttackedDaemon, startAttackedDaemon } from "./attacks/attacked-daemon.ts";
import { bodyAttacks } from "./attacks/body-attacks.ts";
import { calendarAttacks } from "./attacks/calendar-attacks.ts";
import { connectionAttacks } from "./attacks/connection-attacks.ts";
import { serviceAttacks } from "./attacks/service-attacks.ts";

// Some small attacks of bench/attacks.ts, all on one daemon: each gets a permitted answer, others are answered
// afterwards, and the memory stays within its bound. The bench measures the cost of each.

/** The most by which all of them together may raise the memory, in MB. */
const mostRiseMb = 400;
/** One or two of each kind, which take seconds together. */
const short: ReadonlySet<string> = new Set([
  "bodies of 50 MB packed by gzip",
  "XML: entities of entities",
  "CalDAV: a multiget of 10,000 addresses",
  "addresses, headers and words of what regular expressions fear",
  "ICS: a rule of every part there is",
  "ICS: 100,000 dates left out, one a line",
  "ICS: a time zone that changes by the second",
  "ICS: a line of 4 MB",
  "service: answers in chunks without an end",
  "service: headers without an end",
  "service: redirects to a metadata address",
]);

let attacked: AttackedDaemon;
let before = 0;

beforeAll(async () => {
  attacked = await startAttackedDaemon({ items: 200, dripMs: 100, scale: 0.05 });
  before = attacked.daemon.memory().most;
});
afterAll(() => attacked?.close());

const attacks = [
  ...connectionAttacks,
  ...[...bodyAttacks, ...calendarAttacks, ...serviceAttacks].filter(({ name }) => short.has(name)),
];

it.each(attacks)("an attacked daemon survives $name", async ({ prepare, allowed }) => {
  const { daemon, target } = attacked;
  const statuses = await prepare(target)();
  expect([...statuses.keys()].filter((status) => !allowed.includes(status))).toEqual([]);
  expect((await daemon.ask("/api/status")).status).toBe(200);
  expect(daemon.memory().most - before).toBeLessThan(mostRiseMb);
});
