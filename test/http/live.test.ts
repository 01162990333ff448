import express, { type Request } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { listId, type PersonId, personId, projectId } from "../../src/domain/ids.ts";
import type { Source } from "../../src/domain/source.ts";
import type { Viewer } from "../../src/domain/visibility.ts";
import { createLive } from "../../src/http/live.ts";
import type { Store } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { anEvent, aPerson, aProject, aTask, aTodolist } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { listening } from "./listening.ts";

interface Waiting {
  readonly dueMs: number;
  readonly step: () => void;
}

/** Streams over real HTTP, with timers that the test advances. */
async function startLive() {
  const store = testStore(handClock("2026-11-21T09:00:00Z"));
  store.directory.putProjects([aProject(2001, "Website")], true);
  let nowMs = 0;
  let waiting: readonly Waiting[] = [];
  let viewer: Viewer | null = { kind: "admin", zone: "Europe/Berlin" };
  const seen = new Map<Request, Viewer | null>();
  const live = createLive({
    watch: store.topics,
    directory: store.directory,
    find: (request) => {
      if (!seen.has(request)) seen.set(request, viewer);
      return seen.get(request) ?? null;
    },
    timers: {
      now: () => nowMs,
      after: (ms, step) => {
        waiting = [...waiting, { dueMs: nowMs + ms, step }];
      },
    },
    run: "run1",
  });
  const app = express();
  app.get("/live", live.handler);
  const port = await listening(app);

  const head = () => fetch(`http://127.0.0.1:${port}/live`, { method: "HEAD" });

  /** Opens a stream, and collects its events. */
  async function open({ since = "", lastEventId }: { since?: string; lastEventId?: string } = {}) {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const answer = await fetch(`http://127.0.0.1:${port}/live${since && `?since=${since}`}`, {
      headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
      signal: stop.signal,
    });
    let heard = "";
    let isOver = false;
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? []) heard += decoder.decode(chunk);
      isOver = true;
    })().catch(() => undefined);
    return { answer, heard: () => heard, isOver: () => isOver, reading, leave: () => stop.abort() };
  }

  return {
    store,
    live,
    open,
    head,
    timers: () => waiting.length,
    /** Lets so much time pass, with everything due in it. */
    pass: (ms: number) => {
      const until = nowMs + ms;
      for (;;) {
        const [next] = waiting.toSorted((a, b) => a.dueMs - b.dueMs);
        if (!next || next.dueMs > until) break;
        waiting = waiting.filter((one) => one !== next);
        nowMs = next.dueMs;
        next.step();
      }
      nowMs = until;
    },
    lookAs: (as: Viewer | null) => {
      viewer = as;
    },
    /** Ends the log-ins of a person. */
    endLogInsOf: (person: number) => {
      for (const [request, who] of seen) {
        if (who?.kind === "person" && who.person === person) seen.set(request, null);
      }
    },
    change: (title: string) => void store.mirror.put(anEvent(1, { title }), "events:2001"),
  };
}

const [ana, ben] = [personId(11), personId(12)];

const putTask = (store: Store, list: number) =>
  store.mirror.put(aTask(5, { listId: listId(list), creatorId: ben }), `tasks:${list}`);

const putPassword = (store: Store, person: PersonId) =>
  store.appPasswords.set(person, { salt: "s", digest: "d" });

const events: Source = { kind: "events", projectId: projectId(2001) };

const changed = (heard: string) =>
  [...heard.matchAll(/event: changed\ndata: (.*)\n/g)].map(
    ([, data = ""]) => JSON.parse(data).topics,
  );

