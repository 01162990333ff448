import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { preconditionsOf, readMultistatus } from "../../packages/caldav-server/test/multistatus.ts";
import { berlinZone, ics, type Program, pathOf, prop, replay } from "./replay.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// Thunderbird: asks for changes with Depth 1, writes its own marks into every item, reads an item again after each PUT,
// and decides by the privileges whether it may write at all.

const prodId = "-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN";
const header = `<?xml version="1.0" encoding="UTF-8"?>\n`;
const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.0";
const usual = {
  accept: "text/xml",
  "accept-language": "en-US,en;q=0.5",
  "accept-charset": "utf-8,*;q=0.1",
};

describe("Thunderbird", () => {
  let setting: ClientSetting;
  let thunderbird: Program;
  let events: string;
  let tasks: string;
  let reader: { readonly login: string; readonly password: string; readonly id: number };

  beforeAll(async () => {
    setting = await clientSetting({
      changes: ([, second]) => ({ people: [{ id: second?.personId, calendars: "read" }] }),
    });
    setting.addEvent({ title: "Kick-off", start: day(3), all_day: true });
    const task = setting.addTask({ title: "Write the brief", due_date: day(5) });
    setting.addSubtask(task.id, { title: "Ask Ben" });
    await setting.refresh();
    thunderbird = replay(setting, { agent, headers: usual });
    events = `${pathOf(setting.home)}${setting.slugs.events}/`;
    tasks = `${pathOf(setting.home)}${setting.slugs.tasks}/`;
    const id = setting.sandbox.keys[1]?.personId ?? 0;
    reader = { ...(await setting.setPassword(id)), id };
  });
  afterAll(() => setting?.close());

  const xml = (depth: "0" | "1", body: string) => ({
    headers: { depth, "content-type": "text/xml; charset=utf-8" },
    body: header + body,
  });
  const question = (...props: readonly string[]) =>
    `<D:propfind xmlns:D="DAV:" xmlns:CS="http://calendarserver.org/ns/" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:A="http://apple.com/ns/ical/"><D:prop>${props.join("")}</D:prop></D:propfind>`;
  const changes = (token: string) =>
    xml(
      "1",
      `<sync-collection xmlns="DAV:">${token === "" ? "<sync-token/>" : `<sync-token>${token}</sync-token>`}<sync-level>1</sync-level><prop><getcontenttype/><getetag/></prop></sync-collection>`,
    );
  const multiget = async (path: string, ...hrefs: readonly string[]) => {
    const list = hrefs.map((href) => `<D:href>${href}</D:href>`).join("");
    const body = `<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop>${list}</C:calendar-multiget>`;
    return (await thunderbird.read(`REPORT ${path}`, xml("1", body))).responses;
  };
  const put = async (path: string, body: string, condition: Readonly<Record<string, string>>) => {
    const headers = { "content-type": "text/calendar; charset=utf-8", ...condition };
    const answer = await thunderbird.send(`PUT ${path}`, { headers, body });
    await setting.arrived();
    return answer;
  };

  it("finds the calendars from the server's name, after the challenge", async () => {
    const asked = xml(
      "0",
      question(
        "<D:resourcetype/><D:owner/><D:displayname/><D:current-user-principal/><D:current-user-privilege-set/><A:calendar-color/><C:calendar-home-set/>",
      ),
    );
    const moved = await thunderbird.bare("PROPFIND /.well-known/caldav", asked);
    expect(moved.status).toBe(301);
    const root = pathOf(moved.headers.location ?? "");
    expect((await thunderbird.bare(`PROPFIND ${root}`, asked)).headers["www-authenticate"]).toMatch(
      /^Basic realm="Dayferry"/,
    );
    const [found] = (await thunderbird.read(`PROPFIND ${root}`, asked)).responses;
    const principal = prop(found?.props ?? {}, "current-user-principal");
    const [own] = (await thunderbird.read(`PROPFIND ${principal}`, asked)).responses;
    const home = prop(own?.props ?? {}, "calendar-home-set");
    const { responses } = await thunderbird.read(
      `PROPFIND ${home}`,
      xml(
        "1",
        question(
          "<D:resourcetype/><D:displayname/><D:current-user-privilege-set/><A:calendar-color/><C:supported-calendar-component-set/>",
        ),
      ),
    );
    expect(responses.map(({ href }) => href)).toEqual(expect.arrayContaining([events, tasks]));
  });

  it("sees that it may write, and that another person may not", async () => {
    const asked = xml(
      "0",
      question(
        "<D:resourcetype/><D:owner/><D:current-user-principal/><D:current-user-privilege-set/><D:supported-report-set/><C:supported-calendar-component-set/><CS:getctag/>",
      ),
    );
    const own = await thunderbird.send(`PROPFIND ${events}`, asked);
    expect(own.text).toMatch(/:write\/>/);
    expect(own.text).toMatch(/:sync-collection\/>/);
    const other = replay(setting, { agent, headers: usual, ...reader });
    const path = `/dav/calendars/${reader.id}/${setting.slugs.events}/`;
    const seen = await other.send(`PROPFIND ${path}`, asked);
    expect(seen.status).toBe(207);
    expect(seen.text).toMatch(/:read\/>/);
    expect(seen.text).not.toMatch(/:(?:write|write-content|bind|unbind|all)\/>/);
    const refused = await other.send(`PUT ${path}a.ics`, {
      headers: { "content-type": "text/calendar; charset=utf-8", "if-none-match": "*" },
      body: event("a", "SUMMARY:Not allowed"),
    });
    expect(refused.status).toBe(403);
    expect(preconditionsOf(refused.text)).toEqual(["need-privileges"]);
    expect((await other.send(`OPTIONS ${path}`)).headers["allow"]).not.toContain("PUT");
    expect((await other.send(`PROPFIND ${events}`, asked)).status).toBe(403);
  });

  let token = "";

  it("loads everything with an empty token and Depth 1", async () => {
    for (const encoding of ["gzip, deflate, br", "identity"]) {
      const { headers, ...rest } = changes("");
      const answer = await thunderbird.send(`REPORT ${events}`, {
        headers: { ...headers, "accept-encoding": encoding },
        ...rest,
      });
      expect(answer.status).toBe(207);
    }
    const first = await thunderbird.read(`REPORT ${events}`, changes(""));
    expect(first.responses).toHaveLength(1);
    const [only1] = first.responses;
    expect(prop(only1?.props ?? {}, "getcontenttype")).toMatch(/^text\/calendar/);
    const [loaded] = await multiget(events, only1?.href ?? "");
    expect(prop(loaded?.props ?? {}, "calendar-data")).toContain("SUMMARY:Kick-off");
    token = first.token ?? "";
    expect((await thunderbird.read(`REPORT ${events}`, changes(token))).responses).toEqual([]);
  });

  const uid = "2b1c8f0e-7a5d-4b43-b7d8-0f0e4f6f8c11";
  const event = (id: string, ...lines: readonly string[]) =>
    ics(
      prodId,
      ...berlinZone,
      "BEGIN:VEVENT",
      "CREATED:20261101T080000Z",
      "LAST-MODIFIED:20261101T080100Z",
      "DTSTAMP:20261101T080100Z",
      `UID:${id}`,
      ...lines,
      `DTSTART;TZID=Europe/Berlin:${icsDay(6)}T140000`,
      `DTEND;TZID=Europe/Berlin:${icsDay(6)}T150000`,
      "TRANSP:OPAQUE",
      "END:VEVENT",
    );
  const alarm = [
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    "TRIGGER:-PT15M",
    "DESCRIPTION:Default Mozilla Description",
    "END:VALARM",
  ];
  let etag = "";

  it("creates an event, reads it again, and dismisses its alarm without a loop", async () => {
    const path = `${events}${uid}.ics`;
    const made = await put(path, event(uid, "SUMMARY:Design review", ...alarm), {
      "if-none-match": "*",
    });
    expect(made.status).toBe(201);
    const [loaded] = await multiget(events, path);
    etag = prop(loaded?.props ?? {}, "getetag");
    expect(etag).toBe(made.headers["etag"]);
    expect(only(setting.events(), "Design review").reminder).toBe(15);
    const writes = setting.writes().length;
    const dismissed = event(
      uid,
      "SUMMARY:Design review",
      "X-MOZ-LASTACK:20261101T090000Z",
      "X-MOZ-GENERATION:1",
      ...alarm,
    );
    const saved = await put(path, dismissed, { "if-match": etag });
    expect(saved.status).toBe(204);
    etag = saved.headers["etag"] ?? "";
    expect((await thunderbird.send(`GET ${path}`)).text).toBe(dismissed);
    expect(setting.writes()).toHaveLength(writes);
    const later = await thunderbird.read(`REPORT ${events}`, changes(token));
    expect(later.responses.map(({ href }) => href)).toEqual([path]);
    token = later.token ?? "";
  });

  it("removes the alarm by leaving it out, since it had sent it", async () => {
    const body = event(uid, "SUMMARY:Design review", "X-MOZ-GENERATION:2");
    const saved = await put(`${events}${uid}.ics`, body, { "if-match": etag });
    etag = saved.headers["etag"] ?? "";
    expect(only(setting.events(), "Design review").reminder).toBeNull();
  });

  it("learns where a UID exists that it considers new", async () => {
    const refused = await put(`${events}other.ics`, event(uid, "SUMMARY:Second"), {
      "if-none-match": "*",
    });
    expect(refused.status).toBe(409);
    expect(preconditionsOf(refused.text)).toEqual(["no-uid-conflict"]);
    expect(refused.text).toContain(`${events}${uid}.ics`);
    expect(setting.events()).toHaveLength(2);
  });

  it("asks whether to overwrite after 412, and finds out by HEAD what is gone", async () => {
    const path = `${events}${uid}.ics`;
    setting.changeEvent(only(setting.events(), "Design review").id, { title: "Review, changed" });
    await setting.refresh();
    expect((await put(path, event(uid, "SUMMARY:Mine"), { "if-match": etag })).status).toBe(412);
    expect(
      (await thunderbird.send(`DELETE ${path}`, { headers: { "if-match": etag } })).status,
    ).toBe(412);
    expect((await thunderbird.send(`HEAD ${path}`)).status).toBe(200);
    expect((await put(path, event(uid, "SUMMARY:Mine"), {})).status).toBe(204);
    expect(only(setting.events(), "Mine").start).toBe(`${day(6)} 14:00`);
    expect((await thunderbird.send(`DELETE ${path}`)).status).toBe(204);
    await setting.arrived();
    expect((await thunderbird.send(`HEAD ${path}`)).status).toBe(404);
    const { responses } = await thunderbird.read(`REPORT ${events}`, changes(token));
    expect(responses).toMatchObject([{ href: path, status: 404 }]);
  });

  it("starts again if its token is no longer known", async () => {
    const answer = await thunderbird.send(`REPORT ${events}`, changes(`${token}x`));
    expect(answer.status).toBe(403);
    expect(preconditionsOf(answer.text)).toEqual(["valid-sync-token"]);
    const again = await thunderbird.send(`REPORT ${events}`, changes(""));
    expect(readMultistatus(again.text).responses).toHaveLength(1);
  });

  it("completes a subtask, which stays below its task; a task keeps its time of day", async () => {
    const parent = only(setting.tasks(), "Write the brief");
    const child = only(setting.subtasks(parent.id), "Ask Ben");
    const name = `${encodeURIComponent(setting.uidOf("subtask", child.id))}.ics`;
    const present = await thunderbird.send(`GET ${tasks}${name}`);
    expect(present.text).toContain(`PARENT:${setting.uidOf("task", parent.id)}`);
    const done = present.text
      .replace(/^(?:STATUS|PERCENT-COMPLETE):.*\r\n/gm, "")
      .replace(
        "END:VTODO",
        "STATUS:COMPLETED\r\nCOMPLETED:20261101T100000Z\r\nPERCENT-COMPLETE:100\r\nEND:VTODO",
      );
    const condition = { "if-match": present.headers["etag"] ?? "" };
    expect((await put(`${tasks}${name}`, done, condition)).status).toBe(204);
    expect(only(setting.subtasks(parent.id), "Ask Ben").completed).toBe(true);
    const timed = ics(
      prodId,
      "BEGIN:VTODO",
      "UID:timed",
      "DTSTAMP:20261101T080100Z",
      "SUMMARY:Timed",
      `DUE:${icsDay(4)}T163000Z`,
      "END:VTODO",
    );
    const made = await put(`${tasks}timed.ics`, timed, { "if-none-match": "*" });
    expect(made.status).toBe(201);
    const got = await thunderbird.send(`GET ${tasks}timed.ics`);
    expect([got.text, got.headers["etag"]]).toEqual([timed, made.headers["etag"]]);
    expect(only(setting.tasks(), "Timed").due_date).toBe(day(4));
  });

  it("cannot replace a calendar by a file, and nothing is lost", async () => {
    const whole = event("w", "SUMMARY:Whole file");
    const refused = await put(events, whole, {});
    expect(refused.status).toBe(405);
    expect(refused.headers["allow"]).toContain("PROPFIND");
    expect(setting.events().map(({ title }) => title)).toEqual(["Kick-off"]);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});
