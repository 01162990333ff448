import { describe, expect, it } from "vitest";
import { createBrowserSessions } from "../../src/http/browser-sessions.ts";
import { aPerson } from "../support/items.ts";
import { ana, ben, startApp, token } from "./people-rig.ts";

const html = { accept: "text/html" };
const form = { ...html, "content-type": "application/x-www-form-urlencoded" };
const fields = (values: Readonly<Record<string, string>>) => new URLSearchParams(values).toString();

/** A browser: it keeps its cookie, and follows no redirect. */
async function browser(options: Parameters<typeof startApp>[0] = {}) {
  const rig = await startApp(options);
  let cookie = "";
  const ask = async (
    request: string,
    { values, headers = {} }: Asked = {},
  ): Promise<Awaited<ReturnType<typeof rig.call>> & { readonly to: string | null }> => {
    const answer = await rig.call(request, {
      headers: { ...(values ? form : html), ...(cookie === "" ? {} : { cookie }), ...headers },
      ...(values && { body: fields(values) }),
    });
    cookie = answer.headers.get("set-cookie")?.split(";", 1)[0] ?? cookie;
    return { ...answer, to: answer.headers.get("location") };
  };
  return {
    ...rig,
    ask,
    cookie: () => cookie,
    password: rig.passwords.issue(ana),
    /** Whether the cookie opens something that only people may see. */
    isIn: async (of = cookie) => {
      const { status } = await rig.call("POST /logout", { headers: { ...form, cookie: of } });
      // Without the form's token nobody is logged out.
      return status === 403;
    },
  };
}

interface Asked {
  readonly values?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const signedOut = { headers: { cookie: "" } };

describe("POST /login", () => {
  it("signs a person in by address, in any case, or by ID, with the app password", async () => {
    const { ask, password, isIn, cookie } = await browser();
    for (const login of ["ana@example.com", " Ana@Example.COM ", "11"]) {
      const answer = await ask("POST /login", { values: { login, password } });
      expect([answer.status, answer.to]).toEqual([303, "./"]);
      expect(answer.headers.get("set-cookie")).toMatch(
        /^dayferry-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/,
      );
      expect(cookie()).not.toContain(password);
      expect(await isIn()).toBe(true);
    }
  });

  const wrong: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ["a wrong password", { login: "ana@example.com", password: "no" }, "is wrong"],
    ["nobody's address", { login: "x@example.com", password: "no" }, "is wrong"],
    ["nothing", {}, "Enter your app password, or have a link mailed"],
    ["no password", { login: "ana@example.com", password: "" }, "or have a link mailed"],
    ["no token", { token: "" }, "not the admin token"],
    ["the token as a password", { login: "admin", password: token }, "is wrong"],
    ["a wrong token", { token: "no" }, "not the admin token"],
  ];
  it("refuses anything else, and keeps the input except the secret", async () => {
    const { ask, isIn } = await browser();
    for (const [what, values, said] of wrong) {
      const answer = await ask("POST /login", { values: { ...values, next: "people/11/x" } });
      expect([what, answer.status]).toEqual([what, 403]);
      expect(answer.text).toContain(said);
      if (values["login"]) expect(answer.text).toContain(`value="${values["login"]}"`);
      expect(answer.text).not.toContain(token);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(await isIn()).toBe(false);
  });

  it("slows down guessing of a person's password, and blocks it in the end", async () => {
    const { ask, throttle, password } = await browser();
    for (let count = 0; count < 15; count++) throttle.wrong("127.0.0.1", "ana@example.com");
    const values = { login: "ana@example.com", password: "no" };
    const answer = await ask("POST /login", { values });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ask("POST /login", { values: { ...values, password } })).status).toBe(303);
  });

  it("refuses forms of other sites, which could sign a person in as someone else", async () => {
    const { ask, password } = await browser();
    const values = { login: "ana@example.com", password };
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ]) {
      expect((await ask("POST /login", { values, headers })).status).toBe(403);
    }
    const headers = { origin: "https://calendar.example.com" };
    expect((await ask("POST /login", { values, headers })).status).toBe(303);
  });
});

