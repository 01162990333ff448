import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { allMetrics } from "../../src/http/metric-list.ts";
import { missingPromtool, promtool } from "../clients/promtool.ts";
import { dayferry, type Installation, install } from "../support/dayferry.ts";
import { callHttp } from "../support/http-call.ts";
import { serveHere } from "../support/in-process.ts";
import { testSandbox } from "../support/sandbox.ts";

type Here = Awaited<ReturnType<typeof serveHere>>;

/** The numbers of a text, by name and labels as written. */
const numbersIn = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), Number(line.slice(at + 1))] as const;
      }),
  );

const portOf = (url: string): number => Number(new URL(url).port);

describe("/metrics of a daemon", () => {
  let installation: Installation;
  let daemon: Here;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const sandbox = await testSandbox();
    installation = install(sandbox);
    daemon = await serveHere(installation);
    close = async () => {
      await daemon.stop();
      await sandbox.close();
      installation.dispose();
    };
  });
  afterAll(() => close());

  const call = (request: string, headers: Readonly<Record<string, string>> = {}) =>
    callHttp(portOf(daemon.url), request, { headers });
  const numbers = async () => numbersIn((await call("GET /metrics")).text);

  it("is readable without signing in, and never cached", async () => {
    const { status, headers, text } = await call("GET /metrics");
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "cache-control": "no-store",
      vary: "Accept",
      "x-content-type-options": "nosniff",
    });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(text.endsWith("\n")).toBe(true);
  });

  it.skipIf(missingPromtool)("passes promtool", async () => {
    const { text } = await call("GET /metrics");
    expect(await promtool(["check", "metrics"], text)).toEqual({ code: 0, output: "" });
  });

  it("is OpenMetrics on request", async () => {
    const accept = "application/openmetrics-text; version=1.0.0, text/plain;q=0.5";
    const { headers, text } = await call("GET /metrics", { accept });
    expect(headers["content-type"]).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    expect(text.endsWith("\n# EOF\n")).toBe(true);
    expect(text).toContain("# TYPE dayferry_polls counter\ndayferry_polls_total{");
  });

  it("answers HEAD without a body, and other methods with 405", async () => {
    const head = await call("HEAD /metrics");
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(Number(head.headers["content-length"])).toBeGreaterThan(1000);
    for (const method of ["POST", "PUT", "DELETE"]) {
      const { status, headers } = await call(`${method} /metrics`);
      expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
    }
  });

  it("contains each documented metric once, with its labels and valid numbers", async () => {
    const { text } = await call("GET /metrics");
    const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [
      name,
      type,
    ]);
    expect(families).toEqual(allMetrics.map(({ name, type }) => [name, type]));
    const wrong = allMetrics.flatMap(({ name, type, labels = [] }) => {
      const suffix = type === "histogram" ? "_count" : "";
      const lines = text.split("\n").filter((line) => line.startsWith(`${name}${suffix}{`));
      const bare = text.includes(`\n${name}${suffix} `);
      const named = lines.map((line) => [...line.matchAll(/(\w+)="/g)].map(([, label]) => label));
      const isRight =
        labels.length === 0
          ? bare && lines.length === 0
          : !bare && lines.length > 0 && named.every((each) => each.join() === labels.join());
      return isRight ? [] : [name];
    });
    expect(wrong).toEqual([]);
    expect([...numbersIn(text).values()].filter(Number.isNaN)).toEqual([]);
  });

  it("counts requests by channel and status", async () => {
    const before = await numbers();
    const [feed] = daemon.modules.feeds.list();
    const path = feed?.path ?? "";
    const { headers } = await call(`GET ${path}`);
    await call(`GET ${path}`, { "if-none-match": String(headers.etag) });
    await call(`GET /feeds/${"x".repeat(27)}/a.ics`);
    await call("PROPFIND /dav/");
    await call("SEARCH /dav/");
    await call("GET /api/status");
    await call("GET /act/forged");
    const after = await numbers();
    const grown = [...after].flatMap(([name, value]) => {
      const more = value - (before.get(name) ?? 0);
      return /_requests_total|_fetches_total/.test(name) &&
        /door|status="\d{3}"|caldav/.test(name) &&
        more > 0
        ? [`${name} ${more}`]
        : [];
    });
    expect(grown.toSorted()).toEqual([
      'dayferry_caldav_requests_total{method="PROPFIND",status="4xx"} 1',
      'dayferry_caldav_requests_total{method="other",status="4xx"} 1',
      'dayferry_feed_fetches_total{status="200"} 1',
      'dayferry_feed_fetches_total{status="304"} 1',
      'dayferry_feed_fetches_total{status="404"} 1',
      'dayferry_http_requests_total{door="api",status="4xx"} 1',
      'dayferry_http_requests_total{door="caldav",status="4xx"} 2',
      'dayferry_http_requests_total{door="feed",status="2xx"} 1',
      'dayferry_http_requests_total{door="feed",status="3xx"} 1',
      'dayferry_http_requests_total{door="feed",status="4xx"} 1',
      'dayferry_http_requests_total{door="health",status="2xx"} 1',
      'dayferry_http_requests_total{door="link",status="4xx"} 1',
    ]);
    expect(after.get('dayferry_http_request_duration_seconds_count{door="feed"}')).toBe(
      (before.get('dayferry_http_request_duration_seconds_count{door="feed"}') ?? 0) + 3,
    );
  });

  it("matches /api/status, under the documented names", async () => {
    const { adminToken, url } = daemon;
    const headers = { authorization: `Bearer ${adminToken}` };
    const answer = await fetch(`${url}/api/status`, { headers });
    const status: Readonly<Record<string, unknown>> = JSON.parse(await answer.text());
    expect(status.metrics).toBe(`${url}/metrics`);
    const lacking = allMetrics.flatMap(({ name, status: path }) => {
      if (path === undefined) return [];
      // Values that only a reader of a copy gives are null as a whole.
      const inside = (within: unknown, key: string) =>
        within === null ? null : Object(within)[key];
      const value = path.split(".").reduce<unknown>(inside, status);
      return value === undefined ? [`${name}: ${path}`] : [];
    });
    expect(lacking).toEqual([]);
    const told = await numbers();
    expect(told.get("dayferry_quota_limit")).toBe(Object(status.quota).quota);
    expect(told.get("dayferry_polling_max_age_seconds")).toBe(Object(status.polling).maxAgeSeconds);
    expect(told.get("dayferry_disk_size_bytes")).toBe(Object(status.disk).sizeBytes);
    expect(told.get("dayferry_ready")).toBe(1);
    expect(told.get('dayferry_lists{kind="events"}')).toBe(2);
    expect(told.get('dayferry_polls_total{kind="events",ending="read"}')).toBeGreaterThan(1);
    expect(told.get("dayferry_sweep_duration_seconds_count")).toBe(1);
    expect(told.get('dayferry_service_requests_total{method="GET",status="2xx"}')).toBeGreaterThan(
      7,
    );
  });

  it("contains no name, address or ID of anybody", async () => {
    const { text } = await call("GET /metrics");
    const { directory } = daemon.modules.store;
    const words = [
      ...directory.people().flatMap(({ name, email }) => [name, email ?? name]),
      ...directory.projects().map(({ title }) => title),
      daemon.adminToken,
      installation.dataDir,
      daemon.modules.store.meta.installation,
    ];
    expect(words.length).toBeGreaterThan(5);
    expect(words.filter((word) => text.includes(word))).toEqual([]);
    // A label's value is a word, a status, or a bound.
    const values = [...text.matchAll(/(\w+)="([^"]*)"/g)].filter(
      ([, label]) => label !== "version",
    );
    expect(values.filter(([, , value = ""]) => !/^[A-Za-z0-9.+-]{1,30}$/.test(value))).toEqual([]);
  });
});

