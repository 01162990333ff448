import type { Socket } from "node:net";
import PostalMime from "postal-mime";
import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, test } from "vitest";
import { UnusableMailError } from "../../src/mail/mail.ts";
import { createBench, reply, sample, startRawServer, talkSmtp } from "./support.ts";

const bench = createBench();
const { mailerFor, serve, serveRaw } = bench;
afterEach(() => bench.cleanUp());

describe("send() through a mail server", () => {
  test("reports what the server accepted", async () => {
    const server = await serve();
    const mailer = mailerFor(server);
    expect(await mailer.verify()).toBe(null);
    expect(await mailer.send(sample)).toEqual({
      kind: "sent",
      response: expect.stringMatching(/^250 /),
    });
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: "dayferry@example.com", to: ["ana@example.com"] });
    const parsed = await PostalMime.parse(mail?.octets ?? "");
    expect(parsed).toMatchObject({
      from: { name: "Dayferry", address: "dayferry@example.com" },
      to: [{ name: "Ana Sousa", address: "ana@example.com" }],
      subject: "Tomorrow: Launch",
      messageId: "<reminder-1@dayferry.example>",
      date: "2026-11-21T08:15:00.000Z",
      text: "Launch is due tomorrow.\n",
    });
  });

  test("keeps its connection for many mails", async () => {
    const server = await serve();
    const mailer = mailerFor(server);
    const sent = Array.from({ length: 40 }, (_, index) =>
      mailer.send({ ...sample, messageId: `<r-${index}@dayferry.example>` }),
    );
    const kinds = (await Promise.all(sent)).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["sent"]));
    expect(server.received).toHaveLength(40);
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  const at = (
    moment: "onRcptTo" | "onMailFrom",
    code: number,
    text: string,
  ): SMTPServerOptions => ({
    [moment]: (_a: unknown, _s: unknown, done: (error: Error) => void) => done(reply(code, text)),
  });
  const atData = (code: number, text: string): SMTPServerOptions => ({
    onData(stream, _s, done) {
      stream.resume();
      stream.on("end", () => done(reply(code, text)));
    },
  });

  test.each<[string, SMTPServerOptions, "rejected" | "deferred", number, RegExp]>([
    [
      "refuses the recipient",
      at("onRcptTo", 550, "5.1.1 no such user"),
      "rejected",
      550,
      /no such user/,
    ],
    ["greylists", at("onRcptTo", 451, "4.7.1 try again"), "deferred", 451, /try again/],
    ["is full", at("onRcptTo", 452, "4.2.2 full"), "deferred", 452, /full/],
    [
      "rejects the sender",
      at("onMailFrom", 550, "5.7.1 who are you"),
      "deferred",
      550,
      /rejects the sender.*who are you/,
    ],
    [
      "finds the mail too large",
      at("onMailFrom", 552, "5.3.4 too large"),
      "rejected",
      552,
      /too large/,
    ],
    ["refuses the content", atData(554, "5.7.1 spam"), "rejected", 554, /spam/],
    ["cannot store it", atData(451, "4.3.0 disk"), "deferred", 451, /disk/],
    ["shuts down", at("onRcptTo", 421, "4.3.2 shutting down"), "deferred", 421, /shutting down/],
    [
      "turns the machine away",
      { onConnect: (_s, done) => done(reply(554, "5.7.1 not you")) },
      "deferred",
      554,
      /not you/,
    ],
    ["wants a login", { authOptional: false }, "deferred", 530, /./],
  ])("reports a server that %s", async (_name, options, kind, code, message) => {
    const mailer = mailerFor(await serve(options));
    expect(await mailer.send(sample)).toEqual({
      kind,
      code,
      message: expect.stringMatching(message),
    });
  });

  test("succeeds once the refusal is over", async () => {
    let refusals = 2;
    const server = await serve({
      onRcptTo: (_address, _session, done) => done(refusals-- > 0 ? reply(450, "wait") : null),
    });
    const mailer = mailerFor(server);
    const kinds = [];
    for (let attempt = 0; attempt < 3; attempt += 1) kinds.push((await mailer.send(sample)).kind);
    expect(kinds).toEqual(["deferred", "deferred", "sent"]);
    expect(server.received).toHaveLength(1);
  });

  test("reports an impossible address", async () => {
    const server = await serve();
    const mailer = mailerFor(server);
    for (const address of ["ana", "", "a@b, c@d", "a@b>\r\nRCPT TO:<c@d", "a b@c.d", "<a@b.c>"]) {
      const delivery = await mailer.send({ ...sample, to: { name: "", address } });
      expect(delivery).toMatchObject({ kind: "rejected", code: null });
    }
    expect(server.connections()).toBe(0);
  });

  test("throws when the program made an invalid mail", async () => {
    const mailer = mailerFor({ port: 9 });
    const wrong = [
      { messageId: "no id" },
      { messageId: "<a@b>\r\nBcc: <c@d>" },
      { headers: { "X-A\r\nBcc": "c@d" } },
      { headers: { Bcc: "c@d" } },
      { headers: { "content-type": "text/plain" } },
    ];
    for (const part of wrong) {
      await expect(mailer.send({ ...sample, ...part })).rejects.toThrow(UnusableMailError);
    }
  });
});

