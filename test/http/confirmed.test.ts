import { describe, expect, it } from "vitest";
import { editId, feedId, projectId } from "../../src/domain/ids.ts";
import { browserOf } from "./page-browser.ts";
import { ana, ben } from "./people-rig.ts";

type Browser = Awaited<ReturnType<typeof browserOf>> & {
  /** Of Ana's password. */
  readonly firstDigest?: string | undefined;
};
type Fields = readonly (readonly [name: string, value: string])[];

interface Press {
  readonly by?: "ana";
  /** Makes the thing that is to be taken away. */
  readonly given?: (browser: Browser) => unknown;
  readonly path: string;
  readonly fields?: Fields;
  readonly asks: string;
  /** What depends on it, and whether it can be undone. */
  readonly tells: readonly string[];
  readonly isDone: (browser: Browser) => boolean;
}

/** A first edit, of Ana's from Thunderbird, which waits. */
const waitingEdit =
  (action: "update" | "delete") =>
  ({ store }: Browser) => {
    const base = store.view.ofProject(projectId(2001))[0];
    if (!base) throw new Error("the event is not known");
    store.journal.append({
      ...{ channel: "caldav", program: "Thunderbird/140", actor: ana, newLabels: [] },
      ...{ item: base.key, action, base: base.item, state: "held" },
      patch: action === "delete" ? {} : { title: "Mine" },
    });
  };
const stateOfEdit = ({ store }: Browser) => store.journal.get(editId(1))?.state;

const fetchedFeed = ({ feeds, call }: Browser) =>
  call(`GET ${feeds.get(feedId(1))?.path}`, {
    headers: { "user-agent": "Google-Calendar-Importer" },
  });

/** Another browser with Ana logged in. */
const otherBrowser = ({ store }: Browser) =>
  store.logIns.begin({
    ...{ digest: "d", person: ana, way: "password", proxied: null, agent: "Firefox" },
    until: Temporal.Instant.from("2026-12-21T09:00:00Z"),
  });

const hookPath = "/me/webhook";
const savedHook = ({ post }: Browser) =>
  post(hookPath, [
    ["do", "save"],
    ["url", "https://ntfy.example.com/topic"],
    ["mail", "on"],
  ]);

const presses: Readonly<Record<string, Press>> = {
  "ends a feed": {
    given: fetchedFeed,
    path: "/feeds/1",
    fields: [["do", "revoke"]],
    asks: "End the feed Website?",
    tells: ["<bdi>Google</bdi>", "Sat 21 Nov 2026, 10:00", "You can undo this."],
    isDone: ({ feeds }) => feeds.get(feedId(1))?.revokedAt !== null,
  },
  "gives a feed another address": {
    path: "/feeds/1",
    fields: [["do", "rotate"]],
    asks: "Make a new address for Website?",
    tells: ["No program has fetched it yet.", "This cannot be undone"],
    isDone: ({ store }) => store.feeds.get(feedId(1))?.version === 2,
  },
  "replaces somebody's app password": {
    given: waitingEdit("update"),
    path: "/people/11/password",
    asks: "Replace the app password of Ana &lt;b&gt;?",
    tells: ["Thunderbird", "until you enter the new one in each"],
    isDone: ({ firstDigest, store }) => store.appPasswords.get(ana)?.digest !== firstDigest,
  },
  "removes somebody's app password": {
    path: "/people/11/password/clear",
    asks: "Remove the app password of Ana &lt;b&gt;?",
    tells: ["No program has used it for an edit yet.", "Calendar programs stop syncing."],
    isDone: ({ passwords }) => !passwords.has(ana),
  },
  "replaces the own app password": {
    by: "ana",
    given: otherBrowser,
    path: "/me/password",
    asks: "Replace the app password of Ana &lt;b&gt;?",
    tells: ["1 other browser is logged out."],
    isDone: ({ firstDigest, store }) => store.appPasswords.get(ana)?.digest !== firstDigest,
  },
  "removes the own app password": {
    by: "ana",
    path: "/me/password/clear",
    asks: "Remove the app password of Ana &lt;b&gt;?",
    tells: ["Calendar programs stop syncing."],
    isDone: ({ passwords }) => !passwords.has(ana),
  },
  "ends other log-ins": {
    by: "ana",
    given: otherBrowser,
    path: "/me/log-ins",
    fields: [["end", "others"]],
    asks: "Log out everywhere else?",
    tells: ["One other browser is logged out at once."],
    isDone: ({ store }) => store.logIns.of(ana).length === 1,
  },
  "sends reminders by mail only": {
    by: "ana",
    given: savedHook,
    path: hookPath,
    fields: [["do", "remove"]],
    asks: "Send reminders by mail only?",
    tells: ["ntfy.example.com", "Its address and token are deleted"],
    isDone: ({ store }) => store.personWebhooks.get(ana) === null,
  },
  "discards an edit": {
    given: waitingEdit("update"),
    path: "/edits/1/discard",
    asks: "Discard this edit?",
    tells: ["renamed Review to Mine", "This cannot be undone"],
    isDone: (browser) => stateOfEdit(browser) === "discarded",
  },
  "approves a deletion": {
    given: waitingEdit("delete"),
    path: "/edits/1/approve",
    asks: "Delete Review for everyone?",
    tells: ["Undo creates it again"],
    isDone: (browser) => stateOfEdit(browser) !== "held",
  },
  "lets removals go": {
    given: ({ store }) => {
      const [event] = store.view.keysOfProject(projectId(2001));
      if (event !== undefined) store.absences.notice(event, "events:2001");
      store.brakes.set("events:2001", { missing: 1, total: 1, needsPerson: true });
    },
    path: "/edits/removals/release",
    fields: [["source", "events:2001"]],
    asks: "Remove 1 items of the events of Website?",
    tells: ["Review"],
    isDone: ({ store }) => store.brakes.all()[0]?.releasedAt !== null,
  },
};