it("/metrics is available only on its own port if one is configured", async () => {
  const sandbox = await testSandbox();
  const installation = install(sandbox, { metrics: { port: 0 } });
  const daemon = await serveHere(installation, { ready: false });
  onTestFinished(async () => {
    await daemon.stop();
    await sandbox.close();
    installation.dispose();
  });
  const main = portOf(daemon.url);
  expect((await callHttp(main, "GET /metrics")).status).toBe(404);
  const headers = { authorization: `Bearer ${daemon.adminToken}` };
  const status = JSON.parse((await callHttp(main, "GET /api/status", { headers })).text);
  expect(status.metrics).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const own = portOf(status.metrics);
  const answer = await callHttp(own, "GET /metrics?x=1");
  expect([answer.status, answer.headers["content-type"]]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  expect(numbersIn(answer.text).get('dayferry_build_info{version="0.0.0"}')).toBe(1);
  const head = await callHttp(own, "HEAD /metrics");
  expect([head.status, head.text]).toEqual([200, ""]);
  const post = await callHttp(own, "POST /metrics");
  expect([post.status, post.headers.allow]).toEqual([405, "GET, HEAD"]);
  for (const path of ["/", "/api/status", "/metricsx", "/healthz"]) {
    expect([path, (await callHttp(own, `GET ${path}`)).status]).toEqual([path, 404]);
  }
});

it("/metrics is missing if it is switched off", async () => {
  const sandbox = await testSandbox();
  const installation = install(sandbox, { metrics: { enabled: false } });
  const daemon = await serveHere(installation, { ready: false });
  onTestFinished(async () => {
    await daemon.stop();
    await sandbox.close();
    installation.dispose();
  });
  expect((await callHttp(portOf(daemon.url), "GET /metrics")).status).toBe(404);
});

it("an occupied port for metrics is reported in one sentence, and nothing keeps listening", async () => {
  const sandbox = await testSandbox();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const address = taken.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const installation = install(sandbox, { metrics: { port } });
  onTestFinished(async () => {
    taken.close();
    await sandbox.close();
    installation.dispose();
  });
  const { code, stderr } = await dayferry(["serve", "--config", installation.configFile]);
  expect(code).toBe(1);
  expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
  expect(stderr).toContain("metrics.host and metrics.port");
  expect(stderr).not.toContain("at Server");
  expect(readFileSync(installation.configFile, "utf8")).toContain("metrics");
});