describe("send() over a bad connection", () => {
  test("reports that nobody listens", async () => {
    const server = await startRawServer(() => undefined);
    await server.close();
    const mailer = mailerFor(server);
    expect(await mailer.send(sample)).toMatchObject({
      kind: "deferred",
      code: null,
      message: expect.stringContaining("cannot be reached"),
    });
    expect(await mailer.verify()).toContain("cannot be reached");
  });

  test("gives up on a server that never speaks", async () => {
    const mailer = mailerFor({ ...(await serveRaw(() => undefined)), timeout: "PT0.2S" });
    expect(await mailer.send(sample)).toMatchObject({ kind: "deferred", code: null });
    expect(await mailer.verify()).not.toBe(null);
  });

  test("gives up on a server that falls silent in the middle", async () => {
    const mailer = mailerFor({
      ...(await serveRaw((socket) => socket.write("220 hello\r\n"))),
      timeout: "PT0.2S",
    });
    expect(await mailer.send(sample)).toMatchObject({ kind: "deferred", code: null });
  });

  test("gives up on a server that answers octet by octet for ever", async () => {
    // The limit expires while the server is in the middle of its endless answer.
    let late = new AbortController();
    const server = await serveRaw((socket) => {
      socket.write("220 hello\r\n");
      socket.once("data", () => socket.write("250-more\r\n", () => late.abort()));
    });
    const limits: number[] = [];
    const startLimit = (ms: number) => {
      limits.push(ms);
      late = new AbortController();
      return { signal: late.signal, stop: () => undefined };
    };
    const mailer = mailerFor({ ...server, timeout: "PT30S", startLimit });
    expect(await mailer.send(sample)).toEqual({
      kind: "deferred",
      code: null,
      message: "the mail server took longer than 150 s",
    });
    expect(await mailer.verify()).toBe("the mail server took longer than 150 s");
    expect(limits).toEqual([150_000, 150_000]);
  });

  test.each([
    ["is broken", (socket: Socket) => socket.destroy()],
    ["is ended", (socket: Socket) => socket.end()],
  ])("does not repeat a mail when a kept connection %s after the content", async (_, cut) => {
    let contents = 0;
    const server = await serveRaw((socket) =>
      talkSmtp(socket, (line) => {
        if (line !== ".") return true;
        contents += 1;
        if (contents === 2) cut(socket);
        return contents !== 2;
      }),
    );
    const mailer = mailerFor(server);
    expect((await mailer.send(sample)).kind).toBe("sent");
    expect(await mailer.send(sample)).toMatchObject({ kind: "deferred", code: null });
    expect(contents).toBe(2);
  });

  test("reports an unknown outcome when the connection drops after the content", async () => {
    let contents = 0;
    const server = await serveRaw((socket) =>
      talkSmtp(socket, (line) => {
        if (line !== ".") return true;
        contents += 1;
        return false;
      }),
    );
    expect(await mailerFor(server).send(sample)).toMatchObject({ kind: "deferred", code: null });
    // It may have arrived: the ledger decides when to try again.
    expect(contents).toBe(1);
  });

  test("opens a new connection when the server drops the kept one", async () => {
    let connections = 0;
    const server = await serveRaw((socket) => {
      connections += 1;
      let mails = 0;
      talkSmtp(socket, (line) => !line.startsWith("MAIL FROM") || ++mails === 1);
    });
    const mailer = mailerFor(server);
    expect((await mailer.send(sample)).kind).toBe("sent");
    expect(await mailer.send(sample)).toMatchObject({ kind: "deferred", code: null });
    expect((await mailer.send(sample)).kind).toBe("sent");
    expect(connections).toBe(2);
  });

  test("sends nothing after the mailer is closed", async () => {
    const mailer = mailerFor(await serve());
    mailer.close();
    expect(await mailer.send(sample)).toMatchObject({ kind: "deferred" });
  });
});
