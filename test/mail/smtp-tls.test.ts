import { createInterface } from "node:readline";
import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it } from "vitest";
import { canSign, createAuthority, trust } from "../support/certificates.ts";
import { createBench, sample } from "./support.ts";

const bench = createBench();
const { mailerFor, serve, serveRaw } = bench;
afterEach(() => bench.cleanUp());

const login: SMTPServerOptions = {
  disabledCommands: [],
  authOptional: false,
  onAuth: ({ username }, _session, done) => done(null, { user: username }),
};
const ways = [
  ["STARTTLS", { scheme: "smtp", secure: false }],
  ["TLS from the start", { scheme: "smtps", secure: true }],
] as const;

describe.skipIf(!canSign()).each(ways)("a mail server by %s", (_, { scheme, secure }) => {
  const who = { scheme, login: "dayferry", password: "hush-hush", query: "?requireTLS=true" };

  it("gets login and mail when a trusted authority signed its certificate for its host", async () => {
    const authority = createAuthority();
    trust(authority);
    const server = await serve({ ...login, secure, ...authority.sign() });
    const mailer = mailerFor({ ...server, ...who });
    expect(await mailer.verify()).toBe(null);
    expect(await mailer.send(sample)).toMatchObject({ kind: "sent" });
    expect(server.received).toMatchObject([{ user: "dayferry", secure: true }]);
  });

  it.each([
    ["has expired", { fromDay: -9, toDay: -1 }, /the certificate of 127\.0\.0\.1 has expired/],
    [
      "belongs to another host",
      { names: "DNS:other.example" },
      /presented for 127\.0\.0\.1 belongs to another host/,
    ],
  ])("gets neither when its certificate %s; the mail waits", async (_name, claim, words) => {
    const authority = createAuthority();
    trust(authority);
    const logins: string[] = [];
    const server = await serve({
      ...login,
      secure,
      ...authority.sign(claim),
      onAuth({ username }, _session, done) {
        logins.push(username ?? "");
        done(null, { user: username });
      },
    });
    const mailer = mailerFor({ ...server, ...who });
    const message = expect.stringMatching(words);
    expect(await mailer.send(sample)).toMatchObject({ kind: "deferred", code: null, message });
    expect(await mailer.verify()).toEqual(message);
    expect([...logins, ...server.received]).toEqual([]);
  });

  it("gets neither when its authority is not trusted", async () => {
    const server = await serve({ ...login, secure, ...createAuthority().sign() });
    const mailer = mailerFor({ ...server, ...who });
    expect(await mailer.verify()).toMatch(/not signed by a trusted authority/);
    expect(server.received).toEqual([]);
  });
});

/** A mail server, or an attacker before it, that speaks unencrypted and offers this. */
async function clearServer(offers: readonly string[]) {
  const heard: string[] = [];
  const { port } = await serveRaw((socket) => {
    socket.write("220 hello\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      heard.push(line);
      if (/^EHLO/i.test(line)) {
        const lines = ["hello", ...offers];
        socket.write(
          lines.map((text, at) => `250${at === lines.length - 1 ? " " : "-"}${text}\r\n`).join(""),
        );
      } else if (/^STARTTLS/i.test(line)) socket.write("454 TLS not available\r\n");
      else socket.write("235 fine\r\n");
    });
  });
  return { port, heard };
}

it.each([
  ["is not offered", ["AUTH PLAIN LOGIN"]],
  ["is offered and refused", ["STARTTLS", "AUTH PLAIN LOGIN"]],
])(
  "a mail server without STARTTLS after an attack hears no password when TLS %s",
  async (_, offers) => {
    const { port, heard } = await clearServer(offers);
    const mailer = mailerFor({
      port,
      login: "dayferry",
      password: "hush-hush",
      query: "?requireTLS=true",
    });
    expect(await mailer.send(sample)).toMatchObject({ kind: "deferred" });
    const said = heard.join("\n");
    expect(said).not.toMatch(/AUTH|MAIL FROM/i);
    expect(said).not.toContain(Buffer.from("\0dayferry\0hush-hush").toString("base64"));
  },
);
