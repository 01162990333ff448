import { createHash } from "node:crypto";
import { createServer } from "node:http";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLinkSigner, type LinkAction } from "../../src/domain/action-link.ts";
import { projectId } from "../../src/domain/ids.ts";
import { createDesk } from "../../src/edits/desk/desk.ts";
import { createActionLinks } from "../../src/edits/links/links.ts";
import { actRoutes } from "../../src/http/act-routes.ts";
import { aProject, aTask, aTodolist, zone } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const signer = createLinkSigner(createHash("sha256").update("only for tests").digest());
const title = `<script>alert("1")</script> & 'more'`;
const task = aTask(8, { title, dueOn: Temporal.PlainDate.from("2026-11-12") });

async function startActs(
  setting: { readonly mode?: "apply" | "review"; readonly off?: boolean } = {},
) {
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = testStore(clock);
  store.directory.putProjects([aProject(2001, "Website")], true);
  store.directory.putTodolists(null, [aTodolist(3001)], true);
  const feed = store.feeds.create(projectId(2001), "Website");
  store.mirror.put(task, "tests");
  const item = store.mirror.find("task", task.id);
  if (item === null) throw new Error("the mirror has lost the task");
  const links = createActionLinks({
    store,
    signer,
    zone,
    clock,
    mode: setting.mode ?? "apply",
    private: "omit",
    onAccepted() {},
  });
  const app = express();
  const desk = createDesk({
    store,
    accept: () => ({ kind: "refused", errors: [] }),
    onReleased() {},
  });
  app.use("/some/path", actRoutes({ links: setting.off === true ? null : links, desk }));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const base = `http://127.0.0.1:${port}/some/path/act/`;
  const link = (action: LinkAction) =>
    signer.sign({
      action,
      item,
      feed: feed.id,
      feedVersion: feed.version,
      until: Temporal.PlainDate.from("2027-03-31"),
    });
  const ask = async (text: string, init: RequestInit = {}) => {
    const answer = await fetch(new URL(text, base), { redirect: "manual", ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return {
    clock,
    store,
    feed,
    item,
    link,
    ask,
    press: (text: string, shown: string) =>
      ask(text, { method: "POST", body: new URLSearchParams({ shown }) }),
    dueOn: () => {
      const shown = store.view.get(item)?.item;
      return shown?.kind === "task" ? shown.dueOn?.toString() : undefined;
    },
    edits: () => store.journal.list({ limit: 100 }),
  };
}

const shownIn = (page: string): string => /name="shown" value="([^"]*)"/.exec(page)?.[1] ?? "none";

describe("GET /act/<signed>", () => {
  it("says what would happen and asks, with every text escaped", async () => {
    const { ask, link } = await startActs();
    const { status, text } = await ask(link("day"));
    expect(status).toBe(200);
    expect(text).toContain(
      "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;",
    );
    expect(text).not.toContain("<script");
    expect(text).toContain("Thursday, 12 November 2026");
    expect(text).toContain("Friday, 13 November 2026");
    expect(text).toContain('<form method="post">');
    expect(text).toContain('name="viewport"');
    expect(shownIn(text)).toBe("2026-11-12");
  });

  it("is kept out of caches, search engines, frames and referrers, and runs nothing", async () => {
    const { ask, link } = await startActs();
    for (const text of [link("done"), "A".repeat(46), `${link("done")}/1`]) {
      const { headers } = await ask(text);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-robots-tag")).toBe("noindex, nofollow");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("set-cookie")).toBeNull();
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none';style-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
      );
    }
  });

  it("changes nothing, however often and by whatever method programs look at it", async () => {
    const { ask, link, store, edits, item } = await startActs();
    const before = [store.changes.latest(), store.view.get(item)?.sequence];
    for (const action of ["done", "day", "week", "reopen"] as const) {
      for (const method of ["GET", "HEAD", "OPTIONS", "GET", "PUT", "DELETE", "PATCH"]) {
        await ask(link(action), { method });
        await ask(`${link(action)}?confirm=true&shown=2026-11-12`, { method });
      }
    }
    expect(edits()).toEqual([]);
    expect([store.changes.latest(), store.view.get(item)?.sequence]).toEqual(before);
  });

  it.each<[string, number, string]>([
    ["is not signed", 404, "Perhaps it was cut on its way"],
    ["has expired", 410, "The link has expired"],
    ["belongs to an old address of the feed", 410, "another address now"],
    ["names a deleted item", 410, "no longer there"],
  ])("answers a page for people when the link %s", async (what, expected, words) => {
    const { ask, press, link, clock, store, feed, item } = await startActs();
    const text = what === "is not signed" ? link("done").slice(1) : link("done");
    if (what === "has expired") clock.set("2027-04-01T00:00:00Z");
    if (what.startsWith("belongs")) store.feeds.rotate(feed.id);
    if (what.startsWith("names")) {
      store.mirror.bury(item);
      store.changes.publish(item);
    }
    for (const { status, text: page } of [await ask(text), await press(text, "2026-11-12")]) {
      expect(status).toBe(expected);
      expect(page).toContain(words);
      expect(page).not.toContain("<form");
    }
    expect(store.journal.list({ limit: 1 })).toEqual([]);
  });

  it("says so when there is nothing to do", async () => {
    const { ask, link } = await startActs();
    const { status, text } = await ask(link("reopen"));
    expect(status).toBe(200);
    expect(text).toContain("It is open.");
    expect(text).not.toContain("<form");
  });

  it("answers 404 where action links are switched off", async () => {
    const { ask, press, link, edits } = await startActs({ off: true });
    expect((await ask(link("done"))).status).toBe(404);
    expect((await press(link("done"), "2026-11-12")).status).toBe(404);
    expect((await ask(`${link("done")}/1`)).status).toBe(404);
    expect(edits()).toEqual([]);
  });
});