/** The hidden fields of the confirming form. */
const fieldsOf = (page: string): Fields =>
  [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
    .map(([, name = "", value = ""]) => [name, value] as const)
    .filter(([name]) => name !== "form");

describe("a destructive button", () => {
  it.each(Object.entries(presses))("%s only once confirmed", async (_does, press) => {
    const started = await browserOf(press.by ?? "admin", { whole: true });
    const browser = { ...started, firstDigest: started.store.appPasswords.get(ana)?.digest };
    await press.given?.(browser);
    const asked = await browser.post(press.path, press.fields ?? []);
    expect(asked.status).toBe(200);
    for (const words of [press.asks, ...press.tells]) expect(asked.text).toContain(words);
    expect(press.isDone(browser)).toBe(false);
    const [, back = ""] = /href="([^"]+)"[^>]*>Cancel</.exec(asked.text) ?? [];
    const cancelled = new URL(back, `https://calendar.example.com${press.path}`);
    expect((await browser.get(`${cancelled.pathname}${cancelled.search}`)).status).toBe(200);
    const done = await browser.post(press.path, fieldsOf(asked.text));
    expect(done.status).toBeLessThan(400);
    expect(press.isDone(browser)).toBe(true);
  });

  it("needs no confirmation if nothing is lost", async () => {
    const { post, store, ...more } = await browserOf("admin");
    expect((await post("/people/12/password", [])).text).toContain("shown only once");
    expect(store.appPasswords.get(ben)).not.toBeNull();
    waitingEdit("update")({ post, store, ...more });
    expect((await post("/edits/1/approve", [])).status).toBe(303);
  });
});

it("undo after ending a feed reopens it under the same address", async () => {
  const { post, get, feeds, call } = await browserOf("admin");
  const path = feeds.get(feedId(1))?.path ?? "";
  const ended = await post("/feeds/1", [
    ["do", "revoke"],
    ["confirmed", "yes"],
  ]);
  expect((await call(`GET ${path}`)).status).toBe(404);
  const list = await get(`/${ended.headers.get("location")?.replace("../", "")}`);
  expect(list.text).toContain("Feed <bdi>Website</bdi> ended.");
  const undone = await post("/feeds/1", [["do", "reopen"]]);
  expect(undone.headers.get("location")).toBe("../feeds/1");
  expect((await call(`GET ${path}`)).status).toBe(200);
  expect((await post("/feeds/1", [["do", "reopen"]])).status).toBe(404);
});
