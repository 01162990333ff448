import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../../src/domain/ids.ts";
import type { Source } from "../../../src/domain/source.ts";
import type { Trouble } from "../../../src/domain/trouble-kinds.ts";
import type { DemoProgress } from "../../../src/http/http-deps.ts";
import { anEvent, aProject, aTask, aTodolist, days } from "../../support/items.ts";
import { ana, ben, startApp, token } from "../people-rig.ts";

const website: Source = { kind: "events", projectId: projectId(2001) };
const fair: Source = { kind: "events", projectId: projectId(2002) };

/** A fault that prevents a complete reading. */
const outages: readonly Trouble[] = [
  { kind: "service-unreachable", problem: "connection refused" },
  { kind: "certificate", host: "company.example.com", until: null, problem: "CERT_HAS_EXPIRED" },
  { kind: "key-refused", person: null },
];

/** The administrator's browser, with a workspace that was completely read at 10:00 in Berlin. */
async function signedIn(
  troubles: readonly Trouble[] = [],
  fresh = () => true,
  demo: DemoProgress | null = null,
) {
  const since = Temporal.Instant.from("2026-11-21T09:00:00Z");
  const held = () => troubles.map((trouble) => ({ trouble, since }));
  const started = await startApp({ more: { troubles: held, fresh, ...(demo && { demo }) } });
  const { store, clock } = started;
  store.sources.put([website, fair]);
  for (const source of [website, fair]) {
    store.sources.attempted(source, clock());
    store.sources.succeeded(source, { items: 1, gaps: null });
  }
  for (const id of [2001, 2002]) store.rounds.projectRead(projectId(id));
  const { headers } = await started.call(`GET /?token=${token}`);
  const cookie = (headers.get("set-cookie") ?? "").split(";", 1).join("");
  const read = async (path: string) =>
    (await started.call(`GET /${path}`, { headers: { cookie } })).text;
  const page = () => read("");
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(await page()) ?? [];
  const press = (path: string) =>
    started.call(`POST ${path}`, {
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body: `form=${form}`,
    });
  const told = async (id: string) => textOf(await page(), id);
  function wish(patch: object, state: "pending" | "held" = "pending", actor = ana) {
    const item = store.mirror.findUid(`event-1@${store.meta.installation}`)?.item;
    const base = item && store.view.get(item)?.item;
    if (!item || !base) throw new Error("the event is not known");
    return store.journal.append({
      channel: "caldav",
      actor,
      item,
      action: "update",
      base,
      patch,
      newLabels: [],
      state,
    });
  }
  return { ...started, page, read, press, told, wish };
}