describe("POST /act/<signed>", () => {
  it("acts, and leads to a page that tells what became of it and how to undo it", async () => {
    const { ask, press, link, dueOn, edits } = await startActs();
    const page = await ask(link("week"));
    const pressed = await press(link("week"), shownIn(page.text));
    expect(pressed.status).toBe(303);
    expect(dueOn()).toBe("2026-11-19");
    const location = pressed.headers.get("location") ?? "";
    expect(location).toBe(`${link("week")}/1`);
    const result = await ask(location);
    expect(result.status).toBe(200);
    expect(result.text).toContain(
      "Moved from Thursday, 12 November 2026 to Thursday, 19 November 2026.",
    );
    expect(result.text).toContain("on its way to the workspace");
    expect(result.text).toContain('<form method="post" action="1/undo">');
    expect(result.text).not.toContain("<script");
    expect(edits()).toMatchObject([{ channel: "link", state: "pending" }]);
  });

  it("moves the date once when the button is pressed twice", async () => {
    const { press, link, dueOn, edits } = await startActs();
    const answers = await Promise.all([1, 2, 3].map(() => press(link("day"), "2026-11-12")));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(new Set(answers.map(({ headers }) => headers.get("location"))).size).toBe(1);
    expect(dueOn()).toBe("2026-11-13");
    expect(edits()).toHaveLength(1);
  });

  it("asks anew when the date is not the one that the page has shown", async () => {
    const { press, link, dueOn, edits, store } = await startActs();
    store.mirror.put({ ...task, dueOn: Temporal.PlainDate.from("2026-11-20") }, "tests");
    const { status, text } = await press(link("day"), "2026-11-12");
    expect(status).toBe(409);
    expect(text).toContain("The date was changed meanwhile, so nothing was done.");
    expect(text).toContain("Saturday, 21 November 2026");
    expect(shownIn(text)).toBe("2026-11-20");
    expect(edits()).toEqual([]);
    expect((await press(link("day"), shownIn(text))).status).toBe(303);
    expect(dueOn()).toBe("2026-11-21");
  });

  it("asks when a form comes without a date, or is none", async () => {
    const { ask, link, edits } = await startActs();
    const bodies = ["", "shown=", "shown=a&shown=b", "shown[x]=2026-11-12", "{}"];
    for (const body of bodies) {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      expect((await ask(link("day"), { method: "POST", headers, body })).status).toBe(409);
    }
    const json = { "content-type": "application/json" };
    const sent = await ask(link("day"), {
      method: "POST",
      headers: json,
      body: '{"shown":"2026-11-12"}',
    });
    expect(sent.status).toBe(409);
    expect(edits()).toEqual([]);
  });

  it("waits for approval in review mode, once", async () => {
    const { ask, press, link, edits } = await startActs({ mode: "review" });
    const first = await press(link("done"), "2026-11-12");
    const second = await press(link("done"), "2026-11-12");
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(edits()).toMatchObject([{ state: "held" }]);
    const { text } = await ask(first.headers.get("location") ?? "");
    expect(text).toContain("Waiting for approval");
  });
});

