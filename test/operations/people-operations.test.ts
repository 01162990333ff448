import { describe, expect, it } from "vitest";
import { editId, listId, projectId } from "../../src/domain/ids.ts";
import { ana, basic, bearer, ben, startApp } from "../http/people-rig.ts";
import { callHttp } from "../support/http-call.ts";
import { anEvent, aTask, aTodolist } from "../support/items.ts";

function calendar(uid: string, line = "", title = "Standup"): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//test//EN",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTART;VALUE=DATE:20261201",
    `SUMMARY:${title}`,
    ...(line === "" ? [] : [line]),
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

describe("/api/people", () => {
  it("lists people with their rights and credentials, and no secret", async () => {
    const { call } = await startApp();
    const { status, text } = await call("GET /api/people", bearer);
    expect(status).toBe(200);
    expect(JSON.parse(text).people).toEqual([
      expect.objectContaining({ id: 11, calendars: "write", hasPassword: false, hasOwnKey: true }),
      expect.objectContaining({ id: 12, calendars: "read", hasOwnKey: false }),
      expect.objectContaining({ id: 13, suspended: true }),
    ]);
    expect(text).not.toContain("hush");
  });

  it.each(["GET /api/people", "POST /api/people/11/password", "DELETE /api/people/11/password"])(
    "answers 401 to %s without the admin token, and 403 with a person's password",
    async (request) => {
      const { call, passwords } = await startApp();
      const authorization = basic("ana@example.com", passwords.issue(ana));
      expect((await call(request)).status).toBe(401);
      expect((await call(request, { headers: { authorization } })).status).toBe(403);
      expect(passwords.has(ana)).toBe(true);
    },
  );

  it("gives a new password once, with what to enter, and revokes it", async () => {
    const { call, passwords, lines } = await startApp();
    const { status, text, headers } = await call("POST /api/people/11/password", bearer);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    const given = JSON.parse(text);
    expect(given).toMatchObject({
      id: 11,
      login: "ana@example.com",
      url: "https://calendar.example.com/base/dav/",
    });
    expect(passwords.check(given.login, given.password)?.id).toBe(11);
    expect((await call("GET /api/people", bearer)).text).not.toContain(given.password);
    expect(lines.join("")).not.toContain(given.password);

    expect((await call("DELETE /api/people/11/password", bearer)).status).toBe(204);
    expect((await call("DELETE /api/people/11/password", bearer)).status).toBe(404);
    expect(passwords.check(given.login, given.password)).toBeNull();
  });

  it.each([
    ["99", 404],
    ["0", 404],
    ["x", 404],
    ["13", 409],
  ])("answers a new password for person %s with %i", async (id, expected) => {
    const { call } = await startApp();
    const { status, headers } = await call(`POST /api/people/${id}/password`, bearer);
    expect(status).toBe(expected);
    expect(headers.get("content-type")).toContain("application/problem+json");
  });
});

