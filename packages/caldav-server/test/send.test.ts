import { createServer } from "node:http";
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { createEventLoopBudget } from "@dayferry/event-loop";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { callHttp } from "../../../test/support/http-call.ts";
import { largestAnswer } from "../src/answer-size.ts";
import type { CaldavServerOptions, DavAnswer } from "../src/dav-request.ts";
import { sendAnswer } from "../src/send.ts";

/** A server that answers every request with these pieces. */
async function serving(pieces: () => Iterable<string>) {
  const lines: string[] = [];
  const eventLoop = createEventLoopBudget();
  const onError: CaldavServerOptions["onError"] = (event, { error }) =>
    void lines.push(`${event}: ${String(error)}`);
  const app = express();
  app.disable("x-powered-by");
  app.use(async (request, response) => {
    const answer: DavAnswer = {
      status: 207,
      headers: { "Content-Type": "text/plain" },
      pieces: pieces(),
    };
    await sendAnswer(answer, { request, response, classes: "1", onError, eventLoop });
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return { port: typeof address === "object" && address ? address.port : 0, lines };
}

const piece = "ü€😀 ".repeat(1000);

describe("sendAnswer()", () => {
  it("sends short pieces as one body with its length", async () => {
    const { port } = await serving(() => ["a", "", "b"]);
    const { headers, text } = await callHttp(port, "GET /");
    expect(headers).toMatchObject({ "content-length": "2" });
    expect(text).toBe("ab");
  });

  it.each([{}, { "accept-encoding": "gzip" }])(
    "sends many pieces as they are made, complete (%o)",
    async (wish) => {
      const { port } = await serving(() => Array.from({ length: 1000 }, () => piece));
      const { headers, bytes } = await callHttp(port, "GET /", { headers: wish });
      expect(headers["content-length"]).toBeUndefined();
      const isPacked = headers["content-encoding"] === "gzip";
      expect(isPacked).toBe("accept-encoding" in wish);
      expect((isPacked ? gunzipSync(bytes) : bytes).toString()).toBe(piece.repeat(1000));
    },
  );

  it("sends no body to HEAD", async () => {
    const { port } = await serving(() => Array.from({ length: 1000 }, () => piece));
    expect((await callHttp(port, "HEAD /")).bytes).toHaveLength(0);
  });

  it("produces only as much as the client reads, and lets other work run", async () => {
    let made = 0;
    const { port } = await serving(function* () {
      for (; made < 60_000; made++) yield "x".repeat(1000);
    });
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    });
    onTestFinished(() => void socket.destroy());
    socket.pause();
    let before = -1;
    for (let still = 0; still < 2000; still++) {
      if (made !== before) still = 0;
      before = made;
      await turn();
    }
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(30_000);
  });

  it("lets other work run while nothing can be sent yet", async () => {
    let rounds = 0;
    const others = setInterval(() => rounds++, 1);
    onTestFinished(() => clearInterval(others));
    const { port } = await serving(function* () {
      // It ends even if nobody else gets a turn.
      for (let made = 0; made < 20_000_000 && rounds < 5; made++) yield "";
      yield "done";
    });
    expect((await callHttp(port, "GET /")).text).toBe("done");
    expect(rounds).toBeGreaterThanOrEqual(5);
  });

  it("answers 507 if the response is too long before anything was sent", async () => {
    const { port } = await serving(() => ["x".repeat(largestAnswer + 1)]);
    const { status, text } = await callHttp(port, "GET /");
    expect(status).toBe(507);
    expect(text).toContain("<d:number-of-matches-within-limits/>");
  });

  it("answers 500 and logs the error if it fails before anything was sent", async () => {
    const { port, lines } = await serving(function* () {
      yield "a";
      throw new Error("broken pencil");
    });
    expect((await callHttp(port, "GET /")).status).toBe(500);
    expect(lines.join("")).toContain("broken pencil");
  });

  it.each([
    ["becomes too long", () => yieldAll(largestAnswer + 2_000_000)],
    ["fails", () => yieldAll(5_000_000, "broken pencil")],
  ])("closes the connection when it %s after something was sent", async (_what, pieces) => {
    const { port, lines } = await serving(pieces);
    await expect(callHttp(port, "GET /")).rejects.toThrow(/aborted|hang up|reset/i);
    expect(lines.join("")).toContain("calendar response interrupted");
  });
});

function* yieldAll(length: number, failure?: string): Generator<string> {
  const text = "x".repeat(10_000);
  for (let made = 0; made < length; made += text.length) yield text;
  if (failure !== undefined) throw new Error(failure);
}