/** The words of a section. */
function textOf(page: string, id: string): string {
  const from = page.indexOf(`id="${id}"`);
  const section = page.slice(from, page.indexOf("</section>", from));
  return section
    .replace(/^[^>]*>/, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

describe("the status sentence on Today", () => {
  it("gives the age of the oldest relevant data, and what waits for each person", async () => {
    const { told, wish, clock } = await signedIn();
    expect(await told("standing")).toBe("Up to date · last synced just now No edits waiting.");
    clock.advance({ minutes: 5 });
    wish({ title: "Mine" });
    expect(await told("standing")).toBe("Up to date · last synced 5 min ago 1 pending edit.");
    wish({ title: "Other" }, "held");
    expect(await told("standing")).toContain("1 pending edit, 1 edit needs a decision.");
  });

  it("does not claim to know all edits if it has counted only some", async () => {
    const { told, wish, page } = await signedIn();
    for (let nth = 0; nth < 201; nth++) wish({ title: `Held ${nth}` }, "held");
    expect(await told("standing")).toContain("200 edits or more need a decision.");
    expect(await page()).toContain("At least 190 more edits wait");
  });

  it("says that the workspace cannot be read if most of it fails, and why", async () => {
    const { told, store, clock } = await signedIn();
    clock.advance({ minutes: 3 });
    for (const source of [website, fair]) store.sources.failed(source, "it answered 503");
    expect(await told("standing")).toContain(
      "Not syncing · it answered 503. Calendars show data from 3 min ago.",
    );
  });

  it.each(outages)("never says up to date while $kind", async (trouble) => {
    const troubles: Trouble[] = [];
    const { told, read, clock } = await signedIn(troubles);
    clock.advance({ minutes: 4 });
    expect(await read("calendar")).not.toContain("Not syncing");
    troubles.push(trouble, { kind: "ceiling-missed", advice: "It takes long." });
    expect(await told("standing")).toMatch(
      /^Not syncing · .+\. Calendars show data from 4 min ago\. .*What to do: /,
    );
    expect(await told("waiting")).toBe("Warnings It takes long → see docs/messages.md.");
    for (const path of ["calendar", "edits", "feeds", "connect", "people", "status"]) {
      expect(await read(path)).toMatch(
        /Not syncing\.<\/strong> .*Calendars show data from 4 min ago/,
      );
    }
    troubles.length = 0;
    expect(await told("standing")).toMatch(/^Up to date/);
  });

  it("says that it is behind if a list is older than it should be", async () => {
    const { told, clock } = await signedIn();
    clock.advance({ minutes: 16 });
    expect(await told("standing")).toMatch(/^Up to date/);
    clock.advance({ minutes: 2 });
    expect(await told("standing")).toMatch(/^Behind · .* last synced 18 min ago/);
  });

  it("gives the age after a start, and when everything will be read again", async () => {
    let isFresh = false;
    const { told, clock } = await signedIn([], () => isFresh);
    clock.advance({ minutes: 5 });
    expect(await told("standing")).toContain(
      "Syncing · checking every list after a start, at most 10 min left · the oldest was last synced 5 min ago",
    );
    clock.advance({ minutes: 11 });
    expect(await told("standing")).toContain("checking every list after a start · the oldest");
    isFresh = true;
    expect(await told("standing")).toMatch(/^Up to date/);
  });

  it("gives the progress of the first sync", async () => {
    const { told, store } = await signedIn();
    store.directory.putProjects(
      [aProject(2001, "Website"), aProject(2002, "Fair"), aProject(2003, "New")],
      true,
    );
    store.sources.put([{ kind: "events", projectId: projectId(2003) }]);
    expect(await told("standing")).toContain("First sync · 2 of 3 lists, about 1 s left.");
  });
});

describe("the rest of Today", () => {
  it("lists what takes place or is due in the next seven days, and nothing completed", async () => {
    const { told, store } = await signedIn();
    const dueOn = (day: string) => Temporal.PlainDate.from(day);
    for (const item of [
      aTask(21, { title: "Order plates", dueOn: dueOn("2026-11-25") }),
      aTask(22, { title: "Order cups", dueOn: dueOn("2026-11-25"), completed: true }),
      aTask(23, { title: "Pay", dueOn: dueOn("2026-12-24") }),
    ]) {
      store.mirror.put(item, "tests");
    }
    expect(await told("week")).toMatch(
      /Mon 23 Nov.* 10:00–11:00 Review Website.* Wed 25 Nov.* due Order plates/,
    );
    expect(await told("week")).not.toMatch(/Order cups|Pay/);
  });

  it("shows recent edits as sentences, with decisions to take", async () => {
    const { told, wish, press, page, store } = await signedIn();
    expect(await told("recent")).toContain("No edit yet");
    const edit = wish({ title: "Retro <i>" }, "held");
    expect(await told("recent")).toContain("renamed Review to Retro &lt;i&gt;");
    expect(await told("waiting")).toContain("waiting for approval");
    expect(await page()).toContain(`formaction="edits/${edit}/approve"`);
    expect((await press(`/edits/${edit}/approve`)).status).toBe(303);
    expect(store.journal.get(edit)?.state).toBe("pending");
    expect(await told("waiting")).toBe("");
  });

  it("links from an applied edit to its undo, and from no other", async () => {
    const { wish, page, store } = await signedIn();
    const edit = wish({ title: "Retro" });
    expect(await page()).not.toContain("/undo");
    const claimed = store.journal.claimNext() ?? expect.fail("nothing to claim");
    store.journal.confirm(claimed, anEvent(1, { title: "Retro" }));
    expect(await page()).toMatch(
      new RegExp(`href="edits/${edit}/undo" aria-label="Undo: [^"]*renamed Review to Retro`),
    );
  });

  it("says what would disappear, and links to the decision", async () => {
    const { told, page, store } = await signedIn();
    store.brakes.set("events:2001", { missing: 30, total: 40, needsPerson: true });
    expect(await told("waiting")).toContain("30 of 40 items of one list disappeared at once");
    expect(await page()).toContain('<a class="button main" href="edits">Review…</a>');
    store.brakes.release("events:2001");
    expect(await told("waiting")).toContain("There is nothing to do.");
  });

  it("gives the age of each project, by what is due soon", async () => {
    const { told, store, clock } = await signedIn();
    const list: Source = { kind: "tasks", projectId: projectId(2001), listId: listId(3001) };
    store.directory.putTodolists(projectId(2001), [aTodolist(3001)], true);
    store.sources.put([list]);
    store.sources.attempted(list, clock());
    store.sources.succeeded(list, { items: 0, gaps: null });
    // Review, tomorrow, is in the list of events, so that the age of the list of tasks does not count.
    store.mirror.put(anEvent(1, { title: "Review", when: days("2026-11-22") }), "events:2001");
    clock.advance({ hours: 3 });
    store.sources.attempted(website, clock());
    store.sources.succeeded(website, { items: 1, gaps: null });
    store.sources.failed(fair, "it answered 500");
    const text = await told("projects");
    expect(text).toContain("Website just now");
    expect(text).toContain("Fair 3 h ago cannot be read");
  });

  it("does not count the demo's own edits as a person's", async () => {
    let toldAt: Temporal.Instant | null = null;
    const demo = { toldAt: () => toldAt };
    const { told, wish, clock } = await signedIn([], () => true, demo);
    wish({ title: "Of the story" });
    expect(await told("first-steps")).toMatch(/^First steps 0 of 3 done/);
    toldAt = clock();
    expect(await told("first-steps")).toContain("Try an edit (to do)");
    clock.advance({ seconds: 1 });
    wish({ title: "Of a person" });
    expect(await told("first-steps")).toContain("Try an edit (done)");
    expect(await told("first-steps")).toContain("Use your own account (to do)");
  });

  it("checks the first steps that are done", async () => {
    const { told, passwords, people, call, feeds } = await signedIn();
    expect(await told("first-steps")).toMatch(/^First steps 1 of 4 done/);
    expect(await told("first-steps")).toContain("Set a public address (done)");
    passwords.issue(ben);
    const { path } = feeds.create({
      ...{ kind: "person", projectId: null, personId: ben, name: null, colour: null },
      filter: {},
    });
    const fetchAs = (agent: string) => call(`GET ${path}`, { headers: { "user-agent": agent } });
    await fetchAs("Google-Calendar-Importer (Dayferry demo)");
    // A password alone connects no program, and the demo's own fetch is nobody's.
    expect(await told("first-steps")).toMatch(/^First steps 1 of 4 done/);
    people.noteProgram(ben);
    await fetchAs("Google-Calendar-Importer");
    expect(await told("first-steps")).toContain("Connect a calendar program (done)");
    expect(await told("first-steps")).toContain("Subscribe to a calendar (done)");
  });
});
