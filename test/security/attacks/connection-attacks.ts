import { letPass } from "../../support/eventually.ts";
import { type Attack, drip, type Target, withSockets } from "./target.ts";

const ok = [200, 304];

/** What can be done with connections alone: to hold them, to drip, not to read, to ask for too much at once. */
export const connectionAttacks: readonly Attack[] = [
  {
    name: "200 subscribers of a large feed who never read",
    allowed: [],
    prepare: (target) => () =>
      neverRead(target, { count: 200, head: `GET ${target.feed} HTTP/1.1` }),
  },
  {
    name: "50 admins who never read a report",
    allowed: [],
    prepare: (target) => () =>
      neverRead(target, {
        count: 50,
        head: `GET /api/reports/agenda?format=csv&from=2020-01-01&to=2035-01-01 HTTP/1.1\r\nAuthorization: ${target.bearer}`,
      }),
  },
  {
    name: "100 calendar programs that never read a listing",
    allowed: [],
    prepare: (target) => {
      const body =
        '<d:propfind xmlns:d="DAV:"><d:prop><d:getetag/><d:displayname/><d:getcontenttype/></d:prop></d:propfind>';
      return () =>
        neverRead(target, {
          count: 100,
          head: `PROPFIND ${target.calendar} HTTP/1.1\r\nDepth: 1\r\nAuthorization: ${target.login}\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}`,
          body,
        });
    },
  },
  {
    name: "300 connections whose headers never end",
    allowed: [],
    prepare: (target) => () =>
      withSockets(target, {
        count: 300,
        async attack(sockets) {
          for (const socket of sockets) socket.write("GET / HTTP/1.1\r\n");
          await drip(sockets, { ms: target.dripMs, piece: "X-A: a\r\n" });
        },
      }),
  },
  {
    name: "200 bodies that come octet by octet",
    allowed: [],
    prepare: (target) => () =>
      withSockets(target, {
        count: 200,
        async attack(sockets) {
          for (const socket of sockets) {
            socket.write(
              "POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n",
            );
          }
          await drip(sockets, { ms: target.dripMs, piece: "a", everyMs: 500 });
        },
      }),
  },
  {
    name: "200 edits of 4 MB of which all but the end comes",
    allowed: [401],
    prepare: (target) => {
      const most = "a".repeat(4_000_000);
      return () =>
        withSockets(target, {
          count: 200,
          async attack(sockets) {
            for (const socket of sockets) {
              socket.write(
                `POST /api/edits?project=${target.project} HTTP/1.1\r\nHost: a\r\nContent-Length: ${most.length + 1}\r\nContent-Type: text/calendar\r\n\r\n`,
              );
              socket.write(most);
            }
            await letPass(target.dripMs);
          },
        });
    },
  },
  {
    name: "2,000 connections that say nothing",
    allowed: [],
    prepare: (target) => () =>
      withSockets(target, { count: 2000, attack: () => letPass(target.dripMs) }),
  },
  {
    name: "5,000 requests in one breath on one connection",
    allowed: ok,
    prepare: (target) => () =>
      withSockets(
        { ...target, scale: 1 },
        {
          count: 1,
          async attack([socket]) {
            socket?.resume();
            const times = Math.ceil(5000 * target.scale);
            socket?.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(times));
            await letPass(target.dripMs);
          },
        },
      ),
  },
  {
    name: "200 large feeds asked for in one breath, none read",
    allowed: [],
    prepare: (target) => () =>
      withSockets(
        { ...target, scale: 1 },
        {
          count: 1,
          async attack([socket]) {
            socket?.pause();
            socket?.write(`GET ${target.feed} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(200));
            await letPass(target.dripMs);
          },
        },
      ),
  },
  {
    name: "5,000 wrong secrets from 250 addresses",
    allowed: [401, 429],
    prepare: (target) => {
      const request = "GET /api/status HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer wrong\r\n\r\n";
      return () =>
        withSockets(target, {
          count: 250,
          async attack(sockets) {
            for (const socket of sockets) socket.write(request.repeat(20));
            await letPass(target.dripMs);
          },
        });
    },
  },
  {
    name: "500 wrong app passwords at once",
    allowed: [401, 429],
    prepare: (target) => {
      const wrong = Buffer.from(`${nameOf(target.login)}:wrong`).toString("base64");
      return () =>
        withSockets(target, {
          count: 500,
          async attack(sockets) {
            for (const socket of sockets) {
              socket.write(
                `PROPFIND /dav/ HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAuthorization: Basic ${wrong}\r\n\r\n`,
              );
            }
            await letPass(target.dripMs);
          },
        });
    },
  },
  {
    name: "500 pages that follow changes",
    allowed: [200, 429, 503],
    prepare: (target) => () =>
      withSockets(target, {
        count: 500,
        async attack(sockets) {
          for (const socket of sockets) {
            socket.write(`GET /live HTTP/1.1\r\nHost: a\r\nCookie: ${target.cookie}\r\n\r\n`);
          }
          await letPass(target.dripMs);
        },
      }),
  },
];

const nameOf = (login: string): string =>
  Buffer.from(login.replace("Basic ", ""), "base64").toString().split(":")[0] ?? "";

async function neverRead(
  target: Target,
  {
    count,
    head,
    body = "",
  }: { readonly count: number; readonly head: string; readonly body?: string },
) {
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
}
