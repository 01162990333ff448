import express from "express";
import { describe, expect, it } from "vitest";
import type { FieldConflict } from "../../src/domain/edit.ts";
import type { EditId } from "../../src/domain/ids.ts";
import type { Patch } from "../../src/domain/patch.ts";
import type { Viewer } from "../../src/domain/visibility.ts";
import { createEditActions } from "../../src/edits/actions/edit-actions.ts";
import { editPageRoutes } from "../../src/http/edit-page-routes.ts";
import { vevent, calendar as wrapped } from "../edits/rig.ts";
import { anEvent } from "../support/items.ts";
import { barePages } from "./bare-pages.ts";
import { listening } from "./listening.ts";
import { ana, ben, startApp, token } from "./people-rig.ts";

type Store = Awaited<ReturnType<typeof startApp>>["store"];

async function signedIn(language = "en") {
  const started = await startApp();
  const { headers } = await started.call(`GET /?token=${token}`);
  const cookie = (headers.get("set-cookie") ?? "").split(";", 1).join("");
  const look = (path: string) => started.call(`GET ${path}`, { headers: { cookie } });
  const { text } = await look("/edits/file");
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(text) ?? [];
  const press = (path: string, fields: Readonly<Record<string, string>> = {}) =>
    started.call(`POST ${path}`, {
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ form, ...fields }).toString(),
    });
  const send = (path: string, fields: Readonly<Record<string, string | Blob>>) => {
    const body = new FormData();
    body.set("form", form);
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") body.set(name, value);
      else body.set(name, value, 'my "own".ics');
    }
    const headers = { cookie, "accept-language": language };
    return started.call(`POST ${path}`, { headers, body });
  };
  return { ...started, look, press, send };
}

function edited(
  store: Store,
  {
    patch = { title: "Mine" },
    actor = ana,
    id = 1,
  }: { readonly patch?: Patch; readonly actor?: typeof ana; readonly id?: number } = {},
): EditId {
  const item = store.mirror.findUid(`event-${id}@${store.meta.installation}`)?.item;
  const base = item && store.mirror.get(item)?.item;
  if (!item || !base) throw new Error("the event is not known");
  return store.journal.append({
    channel: "caldav",
    program: "Thunderbird/140",
    actor,
    item,
    action: "update",
    base,
    patch,
    newLabels: [],
    state: "pending",
  });
}

/** An edit of title and description; someone else has changed the same. */
function conflicting(store: Store): EditId {
  const id = edited(store, { patch: { title: "Mine", description: "My words" } });
  const claimed = store.journal.claimNext();
  if (!claimed) throw new Error("nothing to claim");
  const before = anEvent(1, { title: "Theirs <b>", description: "Their words" });
  const conflicts: readonly FieldConflict[] = [
    { field: "title", base: "Review", ours: "Theirs <b>", theirs: "Mine", taken: null },
  ];
  const clash = { before, conflicts };
  store.journal.settle(claimed, { kind: "park", reason: "conflict", problem: "both", clash });
  return id;
}

const hidden = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";

