import * as zlib from "node:zlib";
import { expect, test } from "vitest";
import { labelId } from "../../src/domain/ids.ts";
import { call, getLabel, label, value } from "./label-rig.ts";
import { type Answerer, clientOf, json, startLoopback } from "./loopback.ts";

test("get() sends key, user agent and accept and reads the answer", async () => {
  const { result, arrivals } = await getLabel((_, response) => json(response, label));
  expect(result).toEqual({ ok: true, value });
  expect(arrivals).toHaveLength(1);
  expect(arrivals[0]?.path).toBe("/api/v3/labels/5");
  expect(arrivals[0]?.headers).toMatchObject({
    "x-api-key": "key-of-the-account",
    "user-agent": "Dayferry (test@example.com)",
    accept: "application/json",
  });
  expect(arrivals[0]?.headers["content-type"]).toBeUndefined();
});

const encodings: readonly (readonly [string, (text: string) => Buffer])[] = [
  ["gzip", (text) => zlib.gzipSync(text)],
  ["deflate", (text) => zlib.deflateSync(text)],
  ["deflate", (text) => zlib.deflateRawSync(text)],
  ["br", (text) => zlib.brotliCompressSync(text)],
];
test.each(encodings)("get() inflates a %s answer", async (encoding, pack) => {
  const { result } = await getLabel((_, response) => {
    response.writeHead(200, { "content-encoding": encoding });
    response.end(pack(JSON.stringify(label)));
  });
  expect(result).toEqual({ ok: true, value });
});

const unreadable: readonly (readonly [string, Answerer, RegExp])[] = [
  [
    "an HTML page",
    (_, response) => void response.end("<html><body>Log in please</body></html>"),
    /HTML page.*Log in please/,
  ],
  ["cut JSON", (_, response) => void response.end('{"id": 5, "na'), /no complete JSON/],
  ["an empty body", (_, response) => void response.end(), /body is empty/],
  ["an array for a single thing", (_, response) => json(response, [label]), /expected an object/],
  ["an invalid id", (_, response) => json(response, { ...label, id: "x5" }), /id: "x5"/],
  ["an id beyond 2^53", (_, response) => void response.end('{"id": 9007199254740993}'), /id: /],
  [
    "damaged gzip",
    (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end("no gzip at all");
    },
    /gzip body is damaged/,
  ],
  [
    "an inflation bomb",
    (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(zlib.gzipSync(Buffer.alloc(51_000_000)));
    },
    /decompressed response is longer/,
  ],
  [
    "an unknown encoding",
    (_, response) => {
      response.writeHead(200, { "content-encoding": "zstd-9" });
      response.end("x");
    },
    /"zstd-9" was not asked for/,
  ],
  [
    "text that is not UTF-8",
    (_, response) => void response.end(Buffer.from([0x22, 0xe9, 0x22])),
    /not UTF-8/,
  ],
];
test.each(unreadable)("get() is unreadable after %s", async (_, answer, message) => {
  const { result, arrivals } = await getLabel(answer);
  expect(result).toMatchObject({
    ok: false,
    failure: {
      kind: "unreadable",
      request: "GET /labels/5",
      message: expect.stringMatching(message),
    },
  });
  expect(arrivals).toHaveLength(1);
});

test("list() is unreadable when the answer is no array", async () => {
  for (const body of ["{}", "null", "<p>no</p>", '[{"id":1},', '"text"']) {
    const server = await startLoopback((_, response) => void response.end(body));
    const { upstream } = clientOf(server.baseUrl);
    const result = await upstream.labels.list(call);
    expect(result).toMatchObject({ ok: false, failure: { kind: "unreadable" } });
  }
});

const refusals: readonly (readonly [number, string, string])[] = [
  [400, '{"message": "User-Agent is missing"}', "User-Agent is missing"],
  [401, '{"error": "bad key"}', "bad key"],
  [403, "", "Forbidden"],
  [404, "<html><h1>Not &here</h1></html>", "Not &here"],
  [405, "plain words", "plain words"],
  [409, '{"error": {"message": "deep"}}', "deep"],
  [410, "[]", "[]"],
  [413, '{"errors": ["too", "big"]}', "too; big"],
  [415, '{"detail": "JSON please"}', "JSON please"],
  [422, '{"odd": 1}', '{"odd": 1}'],
];
test.each(refusals)("get() is refused with status %i", async (status, body, message) => {
  const { result, arrivals } = await getLabel((_, response) => {
    response.writeHead(status);
    response.end(body);
  });
  expect(result).toEqual({
    ok: false,
    failure: { kind: "refused", status, message, request: "GET /labels/5" },
  });
  expect(arrivals).toHaveLength(1);
});

test("get() does not follow a redirect and names its target without the query", async () => {
  const { result, arrivals } = await getLabel((_, response) => {
    response.writeHead(302, { location: "https://elsewhere.example/login?token=secret" });
    response.end();
  });
  expect(arrivals).toHaveLength(1);
  expect(result).toMatchObject({ ok: false, failure: { kind: "unavailable", status: 302 } });
  const text = JSON.stringify(result);
  expect(text).toContain("https://elsewhere.example/login");
  expect(text).not.toContain("secret");
});

test("a redirect settles nothing about an edit: a creation stays an open question", async () => {
  const { baseUrl, arrivals } = await startLoopback((_, response) => {
    response.writeHead(303, { location: "/portal/log-in" }).end();
  });
  const { upstream } = clientOf(baseUrl);
  expect(await upstream.labels.create({ name: "Urgent" }, call)).toMatchObject({
    ok: false,
    failure: { kind: "unknown-outcome", message: expect.stringContaining("/portal/log-in") },
  });
  expect(arrivals).toHaveLength(1);
});

test.each<[string, Answerer]>([
  ["redirects everything", (_, response) => void response.writeHead(302, { location: "/" }).end()],
  [
    "answers everything with a page",
    (_, response) =>
      void response.writeHead(200, { "content-type": "text/html" }).end("<p>Please log in</p>"),
  ],
])("isOut() while a network %s, until the service answers", async (_, portal) => {
  let isThere = false;
  const { baseUrl } = await startLoopback((arrival, response, request) => {
    if (isThere) json(response, label);
    else portal(arrival, response, request);
  });
  const { upstream, events } = clientOf(baseUrl);
  await upstream.labels.get(labelId(5), call);
  await upstream.labels.list(call);
  expect(upstream.isOut()).toBe(true);
  isThere = true;
  await upstream.labels.get(labelId(5), call);
  expect(upstream.isOut()).toBe(false);
  expect(events.map(({ kind }) => kind)).toContain("back");
});

test("status 200 with code and message is service-refused", async () => {
  const { result } = await getLabel((_, response) =>
    json(response, { code: 2033, message: "value does not match its type" }),
  );
  expect(result).toEqual({
    ok: false,
    failure: {
      kind: "service-refused",
      code: 2033,
      message: "value does not match its type",
      request: "GET /labels/5",
    },
  });
});
