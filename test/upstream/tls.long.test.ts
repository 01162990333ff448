import { createServer as createPlainServer } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { labelId } from "../../src/domain/ids.ts";
import { type Certificate, canSign, createAuthority, trust } from "../support/certificates.ts";
import { call, label, value } from "./label-rig.ts";
import { clientOf, json } from "./loopback.ts";

async function listen(server: Server, onEnd: () => void = () => {}): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    onEnd();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return `https://localhost:${port}/api/v3`;
}

/** A service that speaks TLS with this certificate, and records what reaches it. */
async function secureService(certificate: Certificate, options: ServerOptions = {}) {
  const arrived: string[] = [];
  const server = createServer({ ...options, ...certificate }, (request, response) => {
    arrived.push(`${request.method} ${String(request.headers["x-api-key"])}`);
    json(response, label);
  });
  const baseUrl = await listen(server, () => server.closeAllConnections());
  return { baseUrl, arrived, show: (other: Certificate) => server.setSecureContext(other) };
}

const read = (baseUrl: string) => clientOf(baseUrl).upstream.labels.get(labelId(5), call);
const create = (baseUrl: string) =>
  clientOf(baseUrl).upstream.labels.create({ name: "Urgent" }, call);

describe.skipIf(!canSign())("a service over TLS, with certificates of a real authority", () => {
  it("is read when the authority is trusted", async () => {
    const authority = createAuthority();
    trust(authority);
    const { baseUrl, arrived } = await secureService(authority.sign());
    expect(await read(baseUrl)).toEqual({ ok: true, value });
    expect(arrived).toEqual(["GET key-of-the-account"]);
  });

  it.each([
    ["has expired", { fromDay: -9, toDay: -1 }, /certificate of localhost has expired.*CERT_HAS/],
    ["is not valid yet", { fromDay: 3 }, /certificate of localhost is not valid yet.*behind/],
    [
      "belongs to another host",
      { names: "DNS:other.example" },
      /presented for localhost belongs to another host/,
    ],
  ])(
    "is sent nothing when its certificate %s, and a creation is no open question",
    async (_, claim, words) => {
      const authority = createAuthority();
      trust(authority);
      const { baseUrl, arrived } = await secureService(authority.sign(claim));
      const message = expect.stringMatching(words);
      for (const ask of [read, create]) {
        expect(await ask(baseUrl)).toMatchObject({
          ok: false,
          failure: { kind: "unavailable", status: null, message },
        });
      }
      expect(arrived).toEqual([]);
    },
  );

  it("is sent nothing when nobody trusts its authority, and continues once it shows another certificate", async () => {
    const [trusted, stranger] = [createAuthority(), createAuthority("another authority")];
    trust(trusted);
    const { baseUrl, arrived, show } = await secureService(stranger.sign());
    const message = expect.stringMatching(/not signed by a trusted authority/);
    const { upstream } = clientOf(baseUrl);
    const ask = () => upstream.labels.get(labelId(5), call);
    expect(await ask()).toMatchObject({ ok: false, failure: { kind: "unavailable", message } });
    expect(arrived).toEqual([]);
    show(trusted.sign());
    expect(await ask()).toEqual({ ok: true, value });
  });

  it("is sent nothing when it is its own authority, or supports only old TLS", async () => {
    const authority = createAuthority();
    const alone = await secureService(authority.own);
    expect(await create(alone.baseUrl)).toMatchObject({
      failure: {
        kind: "unavailable",
        message: expect.stringMatching(/not signed by a trusted.*SELF_SIGNED/),
      },
    });
    trust(authority);
    const old = await secureService(authority.sign(), {
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT:@SECLEVEL=0",
    });
    expect(await create(old.baseUrl)).toMatchObject({
      ok: false,
      failure: {
        kind: "unavailable",
        message: expect.stringMatching(/none that is new enough/),
      },
    });
    expect([...alone.arrived, ...old.arrived]).toEqual([]);
  });

  it("is sent nothing when it does not speak TLS, or stops in the middle of it", async () => {
    const plain = createPlainServer((_, response) => json(response, label));
    const baseUrl = await listen(plain, () => plain.closeAllConnections());
    expect(await create(baseUrl)).toMatchObject({
      failure: { kind: "unavailable", message: expect.stringMatching(/localhost offers no TLS/) },
    });
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => void sockets.push(socket));
    const silentUrl = await listen(silent, () => {
      for (const socket of sockets) socket.destroy();
    });
    const { upstream } = clientOf(silentUrl, { timeout: Temporal.Duration.from({ seconds: 1 }) });
    expect(await upstream.labels.create({ name: "Urgent" }, call)).toMatchObject({
      failure: { kind: "unavailable", message: expect.stringMatching(/localhost .* within 1 s/) },
    });
  });
});