describe("/live", () => {
  it("answers HEAD with its headers and ends", async () => {
    const { head, live } = await startLive();
    const answer = await head();
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect([await answer.text(), live.streams()]).toEqual(["", 0]);
  });

  it("combines changes: soon after the first, then at most once a second", async () => {
    const { open, change, pass } = await startLive();
    const page = await open();
    expect(page.answer.headers.get("content-type")).toBe("text/event-stream");
    await eventually("greets", () => page.heard().includes("event: hello") || null);
    expect(page.heard()).toContain("retry: 3000\nid: run1.0\n");

    change("A");
    change("B");
    pass(149);
    expect(changed(page.heard())).toEqual([]);
    pass(1);
    await eventually("the first", () => changed(page.heard()).length === 1 || null);
    change("C");
    pass(999);
    change("D");
    pass(1);
    await eventually("the second", () => changed(page.heard()).length === 2 || null);
    expect(changed(page.heard())).toEqual([["mirror"], ["mirror"]]);
    expect(page.heard()).toContain("id: run1.2\n");
  });

  it("sends a returning page what it missed, or everything after a restart", async () => {
    const { open, change, pass, store } = await startLive();
    const first = await open();
    await eventually("greets", () => first.heard().includes("hello") || null);
    change("A");
    pass(150);
    first.leave();
    store.mailChoices.turnOff(personId(11), "all");
    pass(2000);

    const cases: readonly [{ since?: string; lastEventId?: string }, unknown][] = [
      [{ since: "run1.1" }, [["mail"]]],
      [{ lastEventId: "run1.1", since: "run1.0" }, [["mail"]]],
      [{ since: "run1.2" }, []],
      [{ since: "run1.0" }, [["mirror", "mail"]]],
      [{ since: "run0.7" }, [["edits", "feeds", "mirror", "mail"]]],
      [{ since: "nonsense" }, [["edits", "feeds", "mirror", "mail"]]],
    ];
    for (const [from, expected] of cases) {
      const page = await open(from);
      // Its first events arrive before the next beat.
      pass(25_000);
      await eventually("beats", () => page.heard().endsWith(":\n\n") || null);
      expect(changed(page.heard()), JSON.stringify(from)).toEqual(expected);
    }
  });

  it("uses one timer for all clients, and sends a comment line now and then", async () => {
    const { open, pass, timers, live, store, lookAs } = await startLive();
    expect(timers()).toBe(0);
    const pages: Awaited<ReturnType<typeof open>>[] = [];
    for (let person = 1; person <= 12; person++) {
      lookAs({ kind: "person", person: personId(person), name: "A", zone: "UTC" });
      for (let page = 0; page < 25; page++) pages.push(await open());
    }
    expect(live.streams()).toBe(300);
    expect(timers()).toBe(1);
    // Polls that find nothing new also write.
    store.sources.put([events]);
    for (let poll = 0; poll < 50; poll++) {
      store.sources.attempted(events, Temporal.Instant.from("2026-11-21T09:00:00Z"));
      store.sources.succeeded(events, { items: 1, gaps: null });
    }
    pass(24_000);
    expect(timers()).toBe(1);
    expect(pages.every(({ heard }) => !heard().includes(":\n\n"))).toBe(true);
    pass(1000);
    await eventually("beats", () => pages.every(({ heard }) => heard().endsWith(":\n\n")) || null);
    expect(timers()).toBe(1);
    for (const page of pages) page.leave();
    await eventually("left", () => live.streams() === 0 || null);
    pass(25_000);
    expect(timers()).toBe(0);
  });

  const hidden = { creatorId: ben, private: true, title: "Secret" } as const;
  it.each<readonly [string, (store: Store) => unknown, readonly string[]]>([
    ["an event", (store) => store.mirror.put(anEvent(1), "events:2001"), ["Ana", "Ben"]],
    ["a private event", (store) => store.mirror.put(anEvent(1, hidden), "events:2001"), ["Ben"]],
    [
      "an event of a closed project",
      (store) => store.mirror.put(anEvent(1, { projectId: projectId(2002) }), "events:2002"),
      ["Ben"],
    ],
    ["a task of a private list", (store) => putTask(store, 3002), ["Ben"]],
    ["a task of an archived list", (store) => putTask(store, 3003), []],
    ["a choice of mails", (store) => store.mailChoices.turnOff(ben, "all"), ["Ben"]],
    ["an app password", (store) => putPassword(store, ben), ["Ben"]],
    ["a failure of a source", (store) => store.sources.failed(events, "down"), ["Ana", "Ben"]],
  ])("reports %s to those who can see it, without a trace for others", async (_of, write, told) => {
    const { open, pass, store, lookAs } = await startLive();
    const people = [ana, ben].map((id) => aPerson(id, id === ana ? "Ana" : "Ben"));
    store.directory.putPeople(people, true);
    const closed = { ...aProject(2002, "Closed"), members: [ben] };
    store.directory.putProjects([aProject(2001, "Website"), closed], true);
    const lists = [aTodolist(3002, { private: true }), aTodolist(3003, { archived: true })];
    store.directory.putTodolists(projectId(2001), lists, true);
    store.sources.put([events]);
    const pages: [string, Awaited<ReturnType<typeof open>>][] = [["admin", await open()]];
    for (const { id: person, name } of people) {
      lookAs({ kind: "person", person, name, zone: "UTC" });
      pages.push([name, await open()]);
    }
    write(store);
    pass(150);
    pass(25_000);
    await eventually(
      "beats",
      () => pages.every(([, { heard }]) => heard().endsWith(":\n\n")) || null,
    );
    const moved = pages.filter(([, { heard }]) => heard().includes("run1.1"));
    expect(moved.map(([name]) => name)).toEqual(["admin", ...told]);
    // A page opened later does not say either how much has happened.
    for (const { id: person, name } of people) {
      lookAs({ kind: "person", person, name, zone: "UTC" });
      const later = await open();
      await eventually("greets", () => later.heard().includes("hello") || null);
      expect(later.heard().includes("id: run1.1\n"), name).toBe(told.includes(name));
    }
  });

  it("refuses strangers, and the thirty-first page of one viewer", async () => {
    const { open, lookAs } = await startLive();
    for (let page = 0; page < 30; page++) expect((await open()).answer.status).toBe(200);
    const { answer } = await open();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"]);
    lookAs({ kind: "person", person: personId(11), name: "Ana", zone: "UTC" });
    expect((await open()).answer.status).toBe(200);
    lookAs(null);
    expect((await open()).answer.status).toBe(401);
  });

  it("ends with the session, at a change or at the next beat", async () => {
    const { open, pass, change, lookAs, endLogInsOf } = await startLive();
    const admin = await open();
    const pageOf = (person: number) => {
      lookAs({ kind: "person", person: personId(person), name: "A", zone: "UTC" });
      return open();
    };
    const first = await pageOf(11);
    const second = await pageOf(12);
    endLogInsOf(11);
    change("A");
    pass(150);
    await first.reading;
    expect([first.isOver(), changed(first.heard())]).toEqual([true, []]);
    await eventually("tells", () => changed(second.heard()).length === 1 || null);
    endLogInsOf(12);
    pass(25_000);
    await second.reading;
    expect([second.isOver(), second.heard().endsWith(":\n\n")]).toEqual([true, false]);
    await eventually("beats", () => admin.heard().endsWith(":\n\n") || null);
    expect(admin.isOver()).toBe(false);
  });

  it.each(["a member's page", "a page that was left"])(
    "survives changes that are due after the database was closed: %s",
    async (page) => {
      const { open, store, live, change, pass, lookAs } = await startLive();
      lookAs({ kind: "person", person: ana, name: "Ana", zone: "Europe/Berlin" });
      const stream = await open();
      if (page === "a page that was left") stream.leave();
      change("Planning");
      live.close();
      store.close();
      expect(() => pass(60_000)).not.toThrow();
    },
  );

  it("makes a browser reconnect after half an hour, and ends with the daemon", async () => {
    const { open, pass, live } = await startLive();
    const old = await open();
    pass(29 * 60_000);
    const young = await open();
    pass(2 * 60_000);
    await old.reading;
    expect(old.isOver()).toBe(true);
    expect(young.isOver()).toBe(false);
    live.close();
    await young.reading;
    expect((await open()).answer.status).toBe(503);
  });
});
