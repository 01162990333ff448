import { expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import type { Source } from "../../src/domain/source.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { feedKey } from "../feeds/rig.ts";
import { feedOptions } from "../support/feed-options.ts";
import { callHttp } from "../support/http-call.ts";
import { aProject } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { serveFace, token } from "./app-rig.ts";

/** The administrator's browser, with given settings and findings. */
async function signedIn(smtpUrl = "none") {
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
  store.directory.putProjects([aProject(2001, "Website")], true);
  const { port } = await serveFace({
    store,
    clock,
    feeds: createPublishedFeeds({
      store,
      key: feedKey,
      options: feedOptions({ webUrl: null }),
      clock,
    }),
    listed: [],
    ready: () => true,
    baseUrl: "https://calendar.example.com",
    more: {
      operator: {
        settings: () =>
          Promise.resolve([
            { path: "http.port", value: "9100", by: "DAYFERRY_PORT", about: "where it listens" },
            { path: "polling.maxAge", value: "PT15M", by: "default", about: "how old" },
            { path: "mail.smtpUrl", value: smtpUrl, by: "file", about: "which mail server" },
          ]),
        test: () =>
          Promise.resolve([
            { verdict: "fine", subject: "messages", what: "a test went out", remedy: null },
          ]),
        examine: ({ version }) =>
          Promise.resolve([
            { verdict: "fine", subject: "clock", what: `of ${version}`, remedy: null },
            {
              verdict: "broken",
              subject: "mail",
              what: "<no> answer",
              remedy: "check mail.smtpUrl",
            },
          ]),
      },
    },
  });
  const { headers } = await callHttp(port, `GET /?token=${token}`);
  const cookie = String(headers["set-cookie"]).split(";", 1).join("");
  const get = (path: string) => callHttp(port, `GET ${path}`, { headers: { cookie } });
  const press = async (path: string) => {
    const [, form = ""] = /name="form" value="([^"]+)"/.exec((await get("/status")).text) ?? [];
    return callHttp(port, `POST ${path}`, {
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body: `form=${form}`,
    });
  };
  return { store, clock, get, press };
}

it("/status shows the daemon's state and settings, and their source", async () => {
  const { get, store, clock } = await signedIn();
  const events: Source = { kind: "events", projectId: projectId(2001) };
  store.sources.put([events]);
  store.sources.attempted(events, clock());
  store.sources.succeeded(events, { items: 1, gaps: null });
  clock.advance({ minutes: 4 });
  store.sources.failed(events, "it answered 503");
  const { status, text } = await get("/status");
  expect(status).toBe(200);
  expect(text).toContain("events:2001: it answered 503 (once, last 4 min ago)");
  expect(text).toContain('<td class="number">4 min ago</td>');
  expect(text).toContain("3 of the 25 requests");
  expect(text).toContain("12.5 ms at most");
  expect(text).toMatch(/<code>http\.port<\/code>.*9100.*<code>DAYFERRY_PORT<\/code>/);
  expect(text).not.toContain("Findings");
});

it.each([
  ["none", "to files only"],
  ["smtps://mail.example.com", "by <bdi>smtps://mail.example.com</bdi>"],
])("/status shows where mails go when mail.smtpUrl is %s", async (smtpUrl, said) => {
  const { get } = await signedIn(smtpUrl);
  expect((await get("/status")).text).toContain(said);
});

it("POST /status/check lists findings, failures first", async () => {
  const { press, get } = await signedIn();
  const { status, text } = await press("/status/check");
  expect(status).toBe(200);
  expect(text).toContain("1 to check");
  expect(text).toContain("&lt;no&gt; answer");
  expect(text.indexOf("What to do: check mail.smtpUrl.")).toBeLessThan(text.indexOf(">clock<"));
  expect((await get("/status/check")).headers.location).toBe("../status");
});

it("/status/test sends a test message to the operator and shows the result", async () => {
  const { press, get } = await signedIn();
  expect((await press("/status/test")).text).toContain("a test went out");
  expect((await get("/status/test")).status).toBe(303);
});
