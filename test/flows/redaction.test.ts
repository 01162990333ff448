import { readdirSync, readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Daemon, dayferry, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

const day = "2027-03-01";
const adminToken = "admin+token/of==this~test.and%41long";
const smtpPassword = 'smtp "pass" /of+this=test';
const urlPassword = "url:pass/of+this test";
const calendarPassword = "calendar-pass+of/this";
const given = {
  adminToken,
  smtpPassword,
  urlPassword,
  calendarPassword,
  calendarPath: "private-8f3a9c+calendar/basic.ics",
  operatorToken: "operator-webhook/token+1",
  operatorSecret: "operator-webhook/secret+2",
  operatorPath: "hooks/T000/operator-path-3",
  purgeToken: "purge/token+4",
  brokenKey: "person-key/that+is=refused",
} as const;

/** Answers everything with an error that repeats the request, as careless servers do. */
async function careless(): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createHttpServer((request, response) => {
    response.writeHead(500, { "content-type": "text/plain", "x-asked": request.url ?? "" });
    response.end(`cannot do ${request.url} with ${JSON.stringify(request.headers)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => void server.close() };
}

/** A mail server that accepts no login, and repeats what it received. */
async function carelessMail() {
  const server = createServer((socket) => {
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    socket.write("220 mail.example.com ESMTP\r\n");
    socket.on("data", (text: string) => {
      const line = text.trim();
      if (/^EHLO/i.test(line)) socket.write("250-mail.example.com\r\n250 AUTH PLAIN\r\n");
      else if (/^AUTH PLAIN /i.test(line)) {
        const sent = line.slice("AUTH PLAIN ".length);
        const plain = Buffer.from(sent, "base64").toString().replaceAll("\0", " ");
        socket.write(`535 5.7.8 no login with ${plain} (${sent})\r\n`);
      } else socket.write("250 so be it\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => void server.close() };
}

/** A secret in all its possible forms: plain, in addresses, in JSON, and packed. */
const formsOf = (secret: string): readonly string[] => [
  ...new Set([
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  ]),
];

describe("a day with every secret, at log level debug", () => {
  const secrets = new Map<string, string>(Object.entries(given));
  const seen = new Map<string, string>();
  let installation: Installation;
  let daemon: Daemon;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    const sandbox = await testSandbox();
    const web = await careless();
    const post = await carelessMail();
    closers.push(() => sandbox.close(), web.close, post.close);
    const owner = ownerOf(sandbox);
    const ana = sandbox.keys.find(({ personId }) => personId !== owner);
    if (!ana) throw new Error("another person is needed");
    const accountKey = sandbox.keys[0]?.apiKey ?? "";
    secrets.set("account's key", accountKey).set("Ana's key", ana.apiKey);
    const [place] = sandbox.workspace.places();
    if (!place) throw new Error("a project is needed");
    const { project } = place;
    const user = encodeURIComponent("me@example.com");
    const free = await careless();
    free.close();
    const { port } = free;
    installation = install(sandbox, {
      adminToken,
      log: { level: "debug" },
      http: {
        host: "127.0.0.1",
        port,
        // With it texts have links with an effect.
        publicUrl: `http://127.0.0.1:${port}`,
        identityHeader: { name: "X-Forwarded-Email", from: ["10.1.2.3"], admins: [] },
        sharedCache: {
          purge: { url: `http://127.0.0.1:${web.port}/purge/{key}`, token: given.purgeToken },
        },
      },
      people: [
        { id: ana.personId, email: "ana@example.com", apiKey: ana.apiKey },
        { id: owner, email: "owner@example.com", apiKey: given.brokenKey },
      ],
      edits: {
        subscriptions: [
          {
            name: "Careless",
            url: `http://me:${encodeURIComponent(calendarPassword)}@127.0.0.1:${web.port}/${given.calendarPath}`,
            project,
            every: "PT1M",
            allowPrivate: true,
          },
        ],
      },
      mail: {
        from: "Dayferry <dayferry@example.com>",
        smtpUrl: `smtp://${user}:${encodeURIComponent(urlPassword)}@127.0.0.1:${post.port}`,
        smtpPassword,
      },
      operator: {
        mail: ["owner@example.com"],
        webhooks: [
          {
            name: "chat",
            url: `http://127.0.0.1:${web.port}/${given.operatorPath}`,
            token: given.operatorToken,
            secret: given.operatorSecret,
          },
        ],
      },
    });
    daemon = await serve(installation, { env: { DAYFERRY_ADMIN_TOKEN: adminToken } });
    await theDay();

    async function theDay() {
      const { url } = daemon;
      const ask: Daemon["ask"] = (path, init) => daemon.ask(path, init);
      const keep = async (name: string, answer: Response) => {
        const headers = JSON.stringify([...answer.headers].filter(([key]) => key !== "set-cookie"));
        seen.set(name, `${headers}\n${await answer.text()}`);
        return answer;
      };
      // What belongs to the requester: shown once, and nowhere else.
      const issued = await ask(`/api/people/${ana?.personId}/password`, { method: "POST" });
      const { password } = Object(await issued.json());
      secrets.set("app password", String(password));
      const feeds: readonly { readonly url: string }[] = Object(
        await (await ask("/api/feeds")).json(),
      ).feeds;
      const feed = new URL(feeds[0]?.url ?? "https://x/").pathname;
      secrets.set("feed secret", feed.split("/")[2] ?? "");
      const login = await fetch(`${url}/login`, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ token: adminToken }).toString(),
      });
      const cookie = (login.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
      secrets.set("session cookie", cookie.split("=").slice(1).join("="));
      const basic = `Basic ${btoa(`ana@example.com:${password}`)}`;
      secrets.set("Basic of Ana", btoa(`ana@example.com:${password}`));

      // Edits by files, by a calendar program, and impossible ones.
      const event = (uid: string, title: string) =>
        [
          "BEGIN:VCALENDAR",
          "VERSION:2.0",
          "PRODID:-//Tests//EN",
          "BEGIN:VEVENT",
          `UID:${uid}`,
          "DTSTAMP:20260101T000000Z",
          `SUMMARY:${title}`,
          `DTSTART;VALUE=DATE:${day.replaceAll("-", "")}`,
          "END:VEVENT",
          "END:VCALENDAR",
          "",
        ].join("\r\n");
      const calendar = { "content-type": "text/calendar" };
      const known = [accountKey, ana?.apiKey ?? "", given.brokenKey];
      const keys = known.flatMap(formsOf).join(" ");
      sandbox.faults.add({
        kind: "status",
        status: 403,
        method: "POST",
        body: { error: `no: ${keys}` },
      });
      await ask(`/api/edits?project=${project}`, {
        method: "POST",
        headers: calendar,
        body: event("a@example.com", "A"),
      });
      sandbox.faults.add({
        kind: "status",
        status: 500,
        method: "POST",
        body: { error: `no: ${keys}` },
        times: 2,
      });
      await fetch(`${url}/api/edits?project=${project}`, {
        method: "POST",
        headers: { ...calendar, authorization: basic },
        body: event("b@example.com", "B"),
      });
      await keep(
        "refused file",
        await ask("/api/edits?project=1", {
          method: "POST",
          headers: calendar,
          body: "BEGIN:NOTHING",
        }),
      );
      const home = await fetch(`${url}/dav/`, {
        method: "PROPFIND",
        headers: { authorization: basic, depth: "1" },
      });
      await keep("CalDAV", home);

      // Wrong log-ins, forged links, missing addresses.
      const wrong = { authorization: `Bearer ${adminToken}x` };
      await keep("wrong bearer", await fetch(`${url}/api/status`, { headers: wrong }));
      await keep(
        "wrong Basic",
        await fetch(`${url}/dav/`, {
          method: "PROPFIND",
          headers: { authorization: `Basic ${btoa("ana@example.com:wrong-password-1")}` },
        }),
      );
      await keep(
        "forged proxy",
        await fetch(`${url}/`, { headers: { "x-forwarded-email": "owner@example.com", cookie } }),
      );
      await keep(
        "broken cookie",
        await fetch(`${url}/status`, { headers: { cookie: `${cookie}x`, accept: "text/html" } }),
      );
      await keep(
        "token in address",
        await fetch(`${url}/?token=${encodeURIComponent(adminToken)}`, { redirect: "manual" }),
      );
      await keep("forged link", await fetch(`${url}/act/forged`));
      await keep(
        "bad path",
        await fetch(`${url}/feeds/${secrets.get("feed secret")}/%E0%A4%A.ics`),
      );
      await keep(
        "no such page",
        await fetch(`${url}/nowhere?token=${encodeURIComponent(adminToken)}x`, {
          headers: { cookie, accept: "text/html" },
        }),
      );
      await fetch(`${url}${feed}`);
      await fetch(`${url}${feed}`, { headers: { "accept-encoding": "gzip" } });
      await ask("/api/zone-probe", { method: "POST" });
      await fetch(`${url}/login/link`, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ login: "ana@example.com" }).toString(),
      });

      sandbox.faults.add({
        kind: "status",
        status: 403,
        method: "GET",
        path: /\/events$/,
        body: { error: `no: ${keys}` },
        // Edits whose creation got no answer read the list too.
        times: 1000,
      });
      await eventually("a list was refused", () => daemon.log().includes('"sync failed"') || null);
      await eventually("the mail server, the calendar and the service have refused", async () => {
        const status = await (await ask("/api/status")).text();
        return /rejects the login/.test(status) && /"state":"failing"/.test(status) ? true : null;
      });
      await keep("/api/status", await ask("/api/status"));
      await keep("/api/edits", await ask("/api/edits"));
      await keep("/metrics", await fetch(`${url}/metrics`));
      for (const page of ["/", "/status", "/edits", "/people"]) {
        await keep(
          page,
          await fetch(`${url}${page}`, { headers: { cookie, accept: "text/html" } }),
        );
      }
      for (const more of [[], ["--json"], ["--probe-time-zone"]]) {
        const { stdout, stderr } = await dayferry(
          ["doctor", "--config", installation.configFile, ...more],
          { env: { DAYFERRY_ADMIN_TOKEN: adminToken } },
        );
        seen.set(`doctor ${more.join(" ")}`, stdout + stderr);
      }
      await daemon.stop();
      seen.set("log", daemon.log());
      const bad = await dayferry(["doctor", "--config", installation.configFile], {
        env: { DAYFERRY_ADMIN_TOKEN: "short-admin-token-9" },
      });
      secrets.set("short token", "short-admin-token-9");
      seen.set("wrong configuration", bad.stdout + bad.stderr);
      for (const file of readdirSync(installation.dataDir)) {
        if (!/^dayferry\.sqlite/.test(file)) continue;
        seen.set(file, readFileSync(join(installation.dataDir, file), "latin1"));
      }
    }
  });

  afterAll(async () => {
    for (const close of closers) await close();
    installation?.dispose();
  });

  it("uses all of them", () => {
    const log = seen.get("log") ?? "";
    for (const line of [
      "sync failed",
      "edit parked",
      "subscription failed",
      "log-in mail deferred",
    ]) {
      expect([line, log.includes(`"event":"${line}"`)]).toEqual([line, true]);
    }
    expect(secrets.size).toBeGreaterThan(13);
    expect([...secrets].filter(([, secret]) => secret.length < 8)).toEqual([]);
    expect(seen.get("/metrics")).toContain("dayferry_build_info");
    expect(seen.get("dayferry.sqlite")?.length).toBeGreaterThan(10_000);
  });

  it("logs each poll only at debug, and only with numbers", () => {
    const lines = (seen.get("log") ?? "")
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
    const polled = lines.filter(({ event }) => /^sync (?:polled|directory)/.test(String(event)));
    expect(polled.length).toBeGreaterThan(2);
    expect([...new Set(polled.map(({ level }) => level))]).toEqual(["debug"]);
    const ends = lines.filter(({ event }) => event === "first sync ended");
    expect(ends).toMatchObject([{ level: "info", failed: 0 }]);
    const inWords = polled.filter(({ changes = 0 }) => typeof changes !== "number");
    expect(inWords).toEqual([]);
  });

  it("reveals no secret anywhere: log, pages, API, metrics, commands, database", () => {
    const leaks = [...seen].flatMap(([place, text]) =>
      [...secrets].flatMap(([name, secret]) =>
        formsOf(secret)
          .filter((form) => text.includes(form))
          .map((form) => {
            const at = text.indexOf(form);
            return `${place}: ${name}: ${text.slice(Math.max(0, at - 120), at + 60).replaceAll(/[^\x20-\x7e]/g, ".")}`;
          }),
      ),
    );
    expect(leaks).toEqual([]);
  });
});