describe("GET /act/<signed>/<edit>", () => {
  it("tells of no edit but those of links of the same item", async () => {
    const { ask, link, store } = await startActs();
    store.mirror.put(aTask(9, { title: "Secret" }), "tests");
    const other = store.mirror.find("task", aTask(9).id);
    if (other === null) throw new Error("the mirror has lost the task");
    store.journal.append({
      channel: "link",
      actor: null,
      item: other,
      action: "complete",
      base: aTask(9),
      patch: { completed: true },
      newLabels: [],
      state: "pending",
    });
    for (const edit of ["1", "2", "0", "x", "1e0", "-1", "1.5"]) {
      const { status, text } = await ask(`${link("done")}/${edit}`);
      expect(status).toBe(404);
      expect(text).not.toContain("Secret");
    }
  });
});

describe("POST /act/<signed>/<edit>/undo", () => {
  const undo = { method: "POST" } as const;

  it("discards what has not reached the workspace", async () => {
    const { ask, press, link, dueOn, edits } = await startActs();
    await press(link("day"), "2026-11-12");
    const undone = await ask(`${link("day")}/1/undo`, undo);
    expect(undone.status).toBe(303);
    expect(undone.headers.get("location")).toBe("../1");
    expect(dueOn()).toBe("2026-11-12");
    expect(edits()).toMatchObject([{ state: "discarded" }]);
    const { text } = await ask(`${link("day")}/1`);
    expect(text).toContain("It was taken back.");
    expect(text).not.toContain("<form");
  });

  it("makes the inverse of what the workspace has, once", async () => {
    const { ask, press, link, dueOn, edits, store, item } = await startActs();
    await press(link("day"), "2026-11-12");
    const edit = store.journal.claimNext();
    const moved = { ...task, dueOn: Temporal.PlainDate.from("2026-11-13") };
    if (edit) {
      store.journal.leaving(edit.id, task);
      store.journal.confirm(edit, moved);
    }
    expect((await ask(`${link("day")}/1`)).text).toContain("The workspace has it.");
    const undone = await ask(`${link("day")}/1/undo`, undo);
    expect(undone.headers.get("location")).toBe("../2");
    expect(dueOn()).toBe("2026-11-12");
    expect(edits()[0]).toMatchObject({ id: 2, channel: "link", item, undoes: 1, state: "pending" });
    expect((await ask(`${link("day")}/2`)).text).toContain(
      "Moved from Friday, 13 November 2026 to Thursday, 12 November 2026.",
    );
    const again = await ask(`${link("day")}/1/undo`, undo);
    expect(again.status).toBe(409);
    expect(again.text).toContain("edit 2, which undoes edit 1, is pending already");
    expect(edits()).toHaveLength(2);
  });

  it("takes nothing back by GET, and no edit of another way in", async () => {
    const { ask, link, store, item, edits } = await startActs();
    store.journal.append({
      channel: "upload",
      actor: null,
      item,
      action: "complete",
      base: task,
      patch: { completed: true },
      newLabels: [],
      state: "pending",
    });
    expect((await ask(`${link("day")}/1/undo`, undo)).status).toBe(404);
    expect((await ask(`${link("day")}/1/undo`)).status).toBe(404);
    expect(edits()).toMatchObject([{ state: "pending" }]);
  });
});

describe("the limit of /act", () => {
  it("answers 429 as a page when one address asks too often", async () => {
    const { ask, press, link, edits } = await startActs();
    const answers: number[] = [];
    for (let round = 0; round < 13; round++) {
      const some = await Promise.all(Array.from({ length: 10 }, () => ask("x")));
      answers.push(...some.map(({ status }) => status));
    }
    expect(answers.filter((status) => status === 404)).toHaveLength(120);
    expect(answers.filter((status) => status === 429)).toHaveLength(10);
    const refused = await press(link("done"), "2026-11-12");
    expect(refused.status).toBe(429);
    expect(refused.text).toContain("Please wait a minute");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("cache-control")).toBe("no-store");
    expect(edits()).toEqual([]);
  });
});
