import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { object, vevent } from "../../packages/caldav-server/test/protocol/world.ts";
import { startDav } from "../support/dav-server.ts";
import { bearer, startApp } from "./app-rig.ts";

interface Asked {
  readonly port: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Announced bytes; by default those of the body. */
  readonly length?: number | null | undefined;
}

interface Answered {
  /** Whether the server requested the body, which is sent only then. */
  readonly isAsked: boolean;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Sends a request like a program that waits for `100 Continue`. */
function ask(request: string, { port, headers = {}, body, length }: Asked): Promise<Answered> {
  const [method, path] = request.split(" ");
  const announced = length === undefined ? Buffer.byteLength(body) : length;
  const size = announced === null ? {} : { "content-length": String(announced) };
  const all = { expect: "100-continue", ...size, ...headers };
  return new Promise((resolve, reject) => {
    let isAsked = false;
    const sent = httpRequest({ host: "127.0.0.1", port, method, path, headers: all }, (answer) => {
      const { statusCode: status = 0, headers: received } = answer;
      answer.resume();
      resolve({ isAsked, status, headers: received });
      if (!isAsked) sent.destroy();
    });
    sent.on("continue", () => {
      isAsked = true;
      sent.end(body);
    });
    sent.on("error", reject);
    sent.flushHeaders();
  });
}

const path = "/dav/calendars/11/events-2001/a.ics";
const type = { "content-type": "text/calendar" };
const party = object(vevent("a"));

async function davServer() {
  const dav = await startDav({ maxSize: 10_000 });
  return { ...dav, own: { ...type, ...dav.as("ana@example.com", dav.secrets.ana) } };
}

describe("a body for the calendars", () => {
  it.each([
    ["its length", undefined],
    ["chunks", null],
  ])(
    "with %s is requested once it is needed, and the connection stays open",
    async (_name, length) => {
      const { port, own } = await davServer();
      const answer = await ask(`PUT ${path}`, { port, headers: own, body: party, length });
      expect(answer).toMatchObject({ isAsked: true, status: 201 });
      expect(answer.headers.connection).not.toBe("close");
    },
  );

  it("is not requested without signing in", async () => {
    const { port, as } = await davServer();
    for (const headers of [type, { ...type, ...as("ana@example.com", "wrong") }]) {
      const answer = await ask(`PUT ${path}`, { port, headers, body: party });
      expect(answer).toMatchObject({
        isAsked: false,
        status: 401,
        headers: { connection: "close" },
      });
    }
  });

  it("is not requested if it is too large, or its target does not exist", async () => {
    const { port, own } = await davServer();
    const large = await ask(`PUT ${path}`, { port, headers: own, body: party, length: 10_001 });
    expect(large).toMatchObject({ isAsked: false, status: 409, headers: { connection: "close" } });
    const nowhere = await ask("PUT /dav/calendars/11/events-2001/a/b.ics", {
      port,
      headers: own,
      body: party,
    });
    expect(nowhere).toMatchObject({ isAsked: false, status: 409 });
    const xml = { port, headers: own, body: "<x/>", length: 50_000_000 };
    expect(await ask("PROPFIND /dav/", xml)).toMatchObject({ isAsked: false, status: 413 });
  });

  it("is 417 for another expectation", async () => {
    const { port, own } = await davServer();
    const headers = { ...own, expect: "200-ok" };
    expect(await ask(`PUT ${path}`, { port, headers, body: party })).toMatchObject({
      isAsked: false,
      status: 417,
    });
  });
});

it("a file for /api/edits is requested only with the token, and only if it is small enough", async () => {
  const { port } = await startApp();
  const request = "POST /api/edits?project=2001";
  const [body, headers] = [party, { ...type, ...bearer }];
  expect(await ask(request, { port, headers, body })).toMatchObject({
    isAsked: true,
    status: 202,
  });
  const stranger = await ask(request, { port, headers: type, body });
  expect(stranger).toMatchObject({ isAsked: false, status: 401 });
  const large = await ask(request, { port, headers, body, length: 7_000_000 });
  expect(large).toMatchObject({ isAsked: false, status: 413, headers: { connection: "close" } });
});
