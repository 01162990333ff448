import { describe, expect, it } from "vitest";
import { ana, bearer, startApp, token } from "./people-rig.ts";

// The public address of the rig is https://calendar.example.com/base.
const origin = "https://calendar.example.com";

/** A browser behind a proxy that keeps the path of the public address, removes it, or does not exist. */
async function browse(way: "kept" | "stripped" | "direct") {
  const { call } = await startApp({ whole: true });
  await call("POST /api/feeds", {
    headers: { ...bearer.headers, "content-type": "application/json" },
    body: JSON.stringify({ projectId: 2001 }),
  });
  const top = way === "direct" ? "/" : "/base/";
  let cookie = "";
  async function ask(method: string, url: URL, form = "") {
    if (!url.pathname.startsWith(top)) throw new Error(`${url.pathname} is not below ${top}`);
    const path = way === "stripped" ? url.pathname.slice("/base".length) : url.pathname;
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await call(`${method} ${path}${url.search}`, {
      headers: { cookie, accept: "text/html", ...(method === "POST" && type) },
      ...(method === "POST" && { body: form }),
    });
    cookie = answer.headers.get("set-cookie")?.split(";", 1).join("") ?? cookie;
    const location = answer.headers.get("location");
    return { ...answer, to: location === null ? null : new URL(location, url) };
  }
  return { ask, start: new URL(top, origin) };
}

const links = (text: string): readonly string[] =>
  [...text.matchAll(/ (?:href|action|formaction)="([^"]*)"/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !link.startsWith("#"));

/** Without the sign-out button. */
const gettable = (text: string) => links(text).filter((link) => !/(?:logout|language)$/.test(link));

describe.each(["kept", "stripped", "direct"] as const)("pages below a path that is %s", (way) => {
  it("link to each other, and to nothing else", async () => {
    const { ask, start } = await browse(way);
    const { to: asking } = await ask("GET", start);
    if (!asking) throw new Error("nobody is asked to log in");
    const asked = await ask("GET", asking);
    const login = links(asked.text).find((link) => link.includes("login"));
    const entered = new URL(login ?? "", asking);
    expect((await ask("POST", entered, "token=wrong")).status).toBe(403);
    expect((await ask("POST", entered, `token=${token}`)).to?.href).toBe(start.href);

    const { text } = await ask("GET", start);
    const [, form = ""] = /name="form" value="([^"]+)"/.exec(text) ?? [];
    const ways = links(text).map((link) => new URL(link, start));
    const found: URL[] = [...ways];
    for (const name of ["feeds", "connect", "people"]) {
      const page = ways.find(({ pathname }) => pathname.endsWith(`/${name}`));
      if (!page) throw new Error(`no way leads to ${name}`);
      found.push(...links((await ask("GET", page)).text).map((link) => new URL(link, page)));
    }
    const gets = found.filter(({ pathname }) => /\.(?:css|svg|ics|mobileconfig)$/.test(pathname));
    expect(new Set(gets.map(({ href }) => href)).size).toBeGreaterThanOrEqual(3);
    for (const url of gets) expect((await ask("GET", url)).status, url.pathname).toBe(200);

    const button = found.find(({ pathname }) => pathname.endsWith(`/people/${ana}/password`));
    if (!button) throw new Error("there is no button for a password");
    const given = await ask("POST", button, `form=${form}`);
    expect(given.status).toBe(200);
    for (const link of gettable(given.text)) {
      expect((await ask("GET", new URL(link, button))).status, link).toBe(200);
    }
    const clear = new URL(`${button.href}/clear`);
    expect((await ask("POST", clear, `form=${form}&confirmed=yes`)).to?.href).toBe(
      `${start.href}people#person-${ana}`,
    );
    const none = await ask("POST", clear, `form=${form}`);
    expect(none.status).toBe(404);
    for (const link of gettable(none.text)) {
      expect((await ask("GET", new URL(link, clear))).status, link).toBe(200);
    }
    const leave = new URL(links(text).find((link) => link.includes("logout")) ?? "", start);
    expect((await ask("POST", leave, `form=${form}`)).to?.href).toBe(asking.href);
  });
});

describe("below the path of the public address", () => {
  it.each(["/base/api/status", "/api/status"])("the API works too: %s", async (path) => {
    const { call } = await startApp();
    expect((await call(`GET ${path}`)).status).toBe(401);
  });

  it("the path ends with a slash", async () => {
    const { call } = await startApp();
    const { status, headers } = await call("GET /base?token=x");
    expect([status, headers.get("location")]).toEqual([308, "/base/?token=x"]);
    expect((await call("GET /basement/api/status")).status).toBe(404);
  });
});
