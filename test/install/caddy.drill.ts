import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isInstalled, runProgram } from "../clients/programs.ts";
import { type Installation, install } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { command, serveHere } from "../support/in-process.ts";
import { testSandbox } from "../support/sandbox.ts";

// Caddy in front of a daemon, with the file of deploy/ and its own certificates.

const caddyfile = fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "dayferry-caddy-"));
const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };

describe.skipIf(!isInstalled("caddy"))("deploy/Caddyfile", () => {
  let sandbox: Sandbox;
  let installation: Installation;
  let daemon: Awaited<ReturnType<typeof serveHere>>;
  let caddy: ChildProcess;
  let port = 0;
  let said = "";

  beforeAll(async () => {
    sandbox = await testSandbox({ size: "s" });
    port = await freePort();
    const publicUrl = `https://localhost:${port}`;
    const http = { host: "127.0.0.1", port: 0, publicUrl, trustProxy: true };
    installation = install(sandbox, { http });
    daemon = await serveHere(installation);
    // This machine stays unchanged: no list of trusted authorities, no other port.
    const own = "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n";
    writeFileSync(join(folder, "Caddyfile"), own + readFileSync(caddyfile, "utf8"));
    caddy = spawn(
      "caddy",
      ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")],
      {
        env: {
          ...env,
          PATH: process.env["PATH"] ?? "",
          DAYFERRY_DOMAIN: `localhost:${port}`,
          DAYFERRY_UPSTREAM: new URL(daemon.url).host,
        },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    caddy.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    await eventually("Caddy serves", async () => {
      if (caddy.exitCode !== null) throw new Error(`Caddy ended: ${said}`);
      if (!existsSync(join(folder, "caddy/pki/authorities/local/root.crt"))) return null;
      return ask("GET", "/healthz").then(
        ({ status }) => status === 200 || null,
        () => null,
      );
    });
  });
  afterAll(async () => {
    if (caddy.exitCode === null) {
      caddy.kill("SIGKILL");
      await once(caddy, "close");
    }
    await daemon.stop();
    installation.dispose();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A request to Caddy, whose certificate is checked; gives the answer while it is still coming. */
  async function open(
    method: string,
    path: string,
    { headers = {}, body = null }: Sent = {},
  ): Promise<IncomingMessage> {
    const ca = readFileSync(join(folder, "caddy/pki/authorities/local/root.crt"));
    const sent = request({ host: "localhost", port, method, path, headers, ca });
    const answered = once(sent, "response");
    sent.end(body ?? undefined);
    const [answer]: readonly IncomingMessage[] = await answered;
    if (!answer) throw new Error("there was no answer");
    return answer;
  }

  async function ask(method: string, path: string, sent: Sent = {}) {
    const answer = await open(method, path, sent);
    let body = "";
    for await (const chunk of answer.setEncoding("utf8")) body += chunk;
    return { status: answer.statusCode ?? 0, headers: answer.headers, body };
  }

  const admin = () => ({ authorization: `Bearer ${daemon.adminToken}` });

  it("is accepted and already formatted as Caddy formats it", async () => {
    const settings = { ...env, DAYFERRY_DOMAIN: "dayferry.example.com" };
    const args = ["validate", "--adapter", "caddyfile", "--config", caddyfile];
    const valid = await runProgram(["caddy", ...args], { env: settings });
    expect([valid.code, valid.output]).toEqual([0, expect.stringContaining("Valid configuration")]);
    expect(valid.output).not.toContain("not formatted");
  });

  it("lets calendar programs find and change their calendars", async () => {
    const { stdout } = await command(["people", "set-password", "11", "--json"], {
      installation,
      daemon: { url: daemon.url, adminToken: daemon.adminToken },
    });
    const { password } = JSON.parse(stdout);
    const login = Buffer.from(`11:${password}`).toString("base64");
    const headers = { authorization: `Basic ${login}`, "content-type": "application/xml" };

    const known = await ask("PROPFIND", "/.well-known/caldav", { headers });
    expect([known.status, known.headers.location]).toEqual([
      301,
      expect.stringMatching(/\/dav\/$/),
    ]);
    const { pathname, protocol } = new URL(
      known.headers.location ?? "",
      `https://localhost:${port}/`,
    );
    expect(protocol).toBe("https:");
    const found = await ask("PROPFIND", pathname, {
      headers: { ...headers, depth: "0" },
      body: '<propfind xmlns="DAV:"><prop><current-user-principal/></prop></propfind>',
    });
    expect([found.status, found.body]).toEqual([207, expect.stringContaining("/dav/principals/")]);

    const home = /<[^>]*href>([^<]*\/principals\/[^<]*)</.exec(found.body)?.[1] ?? "";
    const at = await ask("PROPFIND", home, {
      headers: { ...headers, depth: "0" },
      body: '<propfind xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><C:calendar-home-set/></prop></propfind>',
    });
    const calendars = /calendar-home-set>.*?href>([^<]+)</s.exec(at.body)?.[1] ?? "";
    const listed = await ask("PROPFIND", calendars, { headers: { ...headers, depth: "1" } });
    const calendar = [...listed.body.matchAll(/href>([^<]+)</g)]
      .map(([, href = ""]) => href)
      .find((href) => href.startsWith(calendars) && /\/events-\d+\/$/.test(href));
    const report = await ask("REPORT", calendar ?? "", {
      headers: { ...headers, depth: "1" },
      body: '<C:calendar-query xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><getetag/></prop><C:filter><C:comp-filter name="VCALENDAR"/></C:filter></C:calendar-query>',
    });
    expect([report.status, report.body]).toEqual([207, expect.stringContaining("getetag")]);

    const text = { authorization: headers.authorization, "content-type": "text/calendar" };
    const place = `${calendar}made-through-caddy.ics`;
    const made = await ask("PUT", place, { headers: text, body: event });
    expect([made.status, made.headers.etag]).toEqual([201, expect.stringMatching(/^"/)]);
    const got = await ask("GET", place, { headers: text });
    expect([got.status, got.headers.etag]).toEqual([200, made.headers.etag]);
    const gone = await ask("DELETE", place, {
      headers: { ...text, "if-match": String(made.headers.etag) },
    });
    expect(gone.status).toBe(204);
  });

  it("passes feeds on unchanged, with their ETag, compressed or not", async () => {
    const { body } = await ask("GET", "/api/feeds", { headers: admin() });
    const { pathname, origin } = new URL(/"url": ?"([^"]+)"/.exec(body)?.[1] ?? "");
    expect(origin).toBe(`https://localhost:${port}`);
    const plain = await ask("GET", pathname);
    expect([plain.status, plain.body]).toEqual([200, expect.stringContaining("BEGIN:VCALENDAR")]);
    const { etag } = plain.headers;
    const again = await ask("GET", pathname, { headers: { "if-none-match": String(etag) } });
    expect(again.status).toBe(304);
    const packed = await ask("HEAD", pathname, { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
  });

  it("passes changes on at once, on a stream that stays open", async () => {
    const { headers } = await ask("GET", `/?token=${daemon.adminToken}`);
    const [cookie = ""] = headers["set-cookie"] ?? [];
    // The daemon knows that the browser uses https, as Caddy says so.
    expect(cookie).toContain("Secure");
    const stream = await open("GET", "/live", {
      headers: { cookie: cookie.split(";", 1).join("") },
    });
    expect([stream.statusCode, stream.headers["content-type"]]).toEqual([
      200,
      expect.stringContaining("text/event-stream"),
    ]);
    let heard = "";
    stream.setEncoding("utf8").on("data", (chunk) => {
      heard += chunk;
    });
    await eventually("the stream has begun", () => heard !== "" || null);
    const before = heard.length;
    const { project } = sandbox.workspace.places()[0] ?? { project: 0 };
    const another = event.replaceAll("made-through-caddy", "told-through-caddy");
    const path = `/api/edits?project=${project}`;
    expect((await ask("POST", path, { headers: admin(), body: another })).status).toBe(202);
    await eventually("the change is reported", () => heard.length > before || null);
    stream.destroy();
  });

  it("accepts long bodies, and refuses those longer than any route accepts", async () => {
    const { project } = sandbox.workspace.places()[0] ?? { project: 0 };
    const path = `/api/edits?project=${project}&dryRun=true`;
    const long = event.replace(
      "END:VEVENT",
      `DESCRIPTION:${"long ".repeat(300_000)}\r\nEND:VEVENT`,
    );
    const taken = await ask("POST", path, { headers: admin(), body: long });
    expect([200, 422]).toContain(taken.status);
    // The daemon accepts at most six megabytes.
    const longer = event.replace(
      "END:VEVENT",
      `DESCRIPTION:${"x".repeat(7_000_000)}\r\nEND:VEVENT`,
    );
    const refused = await ask("POST", path, { headers: admin(), body: longer });
    expect(refused.status).toBe(413);
  });
});

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
}

const event = `BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//Trial//EN\r
BEGIN:VEVENT\r
UID:made-through-caddy\r
DTSTAMP:20261101T000000Z\r
DTSTART;VALUE=DATE:20261201\r
DTEND;VALUE=DATE:20261202\r
SUMMARY:Made through a proxy\r
END:VEVENT\r
END:VCALENDAR\r
`;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