describe("/edits", () => {
  it("shows each edit in a sentence with its state, filtered as requested", async () => {
    const { look, store } = await signedIn();
    expect((await look("/edits")).text).toContain("No edits yet");
    const first = edited(store);
    edited(store, { actor: ben, id: 2, patch: { title: "<i>" } });
    const all = (await look("/edits")).text;
    expect(all).toContain(
      `<a href="edits/${first}"><bdi>Ana &lt;b&gt;</bdi> <bdi data-spoken>renamed Review to Mine</bdi>`,
    );
    expect(all).toContain("by Thunderbird");
    expect(all).toContain('<section id="edits" data-live="edits">');
    expect(all).not.toContain("<i>");
    const bens = (await look("/edits?person=12&state=under-way")).text;
    expect(bens).toContain("renamed Secret");
    expect(bens).not.toContain("renamed Review");
    expect((await look("/edits?item=nowhere")).text).toContain("No matching edits");
    const wrong = await look("/edits?since=soon&state=");
    expect([wrong.status, wrong.text.includes("is neither a date")]).toEqual([400, true]);
  });

  it("pages to older ones", async () => {
    const { look, store } = await signedIn();
    for (let nth = 0; nth < 42; nth++) edited(store, { patch: { title: `Name ${nth}` } });
    const { text } = await look("/edits?project=2001");
    expect(text).toContain('href="edits?project=2001&amp;before=3"');
    const rest = (await look("/edits?project=2001&before=3")).text;
    expect(rest.match(/renamed Review to Name \d+/g)).toEqual([
      "renamed Review to Name 1",
      "renamed Review to Name 0",
    ]);
  });

  it("shows a brake with what would disappear, and releases it", async () => {
    const { look, press, store } = await signedIn();
    const item = store.mirror.findUid(`event-1@${store.meta.installation}`)?.item;
    if (item) store.absences.notice(item, "events:2001");
    store.brakes.set("events:2001", { missing: 1, total: 1, needsPerson: true });
    const { text } = await look("/edits");
    expect(text).toContain("1 of 1 items disappeared at once in the events of Website");
    expect(text).toContain("<li><bdi>Review</bdi></li>");
    const asked = await press("/edits/removals/release", { source: "events:2001" });
    expect([asked.status, asked.text.includes("Remove ")]).toEqual([200, true]);
    expect(store.brakes.all()[0]?.releasedAt).toBeNull();
    const agreed = { source: "events:2001", confirmed: "yes" };
    expect((await press("/edits/removals/release", agreed)).status).toBe(303);
    expect(store.brakes.get("events:2001")?.releasedAt).not.toBeNull();
    expect((await press("/edits/removals/release", { source: "events:9" })).status).toBe(404);
  });

  it("requires signing in, and refuses forms of other pages", async () => {
    const { call, store } = await startApp();
    const edit = edited(store);
    for (const path of ["/edits", `/edits/${edit}`, "/edits/file"]) {
      const answer = await call(`GET ${path}`, { headers: { accept: "text/html" } });
      expect([answer.status, answer.headers.get("location")]).toEqual([
        303,
        expect.stringContaining("login"),
      ]);
    }
    expect((await call(`POST /edits/${edit}/discard`)).status).not.toBe(200);
    expect(store.journal.get(edit)?.state).toBe("pending");
  });
});

describe("/edits/ID", () => {
  it("shows what it changes, what can be done about it, and its history", async () => {
    const { look, press, store } = await signedIn();
    const id = edited(store);
    const { text } = await look(`/edits/${id}`);
    expect(text).toContain(
      "<bdi data-spoken>Ana &lt;b&gt; renamed Review to Mine, by Thunderbird, pending</bdi>",
    );
    expect(text).toContain("Accepted from Ana &lt;b&gt; by Thunderbird, and stored");
    expect(text).toContain("Shown in feeds and calendars");
    expect(text).toContain("Cancels sending, unless it has started already.");
    expect((await look("/edits/99")).status).toBe(404);
    expect((await look("/edits/x")).status).toBe(404);
    expect((await press(`/edits/${id}/discard`, { confirmed: "yes" })).status).toBe(303);
    expect(store.journal.get(id)?.state).toBe("discarded");
    const again = await press(`/edits/${id}/discard`, { confirmed: "yes" });
    expect(again.status).toBe(409);
    expect(again.text).toContain("Edit 1 is discarded: this is only possible for one that");
    expect((await look(`/edits/${id}/discard`)).headers.get("location")).toBe("../../edits/1");
  });

  it("asks field by field, previews, and sends only what was previewed", async () => {
    const { look, press, store } = await signedIn();
    const id = conflicting(store);
    const { text } = await look(`/edits/${id}`);
    for (const said of ["Review", "Theirs &lt;b&gt;", "Mine", "Their words", "My words"]) {
      expect(text).toContain(`<bdi>${said}</bdi>`);
    }
    expect(text).toMatch(
      /<textarea id="text-description"[^>]*>\nTheir words\n\nMy words<\/textarea>/,
    );
    const version = hidden(text, "version");
    const picks = {
      version,
      "pick-title": "mine",
      "pick-description": "text",
      "text-title": "unused",
      "text-description": "Both\r\nof us",
    };
    const incomplete = await press(`/edits/${id}/preview`, { version, "pick-title": "mine" });
    expect([incomplete.status, incomplete.text.includes("Description")]).toEqual([400, true]);
    const preview = await press(`/edits/${id}/preview`, picks);
    expect(preview.status).toBe(200);
    expect(preview.text).toContain("overwrites someone else&#39;s change of Title and Description");
    expect(preview.text).toContain("<strong><bdi>Both of us</bdi></strong>");
    expect(preview.text).not.toContain("unused");
    expect(store.journal.get(id)?.state).toBe("parked");
    const carried = Object.fromEntries(
      ["version", "pick-title", "pick-description", "text-description"].map((name) => [
        name,
        hidden(preview.text, name),
      ]),
    );
    expect((await press(`/edits/${id}/resolve`, carried)).headers.get("location")).toBe(
      "../../edits/1",
    );
    expect(store.journal.get(id)).toMatchObject({
      state: "pending",
      patch: { title: "Mine", description: "Both\nof us" },
    });
    expect((await look(`/edits/${id}`)).text).toContain("Description combined to Both of us");
  });

  it("shows the edit again if the workspace has changed, and sends nothing", async () => {
    const { look, press, store } = await signedIn();
    const id = conflicting(store);
    const version = hidden((await look(`/edits/${id}`)).text, "version");
    store.mirror.put(anEvent(1, { title: "Newest", description: "Their words" }), "events:2001");
    for (const act of ["preview", "resolve"]) {
      const stale = await press(`/edits/${id}/${act}`, { version, keep: "mine" });
      expect(stale.status).toBe(409);
      expect(stale.text).toContain("The item changed since you opened this page");
      expect(stale.text).toContain("<bdi>Newest</bdi>");
    }
    const asked = await press(`/edits/${id}/retry`);
    expect([asked.status, asked.text.includes("It has changed since")]).toEqual([409, false]);
    expect(store.journal.get(id)?.state).toBe("parked");
    const now = hidden((await look(`/edits/${id}`)).text, "version");
    expect((await press(`/edits/${id}/resolve`, { version: now, keep: "theirs" })).status).toBe(
      303,
    );
    expect(store.journal.get(id)?.state).toBe("discarded");
  });

  it("previews an undo with changes since, and applies it only to that version", async () => {
    const { look, press, store } = await signedIn();
    const id = edited(store);
    const pending = await look(`/edits/${id}/undo`);
    expect(pending.text).toContain("has not reached the service yet");
    const claimed = store.journal.claimNext();
    if (!claimed) return expect.fail("nothing to claim");
    store.journal.replacing(id, anEvent(1, { title: "Review" }));
    store.journal.confirm(claimed, anEvent(1, { title: "Mine" }));
    const { text } = await look(`/edits/${id}/undo`);
    expect(text).toContain("It will put Title back to Review.");
    expect(text).toContain("No changes since.");
    store.mirror.put(anEvent(1, { title: "Later" }), "events:2001");
    const stale = await press(`/edits/${id}/undo`, { version: hidden(text, "version") });
    expect([stale.status, stale.text.includes("<bdi>Later</bdi>")]).toEqual([409, true]);
    const version = hidden(stale.text, "version");
    const done = await press(`/edits/${id}/undo`, { version });
    expect(done.headers.get("location")).toBe("../../edits/2");
    expect(store.journal.get(id)?.state).toBe("confirmed");
    expect((await look("/edits/2")).text).toContain("took edit 1 back: renamed Mine to Review");
  });
});

