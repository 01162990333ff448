import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Sandbox } from "@dayferry/sandbox";
import { type DaemonProcess, startDaemonProcess } from "../../../bench/size/daemon-process.ts";
import { install } from "../../support/dayferry.ts";
import { eventually } from "../../support/eventually.ts";
import { ownerOf, testSandbox } from "../../support/sandbox.ts";
import type { HostileService, ServiceLie, Target } from "./target.ts";

/** A separate daemon process, as its attackers see it. */
export interface AttackedDaemon {
  readonly daemon: DaemonProcess;
  readonly target: Target;
  readonly close: () => Promise<void>;
}

/** So that the items arrive soon. */
const quota = { requests: 400, per: "PT0.2S" };

/** Starts a daemon with a feed of so many items of 3 kB, behind a service that lies on request. */
export async function startAttackedDaemon({
  items,
  dripMs,
  scale,
}: {
  readonly items: number;
  readonly dripMs: number;
  readonly scale: number;
}): Promise<AttackedDaemon> {
  const sandbox = await testSandbox({ quota: { requests: 500, perMs: 200 } });
  const service = await between(sandbox);
  const installation = install(sandbox, {
    service: { baseUrl: service.baseUrl, timeout: "PT3S", quota },
    polling: { maxAge: "PT1M" },
  });
  const daemon = await startDaemonProcess({ ...installation, blocks: true });
  const person = ownerOf(sandbox);
  const json = async (path: string, init: RequestInit = {}): Promise<Record<string, unknown>> =>
    Object(await (await daemon.ask(path, init)).json());
  await eventually("all is read", async () => {
    return (await fetch(`${daemon.url}/readyz`)).status === 200 ? true : null;
  });
  const { feeds } = await json("/api/feeds");
  const [feed]: readonly { readonly url: string; readonly projectId: number }[] = Array.isArray(
    feeds,
  )
    ? feeds.filter(({ kind }) => kind === "project")
    : [];
  if (!feed) throw new Error("there is no feed");
  const given = await json(`/api/people/${person}/password`, { method: "POST" });
  for (let from = 0; from < items; from += 500) {
    const events = Array.from({ length: Math.min(500, items - from) }, (_, nth) =>
      eventOf(from + nth),
    );
    const body = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Attacks//EN\r\n${events.join("")}END:VCALENDAR\r\n`;
    const answer = await daemon.ask(`/api/edits?project=${feed.projectId}`, {
      method: "POST",
      body,
    });
    if (answer.status !== 202) throw new Error(`the events were answered ${answer.status}`);
    await answer.text();
  }
  return {
    daemon,
    target: {
      port: daemon.port,
      feed: new URL(feed.url).pathname,
      project: feed.projectId,
      calendar: `/dav/calendars/${person}/events-${feed.projectId}/`,
      login: `Basic ${Buffer.from(`${person}:${String(given["password"])}`).toString("base64")}`,
      bearer: daemon.bearer,
      cookie: await cookieOf(daemon),
      service: service.hostile,
      dripMs,
      scale,
    },
    async close() {
      await daemon.stop();
      service.close();
      await sandbox.close();
      installation.dispose();
    },
  };
}

async function cookieOf({ url, bearer }: DaemonProcess): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: url },
    body: new URLSearchParams({ token: bearer.replace("Bearer ", "") }).toString(),
  });
  await answer.text();
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

/** A server between daemon and sandbox that passes everything on, until it is set to lie to readers. */
async function between(sandbox: Sandbox) {
  const { port: to } = new URL(sandbox.baseUrl);
  let told: ServiceLie | null = null;
  let lied = 0;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    if (told !== null && request.method === "GET") {
      lied += 1;
      told(request.socket);
      return;
    }
    const { method, url, headers } = request;
    const onward = httpRequest(
      { host: "127.0.0.1", port: to, method, path: url, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const hostile: HostileService = {
    lie(answer) {
      [told, lied] = [answer, 0];
      if (answer === null) for (const socket of sockets) socket.destroy();
    },
    lied: () => lied,
  };
  const baseUrl = new URL(sandbox.baseUrl);
  baseUrl.port = String(port);
  return {
    hostile,
    baseUrl: baseUrl.href.replace(/\/$/, ""),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function eventOf(nth: number): string {
  const on = Temporal.Now.plainDateISO("UTC").add({ days: (nth % 300) - 40 });
  return [
    "BEGIN:VEVENT",
    `UID:attacked-${nth}@example.com`,
    `SUMMARY:Event ${nth}`,
    `DESCRIPTION:${"What it is about. ".repeat(150)}`,
    `DTSTART;VALUE=DATE:${on.toString().replaceAll("-", "")}`,
    "END:VEVENT\r\n",
  ].join("\r\n");
}
