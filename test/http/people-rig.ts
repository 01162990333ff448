import { randomBytes } from "node:crypto";
import { type PersonId, personId, projectId } from "../../src/domain/ids.ts";
import { everyMailKind } from "../../src/domain/mail-kind.ts";
import { fail } from "../../src/domain/result.ts";
import { createSeal } from "../../src/domain/sealed-text.ts";
import { createChoiceSigner } from "../../src/domain/signed-links.ts";
import { createServiceActions } from "../../src/edits/workspace/service-actions.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { createEventWebhooks } from "../../src/people/event-webhooks.ts";
import { createWebhookSettings } from "../../src/people/webhook-settings.ts";
import { testMessage } from "../../src/reminders/webhook-mailer.ts";
import { reportServer } from "../../src/reports/report-processes.ts";
import { knownValuesIn } from "../../src/store/mirror/mirror.ts";
import type { Store } from "../../src/store/store.ts";
import { createUpstream } from "../../src/upstream/client.ts";
import { feedKey } from "../feeds/rig.ts";
import { feedOptions } from "../support/feed-options.ts";
import { anEvent, aPerson, aProject, zone } from "../support/items.ts";
import { reportsHere } from "../support/reports-here.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { type FaceSetting, bearer as headers, serveFace, token } from "./app-rig.ts";

const oneDay = [Temporal.Duration.from({ days: 1 })];

/** The configured reminder times of the test server. */
const times = {
  milestones: oneDay,
  tasks: oneDay,
  at: Temporal.PlainTime.from("09:00"),
  digestAt: null,
};

export { token };
export const ana = personId(11);
export const ben = personId(12);

/** The whole HTTP side over a store with three people, two projects and an event in each. */
export async function startApp({
  identityHeader = null,
  whole = false,
  more = {},
  hook,
}: {
  readonly identityHeader?: FaceSetting["identityHeader"];
  /** With every optional part; the service cannot be reached. */
  readonly whole?: boolean;
  readonly more?: FaceSetting["more"];
  /** The address of Ben's webhook in the configuration. */
  readonly hook?: string;
} = {}) {
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
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
  const options = feedOptions({ webUrl: null });
  const feeds = createPublishedFeeds({ store, key: feedKey, options, clock });
  const { port, ...face } = await serveFace({
    store,
    clock,
    feeds,
    listed: [
      { id: ana, calendars: "write", apiKey: "hush" },
      { id: ben, calendars: "read", apiKey: null },
    ],
    ready: () => true,
    baseUrl: "https://calendar.example.com/base",
    identityHeader,
    more: {
      ...(whole ? await everything(store, clock) : {}),
      ...(hook !== undefined && { webhooks: webhooksOver(store, clock, hook) }),
      ...more,
    },
  });
  const call = async (request: string, init: RequestInit = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const url = `http://127.0.0.1:${port}${path}`;
    const answer = await fetch(url, { method, redirect: "manual", ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return { ...face, port, store, clock, feeds, call };
}

/** Optional parts of the HTTP side; the service cannot be reached. */
export async function everything(store: Store, clock: () => Temporal.Instant) {
  const upstream = createUpstream({
    baseUrl: "http://127.0.0.1:9/",
    uploadUrl: "http://127.0.0.1:9/upload",
    apiKey: "hush",
    keyOf: () => null,
    contact: "test@example.com",
    timeZone: zone,
    quota: { requests: 25, per: Temporal.Duration.from({ seconds: 10 }) },
    readShare: 1,
    timeout: Temporal.Duration.from({ seconds: 1 }),
    clock,
    monotonic: () => 0,
    random: () => 0,
    history: store.gateSlots,
    known: knownValuesIn(store),
    onEvent() {},
  });
  await upstream.close();
  return {
    workspace: createServiceActions({ store, upstream, hurry() {} }),
    mailLinks: { signer: createChoiceSigner(feedKey), wishes: () => everyMailKind, times },
    reports: reportServer(reportsHere, { file: "nowhere.sqlite", zone, clock }),
    probeZone: () =>
      Promise.resolve({ ending: { kind: "right", zone }, removed: 0, left: null } as const),
    scrape: () => Promise.resolve({ contentType: "text/plain", text: "a 1\n" }),
    webhooks: webhooksOver(store, clock),
    eventWebhooks: createEventWebhooks({
      ...{ store, clock, randomBytes, listed: () => [] },
      seal: () => createSeal(feedKey, "webhooks for events"),
    }),
    backups: {
      make: () => Promise.resolve(fail({ kind: "failed", problem: "nowhere to put it" } as const)),
      list: () => [],
    },
  };
}

/** People's webhooks for reminders; the configuration has one of Ben's. */
function webhooksOver(store: Store, clock: () => Temporal.Instant, url?: string) {
  const listed =
    url === undefined ? null : ({ url, format: "json", token: null, secret: null } as const);
  return {
    webhooks: createWebhookSettings({
      store,
      seal: () => createSeal(feedKey, "webhooks of people"),
      listed: (person) => (person === ben && listed ? { ...listed, withMail: true } : null),
      hasListed: listed !== null,
      signal: new AbortController().signal,
      clock,
    }),
    testFor: (person: { readonly id: PersonId; readonly name: string }) =>
      testMessage({ person, id: "test-1" }),
  };
}

export const bearer = { headers };
export const basic = (login: string, password: string) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;