describe("after signing in, a person is led", () => {
  it("to the requested page", async () => {
    const { ask } = await browser();
    const led = await ask("GET /people/11/dayferry.mobileconfig?a=b");
    const next = "people/11/dayferry.mobileconfig?a=b";
    expect([led.status, led.to]).toEqual([303, `../../login?next=${encodeURIComponent(next)}`]);
    const page = await ask(`GET /login?next=${encodeURIComponent(next)}`);
    expect(page.text).toContain(`name="next" value="${next}"`);
    expect((await ask("POST /login", { values: { token, next } })).to).toBe(`./${next}`);
    expect((await ask(`GET /login?next=${encodeURIComponent(next)}`)).to).toBe(`./${next}`);
  });

  const elsewhere = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "\\\\evil.example",
    "people/11//dayferry.mobileconfig",
    "../people/11/dayferry.mobileconfig",
    "%2e%2e/%2e%2e/x",
    "javascript:alert(1)",
    "login",
    "logout",
    "feeds/x/y.ics",
    "api/status",
    "nowhere",
    "people/11/dayferry.mobileconfig\r\nSet-Cookie: a=b",
    "x".repeat(600),
  ];
  it("never to another site, or to what is no page", async () => {
    const { ask } = await browser();
    for (const next of elsewhere) {
      const page = await ask(`GET /login?next=${encodeURIComponent(next)}`, signedOut);
      expect([next, page.text.includes('name="next" value=""')]).toEqual([next, true]);
      expect((await ask("POST /login", { values: { token, next } })).to).toBe("./");
    }
  });
});

describe("a session", () => {
  const loginOf = (password: string) => ({ values: { login: "ana@example.com", password } });

  it("ends when signing out, wherever its cookie was copied", async () => {
    const { ask, isIn, cookie } = await browser();
    await ask("POST /login", { values: { token } });
    const copied = cookie();
    const page = await ask("GET /");
    const [, given = ""] = /name="form" value="([^"]+)"/.exec(page.text) ?? [];
    const out = await ask("POST /logout", { values: { form: given } });
    expect([out.status, out.to]).toEqual([303, "./login"]);
    expect(cookie()).toBe("dayferry-session=");
    expect(await isIn(copied)).toBe(false);
  });

  it("is new after each sign-in, whatever cookie was sent", async () => {
    const { ask, isIn, cookie, password } = await browser();
    const planted = `dayferry-session=${"A".repeat(43)}`;
    await ask("POST /login", { ...loginOf(password), headers: { cookie: planted } });
    expect(cookie()).not.toBe(planted);
    const first = cookie();
    await ask("POST /login", { values: { token } });
    expect(await isIn(first)).toBe(false);
    expect(await isIn()).toBe(true);
  });

  it.each<[string, (rig: Awaited<ReturnType<typeof browser>>) => void]>([
    ["the app password is another one", ({ passwords }) => void passwords.issue(ana)],
    ["the app password is cleared", ({ passwords }) => void passwords.clear(ana)],
    ["the person leaves", ({ store }) => store.directory.putPeople([aPerson(12, "Ben")], true)],
    [
      "the person is suspended",
      ({ store }) => store.directory.putPeople([{ ...aPerson(11, "Ana"), suspended: true }], false),
    ],
    ["has expired", ({ clock }) => clock.advance({ hours: 24 * 14 })],
  ])("ends when %s, for good", async (_what, act) => {
    const rig = await browser();
    await rig.ask("POST /login", loginOf(rig.password));
    expect(await rig.isIn()).toBe(true);
    act(rig);
    expect(await rig.isIn()).toBe(false);
    const returned = { ...aPerson(11, "Ana"), email: "ana@example.com" };
    rig.store.directory.putPeople([returned], false);
    expect(await rig.isIn()).toBe(false);
  });

  it("stays when someone else's password changes", async () => {
    const { ask, isIn, password, passwords } = await browser();
    await ask("POST /login", loginOf(password));
    passwords.issue(ben);
    expect(await isIn()).toBe(true);
  });

  it("is stored as a digest: a copy of the database opens nothing", async () => {
    const { ask, store, cookie, password } = await browser();
    await ask("POST /login", { ...loginOf(password), headers: { "user-agent": "Firefox" } });
    const [logIn] = store.logIns.of(ana);
    expect(logIn).toMatchObject({ person: ana, way: "password", agent: "Firefox", proxied: null });
    const value = cookie().split("=")[1] ?? "";
    expect(store.logIns.find(value)).toBeNull();
  });
});

