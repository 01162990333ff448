import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, test } from "vitest";
import { createBench, reply, sample } from "./support.ts";

const bench = createBench();
const { mailerFor, serve } = bench;
afterEach(() => bench.cleanUp());

const login: SMTPServerOptions = {
  authOptional: false,
  allowInsecureAuth: true,
  onAuth({ username, password }, _session, done) {
    if (username === "dayferry" && password === "p@ss: wörd") done(null, { user: username });
    else done(reply(535, "5.7.8 no such login"));
  },
};
const tls: SMTPServerOptions = { disabledCommands: [] };

describe("logins and TLS", () => {
  const encoded = "dayferry:p%40ss%3A%20w%C3%B6rd";

  test.each([
    ["in the address", { login: encoded }],
    ["outside the address", { login: "dayferry", password: "p@ss: wörd" }],
    [
      "in both places, where the outer one counts",
      { login: "dayferry:old", password: "p@ss: wörd" },
    ],
  ])("logs in with the password %s", async (_name, credentials) => {
    const server = await serve(login);
    const mailer = mailerFor({ ...server, ...credentials });
    expect(await mailer.verify()).toBe(null);
    expect((await mailer.send(sample)).kind).toBe("sent");
    expect(server.received[0]?.user).toBe("dayferry");
  });

  test("reports a wrong password", async () => {
    const mailer = mailerFor({ ...(await serve(login)), login: "dayferry:hush-hush" });
    const delivery = await mailer.send(sample);
    expect(delivery).toMatchObject({
      kind: "deferred",
      code: 535,
      message: expect.stringContaining("rejects the login"),
    });
    expect(await mailer.verify()).toContain("rejects the login");
    expect(JSON.stringify(delivery)).not.toContain("hush-hush");
  });

  test.each([
    ["smtp", "STARTTLS", tls],
    ["smtps", "TLS from the start", { ...tls, secure: true }],
  ])(
    "over %s with %s trusts an unknown certificate only when told to",
    async (scheme, _, options) => {
      const server = await serve(options);
      const strict = mailerFor({ ...server, scheme });
      const message = expect.stringMatching(
        /^no secure connection to the mail server: .*certificate/,
      );
      expect(await strict.send(sample)).toMatchObject({ kind: "deferred", code: null, message });
      expect(await strict.verify()).toEqual(message);
      const trusting = mailerFor({ ...server, scheme, query: "?tls.rejectUnauthorized=false" });
      expect((await trusting.send(sample)).kind).toBe("sent");
      expect(server.received.map(({ secure }) => secure)).toEqual([true]);
    },
  );

  test("reports smtps: on a port that begins unencrypted", async () => {
    const mailer = mailerFor({ ...(await serve()), scheme: "smtps" });
    expect(await mailer.send(sample)).toMatchObject({
      kind: "deferred",
      message: expect.stringContaining("no secure connection"),
    });
  });

  test("sends nothing when TLS is required and not offered", async () => {
    const server = await serve();
    const mailer = mailerFor({ ...server, query: "?requireTLS=true" });
    expect(await mailer.send(sample)).toMatchObject({ kind: "deferred" });
    expect(server.received).toEqual([]);
  });
});