it("/edits/ID/undo asks about each field that someone has changed since, and follows the choice", async () => {
  const { look, press, store } = await signedIn();
  const id = edited(store);
  const claimed = store.journal.claimNext() ?? expect.fail("nothing to claim");
  store.journal.replacing(id, anEvent(1, { title: "Review" }));
  store.journal.confirm(claimed, anEvent(1, { title: "Mine" }));
  store.mirror.put(anEvent(1, { title: "Later" }), "events:2001");
  const { text } = await look(`/edits/${id}/undo`);
  expect(text).toContain(">Keep<");
  expect(text).toContain("Restore anyway");
  const version = hidden(text, "version");
  const left = await press(`/edits/${id}/undo`, { version, "pick-title": "leave" });
  expect(left.text).toContain("Everything keeps its current value, so there is nothing to undo.");
  expect(store.journal.list({ limit: 10 })).toHaveLength(1);
  const done = await press(`/edits/${id}/undo`, { version, "pick-title": "back" });
  expect(done.headers.get("location")).toBe("../../edits/2");
  expect(store.journal.list({ limit: 1 })).toMatchObject([
    { undoes: id, patch: { title: "Review" } },
  ]);
});

describe("/edits/file", () => {
  const file = (...lines: readonly string[]) => new Blob([wrapped(...lines)]);

  it("previews a file item by item without storing it, and then applies it", async () => {
    const { send, store } = await signedIn();
    const uid = `event-1@${store.meta.installation}`;
    const sent = file(
      vevent(uid, "SUMMARY:Renamed <b>"),
      vevent("new@example.com", "SUMMARY:Launch", "DTSTART:20261201T090000Z"),
      vevent("odd@example.com", "SUMMARY:Daily", "DTSTART:20261201T090000Z", "RRULE:FREQ=DAILY"),
    );
    const plan = await send("/edits/file", { file: sent, project: "2001", list: "" });
    expect(plan.status).toBe(200);
    expect(plan.text).toContain("Rename Review to Renamed &lt;b&gt;");
    expect(plan.text).toContain("Create the event Launch on Tue 1 Dec, 10:00");
    expect(plan.text).toContain("my &quot;own&quot;.ics");
    expect(plan.text).toContain("2 changes, 1 refused.");
    expect(store.journal.list({ limit: 9 })).toEqual([]);
    const carried = Object.fromEntries(
      ["project", "list", "name", "content"].map((name) => [name, hidden(plan.text, name)]),
    );
    const applied = await send("/edits/file/apply", carried);
    expect(applied.text).toContain('<a href="../../edits/2">edit 2</a>');
    expect(store.journal.list({ limit: 9 }).map(({ channel, actor }) => [channel, actor])).toEqual([
      ["dashboard", null],
      ["dashboard", null],
    ]);
  });

  it("says in the reader's language what it would do, and why not", async () => {
    const { send } = await signedIn("de");
    const sent = file(
      vevent("new@example.com", "SUMMARY:Launch", "DTSTART:20261201T090000Z", "LOCATION:Room 5"),
      vevent("odd@example.com", "SUMMARY:Daily", "DTSTART:20261201T090000Z", "RRULE:FREQ=DAILY"),
    );
    const plan = await send("/edits/file", { file: sent, project: "2001", list: "" });
    expect(plan.text).toContain("Legt an (Termin): Launch am Di., 1. Dez., 10:00");
    expect(plan.text).toContain("der Dienst hat kein Feld für einen Ort");
    expect(plan.text).toContain("RRULE hat kein Ende; geben Sie ein COUNT oder UNTIL an.");
    const cut = await send("/edits/file", { file: new Blob(["BEGIN:VCALENDAR"]), project: "2001" });
    expect(cut.text).toContain("Die Datei endet innerhalb von VCALENDAR: END:VCALENDAR fehlt.");
  });

  it("says what is wrong with a file, or that it is missing", async () => {
    const { send, look, press } = await signedIn();
    expect((await send("/edits/file", { project: "2001" })).text).toContain(
      "Choose a calendar file",
    );
    expect((await send("/edits/file", { file: file() })).text).toContain("Choose a project");
    const cut = await send("/edits/file", { file: new Blob(["BEGIN:VCALENDAR"]), project: "2001" });
    expect([cut.status, cut.text.includes("The file cannot be read")]).toEqual([422, true]);
    const large = new Blob(["x".repeat(1_600_000)]);
    expect((await send("/edits/file", { file: large, project: "2001" })).status).toBe(400);
    expect((await look("/edits/file/apply")).headers.get("location")).toBe("../../edits/file");
    expect((await press("/edits/file", { project: "2001" })).status).toBe(400);
  });
});

