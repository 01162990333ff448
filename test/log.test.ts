import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { createLog, type LogLevel } from "../src/log.ts";

const clock = () => Temporal.Instant.from("2026-11-21T08:00:00.5Z");

function capture(level: LogLevel = "debug", secrets: readonly string[] = []) {
  const lines: string[] = [];
  const log = createLog({ level, write: (line) => lines.push(line), clock, secrets });
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? "null");
  return { log, lines, last };
}

describe("createLog()", () => {
  test("createLog() line when fields are given", () => {
    const { log, lines } = capture();
    log.info("edit confirmed", { edit: 7, took: Temporal.Duration.from("PT2S"), big: 2n ** 60n });
    expect(lines).toEqual([
      `${JSON.stringify({
        level: "info",
        time: "2026-11-21T08:00:00.5Z",
        edit: 7,
        took: "PT2S",
        big: "1152921504606846976",
        event: "edit confirmed",
      })}\n`,
    ]);
  });

  test("createLog() lines when the level is warn", () => {
    const { log, lines } = capture("warn");
    log.debug("a");
    log.info("b");
    log.warn("c");
    log.error("d");
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(["warn", "error"]);
  });

  test("child() line when fields repeat and collide with the line's own", () => {
    const { log, last, lines } = capture();
    log
      .child({ room: "sync", source: 1 })
      .child({ source: 2 })
      .warn("slow", { event: "x", level: 3 });
    expect(last()).toMatchObject({
      level: "warn",
      room: "sync",
      source: 2,
      event_: "x",
      level_: 3,
    });
    expect(lines[0]?.match(/"source"/g)).toHaveLength(1);
  });

  test.each([
    "apiKey",
    "api_key",
    "x-api-key",
    "X-Api-Key",
    "authorization",
    "Proxy-Authorization",
    "password",
    "smtpPassword",
    "adminToken",
    "token",
    "clientSecret",
    "set-cookie",
    "cookie",
  ])("createLog() line when a field is named %s", (name) => {
    const { log, lines, last } = capture();
    log.info("x", { [name]: "hush", a: { b: [{ c: { d: { [name]: ["hush"] } } }] } });
    log.child({ headers: { [name]: "hush" } }).info("y", { [name]: null });
    expect(lines.join("")).not.toContain("hush");
    expect(last()[name]).toBe(null);
  });

  test.each([
    ["smtp://me:hush@mail.example:25/x", "smtp://…@mail.example:25/x"],
    ["see https://me:hu@sh@a.example/p and b@c.d", "see https://…@a.example/p and b@c.d"],
    ["GET /feeds/hush/all.ics 200", "GET /feeds/…/all.ics 200"],
    ["https://c.example/base/feeds/hush/all.ics?x=1", "https://c.example/base/feeds/…/all.ics?x=1"],
    ["POST /api/feeds/12/rotate", "POST /api/feeds/12/rotate"],
    ["POST /act/hush", "POST /act/…"],
    [
      "https://g.example/ical/a/private-hush/basic.ics",
      "https://g.example/ical/a/private-…/basic.ics",
    ],
    ["Authorization: Bearer hush.hush", "Authorization: Bearer …"],
    ["/x?a=1&access_token=hush&b=2", "/x?a=1&access_token=…&b=2"],
    ["the exact-secret-value came", "the … came"],
  ])("createLog() line when a text reads %s", (text, clean) => {
    const { log, last, lines } = capture("debug", ["exact-secret-value", "a"]);
    const error = new Error(`failed: ${text}`, { cause: new TypeError(text) });
    log.error(text, { text, deep: [{ text }], error });
    expect(last()).toMatchObject({
      event: clean,
      text: clean,
      deep: [{ text: clean }],
      error: {
        type: "Error",
        message: `failed: ${clean}`,
        cause: { type: "TypeError", message: clean },
      },
    });
    expect(lines.join("")).not.toMatch(/hush|exact-secret/);
  });

  test("createLog() line when an error carries fields and inner errors", () => {
    const { log, last } = capture();
    const inner = Object.assign(new Error("refused"), { code: "ECONNREFUSED", password: "hush" });
    log.error("x", { error: new AggregateError([inner], "all failed") });
    expect(last()).toMatchObject({
      error: {
        type: "AggregateError",
        stack: expect.stringContaining("all failed"),
        errors: [{ message: "refused", code: "ECONNREFUSED", password: "…" }],
      },
    });
  });

  test("createLog() line when values are circular, deep, long or no JSON", () => {
    const { log, last } = capture();
    const circle: Record<string, unknown> = { name: "loop" };
    circle["self"] = circle;
    let deep: unknown = "end";
    for (let level = 0; level < 50; level += 1) deep = { deep };
    log.info("x", {
      circle,
      deep,
      long: "a".repeat(1_000_000),
      list: Array.from({ length: 1000 }, (_, index) => index),
      octets: Buffer.from("hush"),
      map: new Map([["k", { token: "hush" }]]),
      nothing: undefined,
      run: () => 1,
      url: new URL("https://a:hush@b.example/"),
    });
    const line = last();
    expect(JSON.stringify(line).length).toBeLessThan(15_000);
    expect(line).toMatchObject({
      circle: { name: "loop", self: "…" },
      octets: "<4 bytes>",
      map: [["k", { token: "…" }]],
      url: "https://…@b.example/",
    });
  });

  test("createLog() writes to standard error when no writer is given", () => {
    const script = `
      import { createLog } from ${JSON.stringify(new URL("../src/log.ts", import.meta.url).href)};
      createLog({ level: "info" }).info("hello");
      console.log("data");
      process.exit(0);`;
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(run.stdout).toBe("data\n");
    expect(JSON.parse(run.stderr)).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      event: "hello",
    });
  });
});
