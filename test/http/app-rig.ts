import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createEventLoopBudget } from "@dayferry/event-loop";
import { type EventCard, writeEvent } from "@dayferry/ical";
import type { IdentityHeader } from "../../src/config/config.ts";
import { createLogInSigner } from "../../src/domain/signed-links.ts";
import { createEditActions } from "../../src/edits/actions/edit-actions.ts";
import { createAcceptForm } from "../../src/edits/forms/accept-form.ts";
import { type AcceptDeps, createAcceptFile } from "../../src/edits/intake/accept.ts";
import { createPublishedFeeds, type PublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { createApp } from "../../src/http/http-app.ts";
import { createCalendarReader } from "../../src/ics/read/calendar-reader.ts";
import { createLog } from "../../src/log.ts";
import { createMailedLogIns } from "../../src/people/mailed-log-in.ts";
import { createAccessControl } from "../../src/people/people.ts";
import type { Store } from "../../src/store/store.ts";
import { forecastOf } from "../../src/sync/forecast.ts";
import { feedKey } from "../feeds/rig.ts";
import { feedOptions } from "../support/feed-options.ts";
import { type CallOptions, callHttp } from "../support/http-call.ts";
import { instantThrottle } from "../support/instant-throttle.ts";
import { anEvent, aProject, zone } from "../support/items.ts";
import { type HandClock, handClock, testStore } from "../support/test-store.ts";
import { listening } from "./listening.ts";

export const token = "the-admin-token-of-this-test";
export const bearer = { authorization: `Bearer ${token}` };

export interface FaceSetting {
  readonly store: Store;
  readonly clock: HandClock;
  readonly feeds: PublishedFeeds;
  readonly listed: Parameters<typeof createAccessControl>[0]["listed"];
  readonly ready: () => boolean;
  readonly baseUrl: string;
  readonly identityHeader?: IdentityHeader | null;
  /** Further options of a test. */
  readonly more?: Partial<Parameters<typeof createApp>[0]>;
}

/** The whole HTTP side over a store and its feeds, with every line that it logs. */
export async function serveFace({
  store,
  clock,
  feeds,
  listed,
  ready,
  baseUrl,
  identityHeader = null,
  more = {},
}: FaceSetting) {
  const { throttle, waits } = instantThrottle(clock);
  const accessControl = createAccessControl({ store, clock, randomBytes, listed, throttle });
  const accepting: AcceptDeps = {
    store,
    zone,
    policy: { labels: "known", mode: "apply" },
    clock,
    feeds: { assignees: true, tasks: "due", webUrl: null },
    onAccepted() {},
  };
  const lines: string[] = [];
  const asked: string[] = [];
  const signer = createLogInSigner(feedKey);
  const mailedLogIns = createMailedLogIns({
    store,
    passwords: accessControl.passwords,
    signer,
    clock,
    onAsked: () => void asked.push("asked"),
  });
  const reader = createCalendarReader({ zone: "Europe/Berlin", pause: nextTurn });
  const app = createApp({
    caldav: null,
    mailedLogIns,
    identityHeader,
    ...accessControl,
    version: "0.0.0",
    zoneData: { tz: "2026c", icu: "78.3" },
    store,
    feeds,
    editActions: createEditActions({ store, onReleased() {} }),
    acceptFile: createAcceptFile({ ...accepting, eventLoop: createEventLoopBudget(), reader }),
    acceptForm: createAcceptForm(accepting),
    webUrl: null,
    workspace: null,
    links: null,
    ready,
    fastPath: () => ({ kind: "off", reason: null }),
    fresh: ready,
    forecast: () =>
      forecastOf({ sources: 73, pace: 2.25, share: 0.9, maxAge: Temporal.Duration.from("PT15M") }),
    clockLead: () => Temporal.Duration.from({ seconds: 2 }),
    gate: () => ({
      used: 3,
      share: 25,
      quota: 25,
      pausedUntil: null,
      inFlight: 0,
      waiting: { edit: 0, interactive: 0, sweep: 0 },
      sent: 3,
      rateLimited: 0,
    }),
    channels: () => ({ inbox: null, subscriptions: [] }),
    loopDelay: () => ({ p50Ms: 1, p99Ms: 4, longestMs: 12.5, minutes: 5 }),
    adminToken: () => token,
    baseUrl: () => baseUrl,
    trustProxy: false,
    zone,
    clock,
    randomBytes,
    monotonic: () => performance.now(),
    sendsMail: false,
    log: createLog({ level: "debug", write: (line) => void lines.push(line) }),
    ...more,
  });
  const linkOf = (id: number) => `/login/${signer.sign(id)}`;
  return { ...accessControl, app, lines, waits, linkOf, port: await listening(app) };
}

/**
 * The HTTP side over a store with one project, its feed and an event. `broken`: the event cannot be written; `unread`:
 * the project was never read completely.
 */
export async function startApp({
  broken = false,
  unread = false,
  more = {},
}: {
  readonly broken?: boolean;
  readonly unread?: boolean;
  readonly more?: FaceSetting["more"];
} = {}) {
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
  store.directory.putProjects([aProject(2001, "Website, relaunch")], true);
  store.mirror.put(anEvent(1, { title: "Review <b>" }), "events:2001");
  const feeds = createPublishedFeeds({
    store,
    key: feedKey,
    options: feedOptions({ webUrl: null }),
    clock,
    hasRead: () => !unread,
    ...(broken && {
      render(card: EventCard) {
        if (card.uid.startsWith("event-1@")) throw new Error("cannot be rendered");
        return writeEvent(card);
      },
    }),
  });
  feeds.ensure();
  let ready = false;
  const { port, lines, throttle, waits } = await serveFace({
    store,
    clock,
    feeds,
    listed: [],
    ready: () => ready,
    baseUrl: "https://calendar.example.com",
    more: more ?? {},
  });
  const [feed] = feeds.list();
  if (!feed) throw new Error("the project has no feed");
  return {
    clock,
    store,
    feeds,
    lines,
    throttle,
    /** Milliseconds of delay for each wrong secret. */
    waits,
    path: feed.path,
    port,
    becomeReady: () => {
      ready = true;
    },
    call: (request: string, options: CallOptions = {}) => callHttp(port, request, options),
  };
}
