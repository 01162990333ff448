import { describe, expect, it } from "vitest";
import { accessTable, createAccess } from "../../src/http/access.ts";
import { routesOf } from "../security/routes.ts";
import { ana, basic, bearer, startApp, token } from "./people-rig.ts";

describe("the access table", () => {
  const find = createAccess();

  it("has a row for each route, and none for missing ones", async () => {
    const { app } = await startApp({ whole: true });
    const routes = routesOf(app.router.stack);
    expect(routes.length).toBeGreaterThan(50);
    const used = routes.map(([method, path]) => {
      const row = accessTable.find(
        (rule) =>
          rule.path === path && rule.methods.some((each) => each === method || each === "*"),
      );
      const found = find(method === "*" ? "PUT" : method, path.replaceAll(/:(\w+)/g, "any-$1"));
      expect(found.kind === "rule" && found.rule, `${method} ${path}`).toBe(row);
      return row;
    });
    // CalDAV is no route: its router handles addresses itself.
    const idle = accessTable.filter((row) => row.door !== "own" || row.who !== "person");
    expect(idle.filter((row) => !used.includes(row)).map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ["GET", "/edits/7/approve", "GET /edits/:id/:act"],
    ["POST", "/edits/7/approve/", "POST /edits/:id/approve"],
    ["HEAD", "/feeds/abc/website.ics", "* /feeds/:secret/:file"],
    ["HEAD", "/healthz", "GET /healthz"],
    ["PROPFIND", "/dav", "/dav/*"],
    ["PUT", "/dav/calendars/11/x/y.ics", "/dav/*"],
    ["GET", "/login/AQx", "/login/:signed"],
    ["POST", "/login/link", "/login/link"],
    ["PUT", "/login", "method GET POST"],
    ["GET", "/LOGIN", "unknown"],
    ["GET", "/login/a/b", "unknown"],
    ["GET", "/edits//approve", "unknown"],
    ["GET", "/__proto__", "unknown"],
  ])("%s %s: %s", (method, path, expected) => {
    const found = find(method, path);
    const said =
      found.kind === "rule"
        ? `${found.rule.methods.join("|")} ${found.rule.path}`
        : found.kind === "method"
          ? `method ${found.allowed.join(" ")}`
          : found.kind;
    expect(said).toContain(expected);
  });
});

/** One request per row, with a value for each placeholder. */
const asked = (method: string, path: string) =>
  `${method === "*" ? "PROPFIND" : method} ${path.replace("/*", "/").replaceAll(/:\w+/g, "12")}`;

describe("each route", () => {
  const accept = "text/html";

  async function everybody() {
    const rig = await startApp({ whole: true });
    const cookieFor = async (body: Readonly<Record<string, string>>) => {
      const { headers, status } = await rig.call("POST /login", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(body).toString(),
      });
      expect(status).toBe(303);
      return headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    };
    const password = rig.passwords.issue(ana);
    return {
      ...rig,
      headersOf: {
        nobody: { accept },
        person: {
          accept,
          cookie: await cookieFor({ login: "ana@example.com", password }),
          authorization: basic("ana@example.com", password),
        },
        admin: { accept, cookie: await cookieFor({ token }), ...bearer.headers },
      },
    };
  }

  it("admits those whom its row names, and nobody else", async () => {
    const { port, headersOf } = await everybody();
    /** Does not wait for endless streams. */
    async function call(request: string, headers: Readonly<Record<string, string>>) {
      const [method = "", path = ""] = request.split(" ");
      const url = `http://127.0.0.1:${port}${path}`;
      const answer = await fetch(url, { method, headers, redirect: "manual" });
      if (answer.status >= 400) return { status: answer.status, text: await answer.text() };
      await answer.body?.cancel();
      return { status: answer.status, text: answer.headers.get("location") ?? "" };
    }
    const wrong: string[] = [];
    for (const { methods, path, who, door } of accessTable) {
      if (door === "own" || path === "/logout") continue;
      for (const method of methods) {
        const request = asked(method, path);
        for (const role of ["nobody", "person", "admin"] as const) {
          const answer = await call(request, headersOf[role]);
          const isLedToLogIn = answer.status === 303 && answer.text.includes("login");
          const isRefused =
            answer.status === 401 ||
            isLedToLogIn ||
            (answer.status === 403 && /for the admin|needs the admin/.test(answer.text));
          const may = { anyone: 0, secret: 0, person: 1, admin: 2 }[who];
          const is = { nobody: 0, person: 1, admin: 2 }[role];
          if (isRefused === is >= may) wrong.push(`${role}: ${request} ${answer.status}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("accepts only its own credentials: no cookie at the API, no header on a page", async () => {
    const { call, headersOf } = await everybody();
    const { cookie } = headersOf.admin;
    const { authorization } = bearer.headers;
    expect((await call("GET /api/status", { headers: { cookie } })).status).toBe(401);
    expect((await call("GET /", { headers: { authorization } })).status).toBe(401);
  });

  it("refuses forms of other sites, except for links in mails", async () => {
    const { call, headersOf } = await everybody();
    const from = { ...headersOf.admin, origin: "https://evil.example" };
    for (const { methods, path, door } of accessTable) {
      if (!methods.includes("POST")) continue;
      const { status, text } = await call(asked("POST", path), { headers: from });
      const isCross = status === 403 && text.includes("another site");
      expect([path, isCross]).toEqual([path, door !== "own"]);
    }
  });
});
