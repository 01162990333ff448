// How long a calendar file keeps everybody else waiting while it is taken in, in milliseconds.
//   node bench/upload.ts [events=19900]
// The whole route, as a member's request goes: gzip of new events, of events that are refused, and of events that are stored
// already. Printed are the size of the request and of the answer, how long it took, and the longest turns of the event loop
// meanwhile. Ends with 1 where one turn of a hundred takes longer than 20 ms, as a pause of the garbage collector may.
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createEventLoopBudget } from "@dayferry/event-loop";
import express from "express";
import { personId, projectId } from "../src/domain/ids.ts";
import { createEditActions } from "../src/edits/actions/edit-actions.ts";
import { createAcceptFile } from "../src/edits/intake/accept.ts";
import { createPublishedFeeds } from "../src/feeds/published-feeds.ts";
import { operationRoutes } from "../src/http/operation-routes.ts";
import { createCalendarReader } from "../src/ics/read/calendar-reader.ts";
import { createAccessControl } from "../src/people/people.ts";
import { openStore } from "../src/store/store.ts";
import { feedOptions } from "../test/support/feed-options.ts";
import { aPerson, aProject, zone } from "../test/support/items.ts";
import { migrations } from "../test/support/test-store.ts";
import { numbersOf } from "./options.ts";

const { events } = numbersOf({ events: 19_900 });
const longestMs = 20;
const directory = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
const clock = () => Temporal.Now.instant();
const file = join(directory, "dayferry.sqlite");
const store = openStore({ file, migrations, zone, clock, randomId: randomUUID });
const ana = personId(11);
store.directory.putPeople([aPerson(11, "Ana")], true);
store.directory.putProjects([{ ...aProject(2001, "Website"), members: [ana] }], true);

const eventLoop = createEventLoopBudget();
const acceptFile = createAcceptFile({
  ...{ store, zone, clock, eventLoop },
  policy: { labels: "known", mode: "apply" },
  feeds: { assignees: true, tasks: "due", webUrl: null },
  reader: createCalendarReader({ zone, pause: () => eventLoop.share() }),
  onAccepted() {},
});
const viewer = { kind: "person", person: ana, name: "Ana", zone } as const;
const app = express();
app.use(
  operationRoutes({
    clock,
    ...createAccessControl({ store, clock, randomBytes, listed: [] }),
    viewers: { viewerOf: () => viewer },
    editActions: createEditActions({ store, onReleased() {} }),
    feeds: createPublishedFeeds({ store, key: randomBytes(32), options: feedOptions(), clock }),
    workspace: null,
    acceptForm: null,
    baseUrl: () => "http://127.0.0.1",
    version: "0.0.0",
    ...{ store, acceptFile, eventLoop },
  }),
);
const server = app.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const address = server.address();
if (!address || typeof address === "string") throw new Error("the server has no port");
const url = `http://127.0.0.1:${address.port}/api/edits?project=${projectId(2001)}`;

const good = fileOf((nth) => [
  `SUMMARY:Event ${nth}`,
  `DTSTART;VALUE=DATE:2027${String(1 + (nth % 12)).padStart(2, "0")}${String(1 + (nth % 28)).padStart(2, "0")}`,
]);
const refused = fileOf((nth) => [`SUMMARY:Event ${nth}`, "DTSTART;VALUE=DATE:20271340"]);
// A first request loads what is loaded once.
await post(gzipSync(fileOf(() => ["SUMMARY:First", "DTSTART;VALUE=DATE:20270101"], 300)), true);
const rows = [
  await measure("new, dry run", good, true),
  await measure("refused, dry run", refused, true),
  await measure("refused", refused, false),
  await measure("new", good, false),
  await measure("unchanged", good, false),
];
console.table(rows);
process.exitCode = rows.some((row) => row["p99, ms"] > longestMs) ? 1 : 0;
server.closeAllConnections();
server.close();
store.close();
rmSync(directory, { recursive: true });

async function measure(name: string, text: string, dryRun: boolean) {
  const body = gzipSync(text);
  const watch = watchTurns();
  const begun = performance.now();
  const { status, octets } = await post(body, dryRun);
  const took = performance.now() - begun;
  return {
    file: name,
    status,
    "sent, kB": Math.round(body.length / 1000),
    "answer, kB": Math.round(octets / 1000),
    seconds: Number((took / 1000).toFixed(2)),
    ...watch.end(),
  };
}

/** The times between two rounds of the event loop that are worth a word. */
function watchTurns() {
  const turnsMs: number[] = [];
  let last = performance.now();
  let isOn = true;
  const look = () => {
    const now = performance.now();
    if (now - last > 1) turnsMs.push(now - last);
    last = now;
    if (isOn) setImmediate(look);
  };
  setImmediate(look);
  return {
    end() {
      isOn = false;
      const sorted = turnsMs.toSorted((a, b) => a - b);
      const quantile = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
      return {
        "turn p50, ms": Number(quantile(0.5).toFixed(1)),
        "p99, ms": Number(quantile(0.99).toFixed(1)),
        "longest, ms": Number(quantile(1).toFixed(1)),
      };
    },
  };
}

async function post(body: Uint8Array<ArrayBuffer>, dryRun: boolean) {
  const answer = await fetch(`${url}&dryRun=${dryRun}`, {
    method: "POST",
    headers: { "content-type": "text/calendar", "content-encoding": "gzip" },
    body,
  });
  return { status: answer.status, octets: (await answer.arrayBuffer()).byteLength };
}

function fileOf(lines: (nth: number) => readonly string[], count = events): string {
  const items = Array.from({ length: count }, (_, nth) =>
    ["BEGIN:VEVENT", `UID:${count}-${nth}@example.com`, ...lines(nth), "END:VEVENT"].join("\r\n"),
  );
  const head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//bench//EN"];
  return [...head, ...items, "END:VCALENDAR", ""].join("\r\n");
}
