import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { ana, basic, ben, startDav } from "../support/dav-server.ts";

const root = "PROPFIND /dav/";
const depth = { depth: "0" };

describe("signing in", () => {
  it("is requested by a challenge, whatever the method", async () => {
    const { bare } = await startDav();
    const methods = [
      "GET",
      "HEAD",
      "PROPFIND",
      "PROPPATCH",
      "REPORT",
      "PUT",
      "DELETE",
      "MKCALENDAR",
      "LOCK",
    ];
    for (const method of methods) {
      const { status, headers } = await bare(`${method} /dav/calendars/11/`);
      expect(status, method).toBe(401);
      expect(headers["www-authenticate"]).toBe('Basic realm="Dayferry", charset="UTF-8"');
    }
  });

  it.each([
    ["Ana@Example.com", 207],
    ["11", 207],
    ["ben@example.com", 401],
    ["12", 401],
    ["nobody@example.com", 401],
    ["", 401],
  ])("%s with Ana's password: %i", async (login, status) => {
    const { bare, secrets } = await startDav();
    const headers = { authorization: basic(login, secrets.ana), ...depth };
    expect((await bare(root, { headers })).status).toBe(status);
  });

  it.each(["Bearer abc", "Basic", "Basic !!", `Basic ${Buffer.from("ana").toString("base64")}`])(
    "does not accept %s",
    async (authorization) => {
      const { bare } = await startDav();
      expect((await bare(root, { headers: { authorization, ...depth } })).status).toBe(401);
    },
  );

  it("ends at once if the password is cleared or replaced, or the person is suspended or gone", async () => {
    const { call, passwords, store, as } = await startDav();
    const ask = (headers = {}) => call(root, { headers: { ...depth, ...headers } });
    expect((await ask()).status).toBe(207);
    expect((await ask()).status).toBe(207);
    passwords.clear(personId(11));
    expect((await ask()).status).toBe(401);

    const again = as("11", passwords.issue(personId(11)));
    expect((await ask(again)).status).toBe(207);
    passwords.issue(personId(11));
    expect((await ask(again)).status).toBe(401);

    const third = as("11", passwords.issue(personId(11)));
    expect((await ask(third)).status).toBe(207);
    store.directory.putPeople([{ ...ana, suspended: true }, ben], true);
    expect((await ask(third)).status).toBe(401);
    store.directory.putPeople([ana, ben], true);
    expect((await ask(third)).status).toBe(207);
    store.directory.putPeople([ben], true);
    expect((await ask(third)).status).toBe(401);
  });

  it("turns away an attacker who guesses, and nobody else", async () => {
    const { bare, call, as, secrets, clock, throttle, waits } = await startDav();
    const guess = () => bare(root, { headers: { ...as("ana@example.com", "wrong"), ...depth } });
    await call(root, { headers: depth });
    // From the sixth on each answer is delayed; the clock stands still, so that all of them are recent.
    const statuses: number[] = [];
    for (let tried = 0; tried < 5; tried++) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect(waits).toEqual([]);
    expect((await guess()).status).toBe(401);
    expect(waits).toEqual([500]);

    // Known credentials pass at once, also from the same address, and so does another person.
    expect((await call(root, { headers: depth })).status).toBe(207);
    const bens = { ...as("ben@example.com", secrets.ben), ...depth };
    expect((await bare(root, { headers: bens })).status).toBe(207);
    expect(waits).toEqual([500]);
    clock.advance({ minutes: 11 });
    expect((await guess()).status).toBe(401);
    expect(throttle.wrong("127.0.0.1", "ana@example.com").kind).toBe("go");
  });

  it("answers 429 with Retry-After after too many guesses, but accepts the right password", async () => {
    const { bare, as, secrets, lines, throttle } = await startDav();
    const guess = (login: string, password = "wrong") =>
      bare(root, { headers: { ...as(login, password), ...depth } });
    for (let nth = 0; nth < 15; nth++) throttle.wrong("127.0.0.1", "ana@example.com");
    const refused = await guess("ana@example.com");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    // A program never seen here, behind the same address.
    expect((await guess("ana@example.com", secrets.ana)).status).toBe(207);
    expect((await guess("ben@example.com", secrets.ben)).status).toBe(207);
    expect((await guess("ben@example.com")).status).toBe(401);
    expect(lines.join()).not.toContain(secrets.ana);
    expect(lines.join()).not.toContain("wrong");
  });
});

describe("resources of others", () => {
  it.each(["/dav/principals/12/", "/dav/calendars/12/", "/dav/calendars/12/events-2001/"])(
    "%s is refused, whether it exists or not",
    async (path) => {
      const { call } = await startDav();
      const [theirs, nobodys] = [path, path.replace("12", "99")];
      for (const each of [theirs, nobodys]) {
        const { status, text } = await call(`PROPFIND ${each}`, { headers: depth });
        expect(status).toBe(403);
        expect(text).toContain("<d:need-privileges>");
      }
    },
  );

  it("never appear in a listing", async () => {
    const { call } = await startDav();
    for (const path of ["/dav/", "/dav/principals/", "/dav/calendars/"]) {
      const { text } = await call(`PROPFIND ${path}`, { headers: { depth: "1" } });
      expect(text).not.toContain("/12/");
    }
  });
});
