import { once } from "node:events";
import { createServer as createPlain, type Socket } from "node:net";
import { createServer as createSecure, createSecureContext, TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { troubleWords, verdictOf } from "../../src/domain/trouble.ts";
import {
  createCertificateWatch,
  type TlsServer,
  tlsServers,
} from "../../src/troubles/certificate-watch.ts";
import { type Certificate, canSign, createAuthority } from "../support/certificates.ts";
import { testDirectory, testStore } from "../support/test-store.ts";

const host = "localhost";
const never = new AbortController().signal;

/** A server that shows one certificate after the other. */
async function secureServer(first: Certificate) {
  const server = createSecure(first);
  server.on("tlsClientError", () => {});
  onTestFinished(() => void server.close());
  return {
    port: await listening(server),
    renew: (next: Certificate) => server.setSecureContext(next),
  };
}

/** A mail server as far as STARTTLS. */
async function mailServer(certificate: Certificate): Promise<number> {
  const server = createPlain((socket) => {
    socket.on("error", () => {});
    socket.write("220-mail.example.com\r\n220 ready\r\n");
    const talk = (octets: Buffer) => {
      if (/^EHLO/.test(String(octets))) socket.write("250-mail\r\n250-STARTTLS\r\n250 OK\r\n");
      if (!/^STARTTLS/.test(String(octets))) return;
      socket.off("data", talk);
      socket.write("220 go ahead\r\n");
      secure(socket, certificate);
    };
    socket.on("data", talk);
  });
  onTestFinished(() => void server.close());
  return listening(server);
}

function secure(socket: Socket, certificate: Certificate): void {
  const options = { isServer: true, secureContext: createSecureContext(certificate) };
  new TLSSocket(socket, options).on("error", () => {});
}

async function listening(server: ReturnType<typeof createPlain>): Promise<number> {
  await once(server.listen(0, host), "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

function watching(servers: readonly TlsServer[]) {
  const clock = () => Temporal.Now.instant();
  const { troubles } = testStore(clock);
  const watch = createCertificateWatch({ servers, troubles, clock });
  return {
    troubles,
    found: async () => {
      await watch.look(never);
      return troubles.reported();
    },
  };
}

const dayIn = (days: number): string =>
  Temporal.Now.instant()
    .add({ hours: 24 * days })
    .toZonedDateTimeISO("UTC")
    .toPlainDate()
    .toString();

describe.skipIf(!canSign())("createCertificateWatch()", () => {
  it("warns two weeks before a certificate expires, until another one is shown", async () => {
    const authority = createAuthority();
    const { port, renew } = await secureServer(authority.sign({ toDay: 15 }));
    const { found } = watching([{ host, port, byStartTls: false }]);
    expect(await found()).toEqual([]);
    renew(authority.sign({ toDay: 13 }));
    const [trouble, ...more] = await found();
    expect(more).toEqual([]);
    if (trouble?.kind !== "certificate") throw new Error("no certificate is reported");
    expect([trouble.host, trouble.until]).toEqual([host, dayIn(13)]);
    expect([troubleWords(trouble).title, verdictOf(trouble)]).toEqual([
      "Certificate of localhost expires",
      "doubtful",
    ]);
    renew(authority.sign({ toDay: 90 }));
    expect(await found()).toEqual([]);
  });

  it("sees the certificate of a mail server behind STARTTLS", async () => {
    const port = await mailServer(createAuthority().sign({ toDay: 3 }));
    const { found } = watching([{ host, port, byStartTls: true }]);
    expect(await found()).toMatchObject([{ kind: "certificate", host, until: dayIn(3) }]);
  });

  it("looks at the service, the mail server and the own address, each once", () => {
    const folder = testDirectory();
    const loaded = parseConfig(
      {
        service: {
          baseUrl: "https://company.example.com/api/v3",
          apiKey: "some-key",
          contact: "you@example.com",
          timeZone: "Europe/Berlin",
        },
        http: { publicUrl: "https://calendar.example.com:8443" },
        mail: { from: "d@example.com", smtpUrl: "smtp://mail.example.com" },
      },
      { folder, env: {}, cwd: folder },
    );
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
    expect(tlsServers(loaded.value)).toMatchObject([
      { host: "company.example.com", port: 443, byStartTls: false },
      { host: "calendar.example.com", port: 8443, byStartTls: false },
      { host: "mail.example.com", port: 587, byStartTls: true },
    ]);
    const { mail } = loaded.value;
    const at = (smtpUrl: string) => tlsServers({ ...loaded.value, mail: { ...mail, smtpUrl } })[2];
    expect(at("smtps://mail.example.com")).toMatchObject({ port: 465, byStartTls: false });
    expect(at("smtp://127.0.0.1:25?ignoreTLS=true")).toBe(undefined);
  });

  it("keeps its finding while a server cannot be reached, and forgets servers no longer asked", async () => {
    const { troubles, found } = watching([{ host, port: 9, byStartTls: false }]);
    const known = { kind: "certificate", host, until: "2027-01-01", problem: "" } as const;
    troubles.report(known);
    troubles.report({ ...known, host: "former.example.com" });
    expect(await found()).toEqual([known]);
  });
});
