import { letPass } from "../../support/eventually.ts";
import { type Attack, drip, type Target, withSockets } from "./target.ts";

const ok = [200, 304];

/** Attacks by connections alone: holding them, dripping, not reading, asking for too much at once. */
export const connectionAttacks: readonly Attack[] = [
  neverRead("200 subscribers of a large feed who never read", 200, (target) => ({
    head: `GET ${target.feed} HTTP/1.1`,
  })),
  neverRead("50 admins who never read a report", 50, (target) => ({
    head: `GET /api/reports/agenda?format=csv&from=2020-01-01&to=2035-01-01 HTTP/1.1\r\nAuthorization: ${target.bearer}`,
  })),
  neverRead("100 calendar programs that never read a listing", 100, (target) => {
    const body =
      '<d:propfind xmlns:d="DAV:"><d:prop><d:getetag/><d:displayname/><d:getcontenttype/></d:prop></d:propfind>';
    return {
      head: `PROPFIND ${target.calendar} HTTP/1.1\r\nDepth: 1\r\nAuthorization: ${target.login}\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}`,
      body,
    };
  }),
  dripping("300 connections whose headers never end", 300, {
    head: "GET / HTTP/1.1\r\n",
    piece: "X-A: a\r\n",
  }),
  dripping("200 bodies that come octet by octet", 200, {
    head: "POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n",
    piece: "a",
    everyMs: 500,
  }),
  flood("200 edits of 4 MB of which all but the end comes", [200, [401]], (target) => [
    `POST /api/edits?project=${target.project} HTTP/1.1\r\nHost: a\r\nContent-Length: 4000001\r\nContent-Type: text/calendar\r\n\r\n`,
    "a".repeat(4_000_000),
  ]),
  flood("2,000 connections that say nothing", [2000, []], () => []),
  inOneBreath("5,000 requests in one breath on one connection", ok, (target) =>
    "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(Math.ceil(5000 * target.scale)),
  ),
  inOneBreath("200 large feeds asked for in one breath, none read", [], (target) =>
    `GET ${target.feed} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(200),
  ),
  flood("5,000 wrong secrets from 250 addresses", [250, [401, 429]], () => [
    "GET /api/status HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer wrong\r\n\r\n".repeat(20),
  ]),
  flood("500 wrong app passwords at once", [500, [401, 429]], (target) => {
    const wrong = Buffer.from(`${nameOf(target.login)}:wrong`).toString("base64");
    return [
      `PROPFIND /dav/ HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAuthorization: Basic ${wrong}\r\n\r\n`,
    ];
  }),
  flood("500 pages that follow changes", [500, [200, 429, 503]], (target) => [
    `GET /live HTTP/1.1\r\nHost: a\r\nCookie: ${target.cookie}\r\n\r\n`,
  ]),
];

/** Many sockets that each send the same, and then wait. */
function flood(
  name: string,
  [count, allowed]: readonly [number, readonly number[]],
  textsOf: (target: Target) => readonly string[],
): Attack {
  return {
    name,
    allowed,
    prepare(target) {
      const texts = textsOf(target);
      return () =>
        withSockets(target, {
          count,
          async attack(sockets) {
            for (const socket of sockets) for (const text of texts) socket.write(text);
            await letPass(target.dripMs);
          },
        });
    },
  };
}

function dripping(
  name: string,
  count: number,
  { head, ...pieces }: { readonly head: string; readonly piece: string; readonly everyMs?: number },
): Attack {
  return {
    name,
    allowed: [],
    prepare: (target) => () =>
      withSockets(target, {
        count,
        async attack(sockets) {
          for (const socket of sockets) socket.write(head);
          await drip(sockets, { ms: target.dripMs, ...pieces });
        },
      }),
  };
}

/** One socket that sends all at once, and reads the answers if any is allowed. */
function inOneBreath(
  name: string,
  allowed: readonly number[],
  textOf: (target: Target) => string,
): Attack {
  return {
    name,
    allowed,
    prepare: (target) => () =>
      withSockets(
        { ...target, scale: 1 },
        {
          count: 1,
          async attack([socket]) {
            if (allowed.length > 0) socket?.resume();
            else socket?.pause();
            socket?.write(textOf(target));
            await letPass(target.dripMs);
          },
        },
      ),
  };
}

const nameOf = (login: string): string =>
  Buffer.from(login.replace("Basic ", ""), "base64").toString().split(":")[0] ?? "";

function neverRead(
  name: string,
  count: number,
  requestOf: (target: Target) => { readonly head: string; readonly body?: string },
): Attack {
  return {
    name,
    allowed: [],
    prepare(target) {
      const { head, body = "" } = requestOf(target);
      return async () => {
        await withSockets(target, {
          count,
          async attack(sockets) {
            for (const socket of sockets) {
              socket?.pause();
              socket.write(`${head}\r\nHost: a\r\n\r\n${body}`);
            }
            await letPass(target.dripMs);
          },
        });
        return new Map<number, number>();
      };
    },
  };
}
