import { expect, test } from "vitest";
import { startRig } from "./rig.ts";

const json = { "content-type": "application/json" };

test.each([
  ["no User-Agent", { headers: { "user-agent": "" } }, 400],
  ["no key", { key: null }, 403],
  ["unknown key", { key: "sandbox-nobody" }, 403],
  ["no User-Agent and no key", { headers: { "user-agent": "" }, key: null }, 400],
] as const)("gate() answers GET with %s", async (_, options, status) => {
  const { call } = await startRig();
  const answer = await call("GET /labels", options);
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject({ message: expect.any(String) });
});

test("gate() answers 400 without User-Agent", async () => {
  const { sandbox } = await startRig();
  const { request } = await import("node:http");
  const status = await new Promise((resolve, reject) => {
    const headers = { "x-api-key": sandbox.keys[0]?.apiKey };
    request(`${sandbox.baseUrl}/labels`, { headers }, (it) => {
      it.resume();
      resolve(it.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(400);
});

test.each([
  ["no Content-Type", { bytes: Buffer.from('{"name":"x"}') }, 415],
  ["text/plain", { body: { name: "x" }, headers: { "content-type": "text/plain" } }, 415],
  ["application/jsonp", { body: {}, headers: { "content-type": "application/jsonp" } }, 415],
  [
    "a charset",
    { body: { name: "x" }, headers: { "content-type": "application/json; charset=utf-8" } },
    200,
  ],
  ["capitals", { body: { name: "x" }, headers: { "content-type": "Application/JSON" } }, 200],
  ["broken JSON", { bytes: Buffer.from("{"), headers: json }, 400],
  ["no body", { headers: json }, 400],
  [
    "bytes that are no UTF-8",
    { bytes: Buffer.from('{"name":"\xff"}', "latin1"), headers: json },
    400,
  ],
  ["an array", { body: [] }, 400],
  [
    "wrong type and no key",
    { body: {}, headers: { "content-type": "text/plain" }, key: null },
    403,
  ],
] as const)("jsonOnly() answers POST with %s", async (_, options, status) => {
  const { call } = await startRig();
  expect((await call("POST /labels", options)).status).toBe(status);
});

test("sandboxApp() answers 415 before checking access, and access before existence", async () => {
  const { call, key } = await startRig();
  const path = "/projects/999/events";
  const plain = { "content-type": "text/plain" };
  expect((await call(`POST ${path}`, { body: {}, headers: plain })).status).toBe(415);
  expect((await call(`POST ${path}`, { body: {}, key: key("Farid") })).status).toBe(403);
  expect((await call(`POST ${path}`, { body: {} })).status).toBe(404);
});

test("sandboxApp() answers 404 for unknown paths and ids that are no numbers, and 405 with Allow", async () => {
  const { call } = await startRig();
  for (const path of ["/nothing", "/projects/x/events?view=all", "/labels/1.5", "/labels/-1"])
    expect((await call(`GET ${path}`)).status).toBe(404);
  const answer = await call("DELETE /labels");
  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toBe("GET, POST");
});

test("sandboxApp() answers HEAD as GET without a body", async () => {
  const { call } = await startRig();
  const answer = await call("HEAD /labels");
  expect(answer.status).toBe(200);
  expect(answer.text).toBe("");
});
