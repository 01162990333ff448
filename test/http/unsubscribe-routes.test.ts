import { createHash } from "node:crypto";
import express from "express";
import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import type { MailChoice } from "../../src/domain/mail-kind.ts";
import { createChoiceSigner } from "../../src/domain/signed-links.ts";
import { unsubscribeRoutes } from "../../src/http/unsubscribe-routes.ts";
import { aPerson } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { barePages } from "./bare-pages.ts";
import { listening } from "./listening.ts";

const signer = createChoiceSigner(createHash("sha256").update("only for tests").digest());
const ana = personId(11);
const everyKind = {
  events: true,
  milestones: true,
  tasks: true,
  overdue: true,
  digest: true,
  notices: false,
  invitations: false,
  alarms: false,
};

async function startRoutes() {
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = testStore(clock);
  store.directory.putPeople([aPerson(11, "Ana <b>"), aPerson(12, "Ben")], true);
  const app = express();
  app.use(barePages());
  app.use("/some/path", unsubscribeRoutes({ store, signer, wishes: () => everyKind }));
  const port = await listening(app);
  const base = `http://127.0.0.1:${port}/some/path/unsubscribe/`;
  const ask = async (text: string, init: RequestInit = {}) => {
    const answer = await fetch(new URL(text, base), { redirect: "manual", ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return {
    store,
    ask,
    link: (choice: MailChoice = "tasks") => signer.sign({ person: ana, choice }),
    press: (text: string, field: string, value: string) =>
      ask(text, { method: "POST", body: new URLSearchParams({ [field]: value }) }),
    off: () => store.mailChoices.list(null).map(({ person, choice }) => `${person} ${choice}`),
  };
}

describe("GET /unsubscribe/<signed>", () => {
  it("shows every kind with a button, the mail's own first, and changes nothing", async () => {
    const { ask, link, off } = await startRoutes();
    const { status, text, headers } = await ask(link());
    expect(status).toBe(200);
    expect(text).toContain("Ana &lt;b&gt;");
    const buttons = [...text.matchAll(/<button>([^<]*)</g)].map(([, words]) => words);
    expect(buttons).toEqual([
      "Stop reminders of tasks",
      "Stop reminders of events",
      "Stop reminders of milestones",
      "Stop mails about overdue items",
      "Stop the digest",
      "Stop all mails",
    ]);
    expect(text).toContain("Turned off by the admin.");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-robots-tag")).toBe("noindex, nofollow");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("set-cookie")).toBeNull();
    expect(off()).toEqual([]);
  });

  it.each(["", "x", "A".repeat(32)])("is 404 for %j, also by POST", async (text) => {
    const { ask, off } = await startRoutes();
    expect((await ask(`./${text}`)).status).toBe(404);
    expect((await ask(`./${text}`, { method: "POST" })).status).toBe(404);
    expect(off()).toEqual([]);
  });
});

describe("POST /unsubscribe/<signed>", () => {
  it.each([
    ["as mail programs send it", new URLSearchParams({ "List-Unsubscribe": "One-Click" })],
    ["as multipart", form({ "List-Unsubscribe": "One-Click" })],
    ["empty", null],
    ["with an invalid choice", new URLSearchParams({ off: "everything" })],
  ])("acts at once and without a redirect %s", async (_name, body) => {
    const { ask, link, off } = await startRoutes();
    const { status, text } = await ask(link(), { method: "POST", body });
    expect(status).toBe(200);
    expect(text).toContain("You get no more reminders of tasks.");
    expect(off()).toEqual(["11 tasks"]);
    await ask(link(), { method: "POST", body });
    expect(off()).toEqual(["11 tasks"]);
  });

  it("turns other kinds off and on, and everything", async () => {
    const { press, link, off, ask } = await startRoutes();
    await press(link(), "off", "digest");
    expect(off()).toEqual(["11 digest"]);
    expect((await ask(link())).text).toContain("Get the digest again");
    expect((await press(link(), "on", "digest")).text).toContain("You get digest again.");
    expect(off()).toEqual([]);
    expect((await press(link(), "off", "all")).text).toContain("You get no mails.");
    expect(off()).toEqual(["11 all"]);
    await press(link("all"), "on", "all");
    expect(off()).toEqual([]);
    await ask(link("all"), { method: "POST" });
    expect(off()).toEqual(["11 all"]);
  });

  it("is limited for each address", async () => {
    const { ask } = await startRoutes();
    const answers = await Promise.all(Array.from({ length: 130 }, () => ask("x")));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });
});

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}
