import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { calendar } from "../edits/rig.ts";
import { bearer, startApp } from "../http/app-rig.ts";
import { anEvent } from "../support/items.ts";

describe("POST /api/edits", () => {
  const headers = { ...bearer, "content-type": "text/calendar" };
  const fresh = calendar(
    "BEGIN:VEVENT",
    "UID:new@example.com",
    "SUMMARY:New",
    "DTSTART;VALUE=DATE:20261201",
    "END:VEVENT",
  );

  it("answers 200 with the plan of a dry run and stores nothing", async () => {
    const { call, store } = await startApp();
    const before = store.changes.latest();
    const { status, text } = await call("POST /api/edits?project=2001&dryRun=true", {
      headers,
      body: fresh,
    });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      items: [{ uid: "new@example.com", kind: "event", action: "create", editId: null }],
      summary: { create: 1 },
    });
    expect(store.changes.latest()).toBe(before);
  });

  it("answers 202 and the feed shows the edit at once", async () => {
    const { call, path } = await startApp();
    const { status, text } = await call("POST /api/edits?project=2001", { headers, body: fresh });
    expect(status).toBe(202);
    const { items, summary } = JSON.parse(text);
    expect(items).toMatchObject([{ uid: "new@example.com", action: "create", editId: 1 }]);
    expect(summary).toEqual({
      update: 0,
      create: 1,
      complete: 0,
      reopen: 0,
      delete: 0,
      unchanged: 0,
      refused: 0,
    });
    expect((await call(`GET ${path}`)).text).toContain("UID:new@example.com");
    const shown = JSON.parse((await call("GET /api/edits/1", { headers: bearer })).text);
    expect(shown).toMatchObject({
      id: 1,
      state: "pending",
      channel: "upload",
      item: { uid: "new@example.com", title: "New" },
    });
  });

  it("accepts a long file like a short one, and refuses one with the reason and its line", async () => {
    const { call, path } = await startApp();
    const filler = "X-FILLER:x\r\n".repeat(10_000);
    const body = fresh.replace("END:VCALENDAR", `${filler}END:VCALENDAR`);
    expect((await call("POST /api/edits?project=2001", { headers, body })).status).toBe(202);
    expect((await call(`GET ${path}`)).text).toContain("UID:new@example.com");
    const cut = body.replace("END:VCALENDAR", "");
    const refused = await call("POST /api/edits?project=2001", { headers, body: cut });
    expect(refused.status).toBe(422);
    expect(JSON.parse(refused.text).errors).toMatchObject([{ code: "truncated", line: 1 }]);
  });

  it("accepts the good items of a file and says why the others are refused", async () => {
    const { call } = await startApp();
    const mixed = calendar(
      ...[
        "BEGIN:VEVENT",
        "UID:good@example.com",
        "SUMMARY:Good",
        "DTSTART;VALUE=DATE:20261201",
        "END:VEVENT",
      ],
      ...[
        "BEGIN:VEVENT",
        "UID:bad@example.com",
        "SUMMARY:Bad",
        "DTSTART;VALUE=DATE:20261202",
        "RRULE:FREQ=DAILY",
        "END:VEVENT",
      ],
    );
    const { status, text } = await call("POST /api/edits?project=2001", { headers, body: mixed });
    expect(status).toBe(202);
    const { items, summary } = JSON.parse(text);
    expect(items.map(({ uid, action }: { uid: string; action: string }) => [uid, action])).toEqual([
      ["good@example.com", "create"],
      ["bad@example.com", "refused"],
    ]);
    expect(items[1].problems).toMatchObject([{ line: 13, code: "recurrence" }]);
    expect(summary).toMatchObject({ create: 1, refused: 1 });
  });

  it.each([
    ["a page", "<html><body>Sign in</body></html>"],
    ["nothing", ""],
    ["a cut file", fresh.slice(0, 80)],
    ["a calendar without items", calendar()],
    [
      "only refused items",
      calendar(
        "BEGIN:VEVENT",
        "UID:r@example.com",
        "SUMMARY:R",
        "DTSTART;VALUE=DATE:20261201",
        "RRULE:FREQ=DAILY",
        "END:VEVENT",
      ),
    ],
  ])("answers 422 with line and reason to %s", async (_what, body) => {
    const { call, store } = await startApp();
    const before = store.changes.latest();
    const {
      status,
      headers: answered,
      text,
    } = await call("POST /api/edits?project=2001", { headers, body });
    expect(status).toBe(422);
    expect(answered["content-type"]).toContain("application/problem+json");
    const problem = JSON.parse(text);
    expect(problem.errors.length).toBeGreaterThan(0);
    expect(Object.keys(problem.errors[0]).toSorted()).toEqual(["code", "line", "message", "uid"]);
    expect(problem.detail).toContain(problem.errors[0].message);
    expect(store.changes.latest()).toBe(before);
  });

  it("answers 413 to more than 5 MB", async () => {
    const { call } = await startApp();
    for (const size of [5_000_001, 7_000_000]) {
      const { status, text } = await call("POST /api/edits?project=2001", {
        headers,
        body: Buffer.alloc(size, "A"),
      });
      expect(status).toBe(413);
      expect(JSON.parse(text).errors).toMatchObject([{ code: "too-large" }]);
    }
  });

  it.each([
    ["", "project"],
    ["?project=x", "project"],
    ["?project=2001&list=0", "list"],
    ["?project=2001&person=me", "person"],
    ["?project=2001&dryRun=yes", "dryRun"],
  ])("answers 400 to the query %s and names it", async (query, named) => {
    const { call } = await startApp();
    const { status, text } = await call(`POST /api/edits${query}`, { headers, body: fresh });
    expect(status).toBe(400);
    expect(JSON.parse(text).detail).toMatch(new RegExp(`^${named}: `));
  });

  it("lists by state, and lets a person discard what has not been sent", async () => {
    const { call, path } = await startApp();
    await call("POST /api/edits?project=2001", { headers, body: fresh });
    const list = async (query: string) =>
      JSON.parse((await call(`GET /api/edits${query}`, { headers: bearer })).text).edits;
    expect(await list("?state=pending")).toHaveLength(1);
    expect(await list("?state=confirmed")).toHaveLength(0);
    expect((await call("GET /api/edits?state=lost", { headers: bearer })).status).toBe(400);
    expect((await call("POST /api/edits/1/approve", { headers: bearer })).status).toBe(409);
    const discarded = await call("POST /api/edits/1/discard", { headers: bearer });
    expect(JSON.parse(discarded.text)).toMatchObject({ id: 1, state: "discarded" });
    expect((await call(`GET ${path}`)).text).not.toContain("UID:new@example.com");
    expect((await call("POST /api/edits/77/discard", { headers: bearer })).status).toBe(404);
  });

  it("undoes a confirmed edit by a new one, and says why another cannot be undone", async () => {
    const { call, store } = await startApp();
    const uid = store.view.ofProject(projectId(2001))[0]?.uid ?? "";
    const body = calendar("BEGIN:VEVENT", `UID:${uid}`, "SUMMARY:Renamed", "END:VEVENT");
    await call("POST /api/edits?project=2001", { headers, body });
    const undo = (query = "") => call(`POST /api/edits/1/undo${query}`, { headers: bearer });
    const early = await undo();
    expect(early.status).toBe(409);
    expect(early.headers["content-type"]).toContain("application/problem+json");
    expect(JSON.parse(early.text).detail).toContain("discard it");

    const edit = store.journal.claimNext() ?? expect.fail("nothing to claim");
    store.journal.replacing(edit.id, edit.base);
    store.journal.confirm(edit, anEvent(1, { title: "Renamed" }));
    const undone = await undo("?person=11");
    expect(undone.status).toBe(200);
    expect(JSON.parse(undone.text)).toMatchObject({
      id: 2,
      undoes: 1,
      state: "pending",
      channel: "upload",
      actor: 11,
      changes: [{ field: "title", from: "Renamed", to: "Review <b>" }],
    });
    expect((await undo()).status).toBe(409);
    expect((await undo("?person=me")).status).toBe(400);
    expect((await call("POST /api/edits/77/undo", { headers: bearer })).status).toBe(404);
  });

  it("undoes an edit changed since only as the body says, and refuses an unclear body", async () => {
    const { call, store } = await startApp();
    const uid = store.view.ofProject(projectId(2001))[0]?.uid ?? "";
    const body = calendar(
      ...["BEGIN:VEVENT", `UID:${uid}`, "SUMMARY:Renamed", "DESCRIPTION:By me", "END:VEVENT"],
    );
    await call("POST /api/edits?project=2001", { headers, body });
    const edit = store.journal.claimNext() ?? expect.fail("nothing to claim");
    store.journal.replacing(edit.id, edit.base);
    store.journal.confirm(edit, anEvent(1, { title: "Renamed", description: "By me" }));
    store.mirror.put(anEvent(1, { title: "Theirs", description: "By me" }), "events:2001");
    const undo = (json: unknown) =>
      call("POST /api/edits/1/undo", {
        headers: { ...bearer, "content-type": "application/json" },
        body: JSON.stringify(json),
      });
    for (const [json, detail] of [
      [{ fields: [] }, "fields: must be an object"],
      [{ fields: { colour: "back" } }, "fields.colour: there is no such field"],
      [{ fields: { title: "mine" } }, 'fields.title: it must be "back" or "leave"'],
    ] as const) {
      const refused = await undo(json);
      expect(refused.status).toBe(400);
      expect(JSON.parse(refused.text).detail).toContain(detail);
    }
    const unseen = await undo({ fields: { title: "leave" } });
    expect(unseen.status).toBe(400);
    expect(JSON.parse(unseen.text).detail).toContain("needs the version of a preview");
    const preview = JSON.parse((await call("GET /api/edits/1/undo", { headers: bearer })).text);
    expect(preview.changedSince).toMatchObject([{ field: "title", was: "Renamed", now: "Theirs" }]);
    const undone = await undo({ version: preview.version, fields: { title: "leave" } });
    expect(undone.status).toBe(200);
    expect(JSON.parse(undone.text)).toMatchObject({
      undoes: 1,
      changes: [{ field: "description", from: "By me", to: null }],
    });
  });

  it("shows both values of a conflict and the frozen state", async () => {
    const { call, store } = await startApp();
    const uid = `event-1@${store.meta.installation}`;
    const item = store.mirror.findUid(uid)?.item;
    if (item === undefined) return expect.fail("the event is not known");
    const wish = { channel: "upload", actor: null, item, action: "update", newLabels: [] } as const;
    const [seen, patch] = [anEvent(1, { title: "A" }), { title: "C" }];
    store.journal.append({ ...wish, base: seen, patch, state: "pending" });
    await call("POST /api/edits?project=2001", {
      headers,
      body: fresh.replace("UID:new@", "UID:other@"),
    });
    const [first, second] = [store.journal.claimNext(), store.journal.claimNext()];
    if (!first || !second) return expect.fail("nothing to claim");
    const conflict = { field: "title", base: "A", ours: "B", theirs: "C", taken: null } as const;
    const clash = { before: anEvent(1, { title: "B" }), conflicts: [conflict] };
    store.journal.settle(first, { kind: "park", reason: "conflict", problem: "both", clash });
    const frozen = { reason: "failed", problem: "frozen: 5 writes", frozen: true } as const;
    store.journal.settle(second, { kind: "park", ...frozen });
    const shown = JSON.parse((await call("GET /api/edits/1", { headers: bearer })).text);
    expect(shown).toMatchObject({
      reason: "conflict",
      problem: expect.stringContaining("Title was changed by someone else too"),
      conflicts: [conflict],
    });
    const refused = await call("POST /api/edits/1/retry", { headers: bearer });
    expect(refused.status).toBe(409);
    expect(refused.headers["content-type"]).toContain("application/problem+json");
    const { detail, version, words } = JSON.parse(refused.text);
    expect(detail).toContain(`POST /api/edits/1/resolve with {"version": "${version}"`);
    expect(words).toEqual([{ name: "Title", before: "A", workspace: "B", edit: "C" }]);
    expect((await call("POST /api/edits/1/retry?version=stale", { headers: bearer })).status).toBe(
      409,
    );
    expect((await call("POST /api/edits/1/retry?force=true", { headers: bearer })).status).toBe(
      400,
    );
    expect(store.journal.get(first.id)?.state).toBe("parked");
    const sent = await call(`POST /api/edits/1/retry?version=${version}`, { headers: bearer });
    expect([sent.status, JSON.parse(sent.text).state]).toEqual([200, "pending"]);
    const status = JSON.parse((await call("GET /api/status", { headers: bearer })).text);
    expect(status.frozen).toMatchObject([{ edit: 2, problem: "frozen: 5 writes" }]);
  });
});