describe("/api/edits as a person", () => {
  async function asAna() {
    const started = await startApp();
    const password = started.passwords.issue(ana);
    const authorization = basic("Ana@Example.com", password);
    const { store } = started;
    /** Two lists of the own project, one of them Ben's; a task in it, and an event made by Ben's program. */
    function hidden(): void {
      store.directory.putTodolists(
        null,
        [aTodolist(3001), aTodolist(3002, { private: true })],
        true,
      );
      store.mirror.put(
        aTask(5, { title: "Secret task", listId: listId(3002), creatorId: ben }),
        "tasks:3002",
      );
      const theirs = { ...anEvent(9, { title: "Secret", projectId: projectId(2002) }), id: null };
      store.journal.append({
        channel: "caldav",
        actor: ben,
        item: store.mirror.createIdentity("event", "theirs@calendar"),
        action: "create",
        base: theirs,
        patch: {},
        newLabels: [],
        state: "pending",
      });
    }
    return {
      ...started,
      hidden,
      password,
      ana: { headers: { authorization } },
      post: (query: string, body: string, headers = { authorization }) =>
        started.call(`POST /api/edits?${query}`, { headers, body }),
    };
  }

  it("accepts edits in the person's own name", async () => {
    const { post, store, call, ana: own } = await asAna();
    const { status, text } = await post("project=2001", calendar("new@calendar"));
    expect(status).toBe(202);
    const [item] = JSON.parse(text).items;
    expect(store.journal.get(item.editId)?.actor).toBe(11);
    expect((await post("project=2001&person=11", calendar("b@calendar"))).status).toBe(202);
    const shown = await call(`GET /api/edits/${item.editId}`, own);
    expect(JSON.parse(shown.text)).toMatchObject({ id: item.editId, actor: 11 });
  });

  it.each([
    ["for someone else", "project=2001&person=12", "new@calendar"],
    ["into a project of others", "project=2002", "new@calendar"],
    ["into an unknown project", "project=2099", "new@calendar"],
    ["into an unknown list", "project=2001&list=3999", "new@calendar"],
  ])("refuses edits %s with 403 and reveals nothing", async (_what, query, uid) => {
    const { post, store } = await asAna();
    const { status, text } = await post(query, calendar(uid));
    expect(status).toBe(403);
    expect(text).not.toContain("Secret");
    expect(store.journal.list({ limit: 10 })).toEqual([]);
  });

  it.each<[string, string, (installation: string) => readonly [hidden: string, unknown: string]]>([
    ["an item of others", "", (own) => [`event-2@${own}`, `event-9992@${own}`]],
    [
      "a date of a task of others",
      "",
      (own) => [`field-7-task-5@${own}`, `field-7-task-9995@${own}`],
    ],
    ["a deletion", "STATUS:CANCELLED", (own) => [`event-2@${own}`, `event-9992@${own}`]],
    ["what a program of others has made", "", () => ["theirs@calendar", "nobodys@calendar"]],
  ])("answers %s in a dry run as if it did not exist", async (_what, line, uids) => {
    const { post, store, hidden } = await asAna();
    hidden();
    const answers = [];
    for (const uid of uids(store.meta.installation)) {
      const { status, text } = await post(
        "project=2001&list=3001&dryRun=true",
        calendar(uid, line),
      );
      expect(text).not.toContain("Secret");
      answers.push([status, text.replaceAll(uid, "UID")]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it("treats a hidden parent as missing, and puts nothing below it", async () => {
    const { post, store, hidden } = await asAna();
    hidden();
    const answers: (readonly [number, number, string])[] = [];
    for (const [at, parent] of [
      `task-5@${store.meta.installation}`,
      `task-9995@${store.meta.installation}`,
    ].entries()) {
      const body = calendar(`todo-${at}@c`, `RELATED-TO:${parent}`)
        .replaceAll("VEVENT", "VTODO")
        .replaceAll("DTSTART", "DUE");
      for (const query of ["project=2001&list=3001&dryRun=true", "project=2001&list=3001"]) {
        const { status, text } = await post(query, body);
        answers.push([
          at,
          status,
          text.replaceAll(parent, "PARENT").replaceAll(/todo-\d@c|"editId":\d+/g, ""),
        ]);
      }
    }
    const of = (which: number) => answers.filter(([at]) => at === which).map(([, ...rest]) => rest);
    expect(of(0)).toEqual(of(1));
    expect(of(0).map(([status]) => status)).toEqual([200, 202]);
    const kinds = store.journal.list({ limit: 9 }).map(({ base }) => base.kind);
    expect(kinds.toSorted()).toEqual(["event", "task", "task"]);
  });

  it("stores nothing for a hidden item, and answers as for a deleted one", async () => {
    const { post, store, hidden } = await asAna();
    hidden();
    for (const uid of [`event-2@${store.meta.installation}`, "theirs@calendar"]) {
      const { status, text } = await post("project=2001", calendar(uid));
      expect(status).toBe(422);
      expect(JSON.parse(text).errors).toMatchObject([{ code: "gone" }]);
    }
    expect(store.journal.list({ limit: 10 }).map(({ actor }) => actor)).toEqual([ben]);
  });

  it("refuses edits of people who may only read with 403", async () => {
    const { post, passwords, store } = await asAna();
    const authorization = basic("12", passwords.issue(ben));
    const { status, text } = await post("project=2002", calendar("n@c"), { authorization });
    expect(status).toBe(403);
    expect(JSON.parse(text).detail).toContain("may read calendars but not change them");
    expect(store.journal.list({ limit: 10 })).toEqual([]);
  });

  it("shows people only their own edits, lets them decide about these, and leaves approval to the admin token", async () => {
    const { call, ana: own, store } = await asAna();
    const key = store.mirror.findUid(`event-1@${store.meta.installation}`)?.item;
    const base = key && store.view.get(key)?.item;
    if (!key || !base) throw new Error("the event is not known");
    const common = { channel: "upload", item: key, base, newLabels: [], state: "held" } as const;
    const patch = { title: "Of Ben" };
    const bens = store.journal.append({ ...common, action: "update", patch, actor: ben });
    const mine = store.journal.append({ ...common, action: "update", patch, actor: ana });
    expect((await call(`GET /api/edits/${editId(1)}`, own)).status).toBe(404);
    expect((await call(`GET /api/edits/${mine}`, own)).status).toBe(200);
    const listed = JSON.parse((await call("GET /api/edits?person=12", own)).text);
    expect(listed.edits.map(({ id }: { id: number }) => id)).toEqual([mine]);
    expect((await call(`POST /api/edits/${mine}/approve`, own)).status).toBe(403);
    expect((await call(`POST /api/edits/${mine}/undo`, own)).status).toBe(409);
    for (const act of ["discard", "retry", "undo"]) {
      expect((await call(`POST /api/edits/${bens}/${act}`, own)).status).toBe(404);
    }
    const decision = {
      headers: { ...own.headers, "content-type": "application/json" },
      body: JSON.stringify({ version: "x", keep: "mine" }),
    };
    expect((await call(`POST /api/edits/${bens}/resolve`, decision)).status).toBe(404);
    expect((await call(`GET /api/edits/${bens}/undo`, own)).status).toBe(404);
    expect(store.journal.get(mine)?.state).toBe("held");
    expect((await call(`POST /api/edits/${mine}/discard`, own)).status).toBe(200);
    expect(store.journal.get(bens)?.state).toBe("held");
    expect((await call("GET /api/status", own)).status).toBe(403);
  });

  it("answers wrong credentials with 401 and the challenge, and after many with 429", async () => {
    const { post, throttle, password, lines } = await asAna();
    const wrong = { authorization: basic("ana@example.com", "wrong-wrong") };
    const first = await post("project=2001", calendar("n@c"), wrong);
    expect(first.status).toBe(401);
    expect(first.headers.get("www-authenticate")).toBe('Basic realm="Dayferry", charset="UTF-8"');
    const garbled = { authorization: "Basic !" };
    expect((await post("project=2001", calendar("n@c"), garbled)).status).toBe(401);

    for (let nth = 0; nth < 15; nth++) throttle.wrong("127.0.0.1", "ana@example.com");
    const late = await post("project=2001", calendar("n@c"), wrong);
    expect(late.status).toBe(429);
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
    // The right password passes, whoever failed from the same address before.
    expect((await post("project=2001", calendar("n@c"))).status).toBe(202);
    expect(lines.join("")).not.toMatch(new RegExp(`wrong-wrong|${password}`));
  });

  it("slows whoever failed often, and lets the right password pass at once", async () => {
    const { post, throttle, waits } = await asAna();
    const wrong = { authorization: basic("ana@example.com", "wrong-wrong") };
    for (let nth = 0; nth < 5; nth++) throttle.wrong("127.0.0.1", "ana@example.com");
    expect((await post("project=2001", calendar("n@c"), wrong)).status).toBe(401);
    expect(waits).toEqual([500]);
    expect((await post("project=2001", calendar("n@c"))).status).toBe(202);
    expect(waits).toEqual([500]);
    expect(throttle.wrong("127.0.0.1", "ana@example.com").kind).toBe("go");
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ["a program", {}, 202],
    [
      "its own page",
      { "sec-fetch-site": "same-origin", origin: "https://calendar.example.com" },
      202,
    ],
    [
      "its own page, by a browser with fewer headers",
      { origin: "https://calendar.example.com" },
      202,
    ],
    [
      "a page of another site",
      { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
      403,
    ],
    [
      "a page of a neighbour",
      { "sec-fetch-site": "same-site", origin: "https://x.example.com" },
      403,
    ],
    [
      "a page of another site, by a browser that says less",
      { origin: "https://evil.example" },
      403,
    ],
    ["a page without an address", { origin: "null" }, 403],
  ])(
    "answers an upload of %s with a password added by the browser (%o) with %i",
    async (_who, from, status) => {
      const { port, ana: own, store } = await asAna();
      const headers = { ...own.headers, ...from };
      const answer = await callHttp(port, "POST /api/edits?project=2001", {
        headers,
        body: calendar("n@c"),
      });
      expect(answer.status).toBe(status);
      expect(store.journal.list({ limit: 9 })).toHaveLength(status === 202 ? 1 : 0);
    },
  );
});
