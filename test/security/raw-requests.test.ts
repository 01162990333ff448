import { createServer } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardConnections, usualLimits } from "../../src/http/connections.ts";
import { createLog } from "../../src/log.ts";
import { basic } from "../support/dav-server.ts";
import { type AttackedWorld, attackedWorld } from "./attacked-world.ts";

/** Sends exactly these octets, and returns what came back until the connection closed. */
async function send(port: number, text: string | Buffer): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  onTestFinished(() => void socket.destroy());
  let answer = "";
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  socket.end(text);
  await new Promise((resolve) => socket.once("close", resolve));
  return answer;
}

const statusesIn = (answer: string): readonly number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

const head = (...lines: readonly string[]) => `${lines.join("\r\n")}\r\n\r\n`;

describe("a request that no client writes", () => {
  it("is refused where two readers could disagree about its end, and nothing after it is read", async () => {
    const { port } = await attackedWorld();
    const hidden = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
    const odd: Readonly<Record<string, string>> = {
      "two kinds of length": `${head("POST /login HTTP/1.1", "Host: a", "Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n${hidden}`,
      "two lengths": `${head("POST /login HTTP/1.1", "Host: a", "Content-Length: 0", `Content-Length: ${hidden.length}`)}${hidden}`,
      "a length that is no number": `${head("POST /login HTTP/1.1", "Host: a", "Content-Length: +4")}${hidden}`,
      "a blank before the colon": `${head("POST /login HTTP/1.1", "Host: a", "Content-Length : 4")}${hidden}`,
      "an unknown coding": `${head("POST /login HTTP/1.1", "Host: a", "Transfer-Encoding: xchunked")}${hidden}`,
      "a folded header": `${head("GET /healthz HTTP/1.1", "Host: a", "X-A: b", " Transfer-Encoding: chunked", "Transfer-Encoding:", "\tchunked")}${hidden}`,
      "a bare line feed": `GET /healthz HTTP/1.1\nHost: a\nX: y\r\n\r\n${hidden}`,
      "a carriage return alone": `GET /healthz HTTP/1.1\r\nHost: a\rX: y\r\n\r\n${hidden}`,
      "a NUL in a header": `${head("GET /healthz HTTP/1.1", "Host: a", "X-A: b\0c")}${hidden}`,
      "a chunk of no size": `${head("POST /login HTTP/1.1", "Host: a", "Transfer-Encoding: chunked")}zz\r\n${hidden}`,
      "a chunk without its line end": `${head("POST /login HTTP/1.1", "Host: a", "Transfer-Encoding: chunked")}1\nA\n0\n\n${hidden}`,
      "no host": head("GET /healthz HTTP/1.1"),
      "another protocol": head("GET /healthz HTTP/9.9", "Host: a"),
      "no protocol": "\u0016\u0003\u0001\u0000\u0000",
    };
    const loose: string[] = [];
    for (const [name, text] of Object.entries(odd)) {
      const statuses = statusesIn(await send(port, text));
      if (statuses.length > 1 || statuses.some((status) => status < 400)) {
        loose.push(`${name}: ${statuses.join(", ")}`);
      }
    }
    expect(loose).toEqual([]);
  });

  it("is answered in order when pipelined, each for its own user", async () => {
    const world = await attackedWorld();
    const login = basic("ana@example.com", world.given["ana"] ?? "");
    const answer = await send(
      world.port,
      head("GET /api/edits HTTP/1.1", "Host: a", `Authorization: ${login}`) +
        head("GET /api/edits HTTP/1.1", "Host: a") +
        head("GET http://other.example/api/edits HTTP/1.1", "Host: a") +
        head("GET /healthz HTTP/1.1", "Host: a", "Connection: close"),
    );
    expect(statusesIn(answer)).toEqual([200, 401, 401, 200]);
    expect(answer.split("Ownword").length + answer.split("Ownedit").length).toBeGreaterThan(2);
  });

  it("has a limited number and size of headers", async () => {
    const { port } = await attackedWorld();
    const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: a`);
    const large = head("GET /healthz HTTP/1.1", "Host: a", ...many);
    // The connection may close before the answer is read.
    expect([[431], []]).toContainEqual(statusesIn(await send(port, large)));
    const long = head(`GET /${"a".repeat(100_000)} HTTP/1.1`, "Host: a");
    expect([[431], []]).toContainEqual(statusesIn(await send(port, long)));
    expect(statusesIn(await send(port, head("GET /healthz HTTP/1.1", "Host: a")))).toEqual([200]);
  });

  it("is given up when its headers never end", async () => {
    const server = createServer((_request, response) => void response.end("x"));
    const limits = { ...usualLimits, headersMs: 300 };
    guardConnections(server, {
      trustProxy: false,
      log: createLog({ level: "silent" }),
      clock: () => Temporal.Now.instant(),
      limits,
    });
    expect(server.headersTimeout).toBe(300);
    expect(server.requestTimeout).toBeGreaterThan(0);
    server.close();
  });
});

describe("a body that expands", () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const login = (world: AttackedWorld) => basic("ana@example.com", world.given["ana"] ?? "");

  it("is refused when packed as it would be unpacked", async () => {
    const world = await attackedWorld();
    const role = world.role("the admin by token");
    const member = world.role("a member by password");
    const asked: readonly (readonly [string, typeof role, string])[] = [
      ["POST /api/edits?project=2001", role, "text/calendar"],
      ["POST /api/feeds", role, "application/json"],
      ["POST /login", world.role("nobody"), "application/x-www-form-urlencoded"],
      ["PROPFIND /dav/", member, "text/xml"],
      ["PUT /dav/calendars/11/events-2001/a.ics", member, "text/calendar"],
    ];
    for (const [request, who, type] of asked) {
      const [method = "", path = ""] = request.split(" ");
      const answer = await fetch(`http://127.0.0.1:${world.port}${path}`, {
        method,
        headers: { ...who.headers, "content-type": type, "content-encoding": "gzip" },
        body: bomb,
      });
      const { status } = answer;
      await answer.body?.cancel();
      expect([request, [400, 409, 413].includes(status)]).toEqual([request, true]);
    }
  });

  it("is refused when XML grows, nests or lists without end", async () => {
    const world = await attackedWorld();
    const entities = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">${"bcdefgh"
      .split("")
      .map((name, index) => `<!ENTITY ${name} "${`&${"abcdefg".charAt(index)};`.repeat(10)}">`)
      .join("")}]><d:propfind xmlns:d="DAV:"><d:prop><d:x>&h;</d:x></d:prop></d:propfind>`;
    const outside = `<?xml version="1.0"?><!DOCTYPE a SYSTEM "file:///etc/passwd"><d:propfind xmlns:d="DAV:"><d:allprop/></d:propfind>`;
    const deep = `<d:propfind xmlns:d="DAV:">${"<d:prop>".repeat(20_000)}`;
    const wide = `<d:propfind xmlns:d="DAV:" ${Array.from({ length: 20_000 }, (_, i) => `a${i}="b"`).join(" ")}><d:allprop/></d:propfind>`;
    const hrefs = `<c:calendar-multiget xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/></d:prop>${"<d:href>/dav/calendars/11/events-2001/a.ics</d:href>".repeat(100_000)}</c:calendar-multiget>`;
    const properties = `<d:propfind xmlns:d="DAV:"><d:prop>${Array.from({ length: 50_000 }, (_, i) => `<d:x${i}/>`).join("")}</d:prop></d:propfind>`;
    const took: string[] = [];
    for (const [name, body] of Object.entries({
      entities,
      outside,
      deep,
      wide,
      hrefs,
      properties,
    })) {
      const answer = await world.call(
        `${name === "hrefs" ? "REPORT" : "PROPFIND"} /dav/calendars/11/events-2001/`,
        {
          role: { headers: { authorization: login(world) }, from: () => "127.0.0.1" },
          headers: { "content-type": "text/xml", depth: "1" },
          body,
        },
      );
      if (answer.status >= 500 && answer.status !== 507) took.push(`${name}: ${answer.status}`);
      if (answer.status === 207 && answer.text.length > 20_000_000) took.push(`${name} is long`);
      expect(answer.text).not.toMatch(/root:|aaaaaaaaaaaaaaaaaaaa/);
    }
    expect(took).toEqual([]);
  });
});