describe("a sign-in link by mail", () => {
  const known = { login: "ana@example.com" };
  const firstLink = 1;

  it("is requested without revealing whether the address is known", async () => {
    const { ask, store } = await browser();
    store.directory.putPeople([{ ...aPerson(14, "Dora"), email: null }], false);
    const texts: string[] = [];
    for (const login of ["ana@example.com", "nobody@example.com", "14", "13"]) {
      const { status, text } = await ask("POST /login/link", { values: { login } });
      expect(status).toBe(200);
      texts.push(text.replace(`<bdi>${login}</bdi>`, ""));
    }
    expect(new Set(texts).size).toBe(1);
    expect(store.logInLinks.open().map(({ person }) => person)).toEqual([ana]);
    expect((await ask("POST /login/link", { values: { login: " " } })).status).toBe(400);
    // Two people who share an address get a link each.
    store.directory.putPeople([{ ...aPerson(14, "Dora"), email: "Ana@example.com" }], false);
    await ask("POST /login/link", { values: { login: "ana@example.com" } });
    expect(store.logInLinks.open().map(({ person }) => person)).toEqual([ana, ana, 14]);
  });

  it("asks before it signs in, works once, and leads on", async () => {
    const { ask, linkOf, isIn, cookie, store } = await browser();
    const next = "people/11/dayferry.mobileconfig";
    await ask("POST /login/link", { values: { ...known, next } });
    const link = linkOf(firstLink);
    // A program that visits links, twice.
    for (let count = 0; count < 2; count++) {
      const page = await ask(`GET ${link}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain("Ana &lt;b&gt;");
      expect(page.headers.get("set-cookie")).toBeNull();
      expect(page.headers.get("x-robots-tag")).toContain("noindex");
    }
    const opened = await ask(`POST ${link}`, { values: {} });
    expect([opened.status, opened.to]).toEqual([303, `../${next}`]);
    expect(await isIn()).toBe(true);
    expect(store.logIns.of(ana)).toMatchObject([{ way: "link" }]);

    const mine = cookie();
    expect((await ask(`GET ${link}`)).status).toBe(410);
    expect((await ask(`POST ${link}`, { values: {} })).status).toBe(410);
    expect(cookie()).toBe(mine);
  });

  it.each<[string, (rig: Awaited<ReturnType<typeof browser>>) => void]>([
    ["15 minutes later", ({ clock }) => clock.advance({ minutes: 15 })],
    ["once the person has left", ({ store }) => store.directory.putPeople([], true)],
    ["once it was used", ({ store }) => void store.logInLinks.use(firstLink)],
  ])("opens nothing %s", async (_what, act) => {
    const rig = await browser();
    await rig.ask("POST /login/link", { values: known });
    act(rig);
    const link = rig.linkOf(firstLink);
    expect((await rig.ask(`GET ${link}`)).status).toBe(410);
    expect((await rig.ask(`POST ${link}`, { values: {} })).status).toBe(410);
    expect(await rig.isIn()).toBe(false);
  });

  it("opens nothing if it is forged", async () => {
    const { ask } = await browser();
    await ask("POST /login/link", { values: known });
    for (const signed of ["AQAAAAAAAAAB", "x", "A".repeat(32)]) {
      expect((await ask(`POST /login/${signed}`, { values: {} })).status).toBe(410);
    }
  });

  it("cannot be used by another site to sign a browser in as someone else", async () => {
    const { ask, linkOf } = await browser();
    await ask("POST /login/link", { values: known });
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await ask(`POST ${linkOf(firstLink)}`, { values: {}, headers })).status).toBe(403);
  });

  it("is sent at most three times in 15 minutes, and limited per client", async () => {
    const { ask, store, clock, throttle } = await browser();
    for (let count = 0; count < 5; count++) await ask("POST /login/link", { values: known });
    expect(store.logInLinks.open()).toHaveLength(3);
    clock.advance({ minutes: 16 });
    await ask("POST /login/link", { values: known });
    expect(store.logInLinks.open().map(({ id }) => id)).toEqual([4]);
    for (let count = 0; count < 15; count++) throttle.wrong("127.0.0.1", "link by mail");
    expect((await ask("POST /login/link", { values: { login: "12" } })).status).toBe(429);
    expect(store.logInLinks.open()).toHaveLength(1);
  });
});

describe("a proxy that authenticates people", () => {
  const header = "x-forwarded-email";
  const identityHeader = {
    name: header,
    from: ["10.0.0.0/8", "127.0.0.1"],
    admins: ["Boss@Example.com"],
    logout: "/oauth2/sign_out",
  };
  const asPerson = (value: string) => ({ headers: { [header]: value } });

  it.each([
    ["a person by address", "Ana@example.com", 200],
    ["a person by id", "12", 200],
    ["the admin", "boss@example.com", 200],
  ])("admits %s", async (_what, value, expected) => {
    const { ask } = await browser({ identityHeader });
    const start = await ask("GET /", asPerson(value));
    expect([start.status, start.to?.includes("login") ?? false]).toEqual([expected, false]);
    expect((await ask("POST /logout", asPerson(value))).status).toBe(403);
  });

  it("names an unknown person, and admits them nowhere", async () => {
    const { ask } = await browser({ identityHeader });
    const { status, text } = await ask("GET /", asPerson("stranger@example.com"));
    expect(status).toBe(403);
    expect(text).toContain("stranger@example.com");
    expect((await ask("GET /", asPerson("13"))).status).toBe(403);
  });

  it("is trusted only from its own addresses; others are ignored and logged once", async () => {
    const away = { ...identityHeader, from: ["10.0.0.0/8", "fd00::/8"] };
    const { ask, lines } = await browser({ identityHeader: away });
    for (let count = 0; count < 3; count++) {
      const forwarded = { "x-forwarded-for": "10.0.0.1" };
      const { status } = await ask("GET /", {
        headers: { ...asPerson("boss@example.com").headers, ...forwarded },
      });
      expect(status).toBe(303);
    }
    const told = lines.filter((line) => line.includes("identity header ignored"));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("127.0.0.1");
  });

  it("applies to pages alone: feeds, CalDAV and the API have their own secrets", async () => {
    const { ask } = await browser({ identityHeader });
    expect((await ask("GET /api/status", asPerson("boss@example.com"))).status).toBe(401);
  });

  it("gives forms a token of that person, and leads to its own sign-out", async () => {
    const { ask } = await browser({ identityHeader });
    const page = await ask("GET /", asPerson("boss@example.com"));
    const [, given = ""] = /name="form" value="([^"]+)"/.exec(page.text) ?? [];
    const values = { form: given };
    expect((await ask("POST /logout", { values, ...asPerson("12") })).status).toBe(403);
    const out = await ask("POST /logout", { values, ...asPerson("boss@example.com") });
    expect([out.status, out.to]).toEqual([303, "/oauth2/sign_out"]);
  });

  it("ends a session of another person in the same browser", async () => {
    const { ask } = await browser({ identityHeader });
    await ask("POST /login", { values: { token }, ...asPerson("ana@example.com") });
    expect((await ask("GET /", asPerson("ana@example.com"))).status).toBe(200);
    const bens = await ask("GET /", asPerson("ben@example.com"));
    expect(bens.status).toBe(200);
    for (const other of ["Website", "Ana", "Warnings", 'id="people"']) {
      expect(bens.text).not.toContain(other);
    }
    expect((await ask("GET /")).status).toBe(303);
  });
});

it("a new admin token ends every session", async () => {
  const { ask, cookie, store } = await browser();
  await ask("POST /login", { values: { token } });
  const request = { headers: { cookie: cookie() } };
  const under = (adminToken: string) =>
    createBrowserSessions({
      adminToken: () => adminToken,
      store,
      clock: () => Temporal.Instant.from("2026-11-21T09:00:00Z"),
      randomBytes: () => new Uint8Array(32),
    }).find(request, null);
  expect(under(token)?.person).toBeNull();
  expect(under("another-token-of-the-operator")).toBeNull();
});