it("a person's own pages show and decide only the person's edits, and approve nothing", async () => {
  const { store, rights } = await startApp();
  const viewer: Viewer = { kind: "person", person: ana, name: "Ana", zone: "America/New_York" };
  const app = express();
  app.use(barePages());
  app.use(
    editPageRoutes({
      viewers: { find: () => viewer, viewerOf: () => viewer, formToken: () => "token" },
      editActions: createEditActions({ store, onReleased() {} }),
      acceptFile: () => Promise.resolve({ kind: "refused", errors: [] }),
      rights,
      store,
    }),
  );
  const port = await listening(app);
  const call = async (method: string, path: string, body?: string) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const init = body === undefined ? { method } : { method, body: `form=token&${body}`, headers };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      redirect: "manual",
    });
    return { status: answer.status, text: await answer.text() };
  };
  const own = conflicting(store);
  const bens = edited(store, { actor: ben, id: 2 });
  const { text } = await call("GET", "/edits?person=12");
  expect(text).toContain("renamed Review");
  expect(text).not.toContain("Secret");
  expect(text).toContain("Website");
  expect(text).not.toContain("Fair");
  expect((await call("GET", `/edits/${bens}`)).status).toBe(404);
  for (const act of ["discard", "retry", "undo", "approve", "preview", "resolve"]) {
    expect((await call("POST", `/edits/${bens}/${act}`, "keep=mine")).status).toBe(404);
  }
  const shown = (await call("GET", `/edits/${own}`)).text;
  const accepted = store.journal.get(own)?.createdAt.toZonedDateTimeISO("America/New_York");
  expect(shown).toContain(`${accepted?.toPlainTime().toString({ smallestUnit: "minute" })}</time>`);
  expect((await call("POST", `/edits/${own}/approve`, "")).status).toBe(403);
  expect((await call("POST", "/edits/removals/release", "source=events:2001")).status).toBe(403);
  const version = hidden(shown, "version");
  const done = await call("POST", `/edits/${own}/resolve`, `version=${version}&keep=mine`);
  expect(done.status).toBe(303);
  expect(JSON.parse(store.editSteps.of(own).at(-2)?.detail ?? "{}")).toMatchObject({ by: ana });
});
