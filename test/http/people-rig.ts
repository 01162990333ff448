import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { personId, projectId } from "../../src/domain/ids.ts";
import { createDesk } from "../../src/edits/desk/desk.ts";
import { createAccept } from "../../src/edits/intake/accept.ts";
import { createPublishedFeeds } from "../../src/feeds/feeds.ts";
import { createApp } from "../../src/http/app.ts";
import { createLog } from "../../src/log.ts";
import { createReception } from "../../src/people/reception.ts";
import { anEvent, aPerson, aProject, zone } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

export const token = "the-admin-token-of-this-test";
export const ana = personId(11);
export const ben = personId(12);

/** The whole HTTP face over a store with three people, two projects and an event in each. */
export async function startApp() {
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
  const lines: string[] = [];
  store.directory.putPeople(
    [
      { ...aPerson(11, "Ana <b>"), email: "ana@example.com" },
      { ...aPerson(12, "Ben"), email: "ben@example.com" },
      { ...aPerson(13, "Cleo"), suspended: true },
    ],
    true,
  );
  store.directory.putProjects(
    [
      { ...aProject(2001, "Website"), members: [ana] },
      { ...aProject(2002, "Fair"), members: [ben] },
    ],
    true,
  );
  store.mirror.put(anEvent(1, { title: "Review" }), "events:2001");
  store.mirror.put(anEvent(2, { title: "Secret", projectId: projectId(2002) }), "events:2002");
  const accept = createAccept({
    store,
    zone,
    policy: { labels: "known", mode: "apply" },
    clock,
    feeds: { assignees: true, tasks: "due", webUrl: null },
    onAccepted() {},
  });
  const listed = [
    { id: ana, calendars: "write", apiKey: "hush" },
    { id: ben, calendars: "read", apiKey: null },
  ] as const;
  const reception = createReception({ store, zone, clock, randomBytes, listed });
  const app = createApp({
    caldav: null,
    ...reception,
    version: "0.0.0",
    store,
    feeds: createPublishedFeeds({
      store,
      key: new Uint8Array(32),
      options: {
        zone,
        past: Temporal.Duration.from("P90D"),
        future: Temporal.Duration.from("P2Y"),
        completed: Temporal.Duration.from("P14D"),
        private: "omit",
        tasks: "due",
        customDates: false,
        assignees: true,
        webUrl: null,
      },
      clock,
    }),
    desk: createDesk({ store, accept, onReleased() {} }),
    workspace: null,
    links: null,
    ready: () => true,
    clockLead: () => Temporal.Duration.from({ seconds: 2 }),
    gate: () => ({
      used: 0,
      share: 25,
      quota: 25,
      pausedUntil: null,
      inFlight: 0,
      waiting: { edit: 0, interactive: 0, sweep: 0 },
      sent: 0,
      rateLimited: 0,
    }),
    channels: () => ({ inbox: null, subscriptions: [] }),
    adminToken: token,
    baseUrl: () => "https://calendar.example.com/base",
    trustProxy: false,
    zone,
    clock,
    log: createLog({ level: "debug", write: (line) => void lines.push(line) }),
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const call = async (request: string, init: RequestInit = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const url = `http://127.0.0.1:${port}${path}`;
    const answer = await fetch(url, { method, redirect: "manual", ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return { ...reception, store, clock, lines, call };
}

export const bearer = { headers: { authorization: `Bearer ${token}` } };
export const basic = (login: string, password: string) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;
