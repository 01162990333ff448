import { personId, projectId } from "../../src/domain/ids.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { feedKey } from "../feeds/rig.ts";
import { feedOptions } from "../support/feed-options.ts";
import { anEvent, aPerson, aProject } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { bearer as headers, serveFace, token } from "./app-rig.ts";

export { token };
export const ana = personId(11);
export const ben = personId(12);

/** The whole HTTP face over a store with three people, two projects and an event in each. */
export async function startApp() {
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
  const { port, ...face } = await serveFace({
    store,
    clock,
    feeds: createPublishedFeeds({
      store,
      key: feedKey,
      options: feedOptions({ webUrl: null }),
      clock,
    }),
    listed: [
      { id: ana, calendars: "write", apiKey: "hush" },
      { id: ben, calendars: "read", apiKey: null },
    ],
    ready: () => true,
    baseUrl: "https://calendar.example.com/base",
  });
  const call = async (request: string, init: RequestInit = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const url = `http://127.0.0.1:${port}${path}`;
    const answer = await fetch(url, { method, redirect: "manual", ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return { ...face, port, store, clock, call };
}

export const bearer = { headers };
export const basic = (login: string, password: string) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;
