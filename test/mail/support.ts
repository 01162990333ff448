import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Mail, Mailer } from "../../src/mail/mail.ts";
import { createSmtpMailer, type SmtpOptions } from "../../src/mail/smtp.ts";

export const sample: Mail = {
  from: { name: "Dayferry", address: "dayferry@example.com" },
  to: { name: "Ana Sousa", address: "ana@example.com" },
  subject: "Tomorrow: Launch",
  text: "Launch is due tomorrow.\n",
  html: null,
  calendar: null,
  messageId: "<reminder-1@dayferry.example>",
  date: Temporal.Instant.from("2026-11-21T08:15:00Z"),
  headers: {},
};

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | null;
  readonly secure: boolean;
  readonly octets: Buffer;
}

export interface MailServer {
  readonly port: number;
  readonly received: readonly Received[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A real mail server on loopback that keeps what it accepts. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: Received[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect(_session, done) {
      connections += 1;
      done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          user: typeof session.user === "string" ? session.user : null,
          secure: session.secure,
          octets: Buffer.concat(chunks),
        });
        done();
      });
    },
    ...options,
  });
  // Some of these tests have a client that leaves in the middle.
  server.on("error", () => undefined);
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  return {
    port: portOf(listening.address()),
    received,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** A server that handles each connection as the test says, for faults that no mail server produces on request. */
export async function startRawServer(
  talk: (socket: Socket) => void,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    talk(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: portOf(server.address()),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Speaks just enough SMTP; the connection is dropped once `goOn` returns false ("." ends a mail's content). */
export function talkSmtp(socket: Socket, goOn: (line: string) => boolean): void {
  let inContent = false;
  socket.write("220 hello\r\n");
  createInterface({ input: socket }).on("line", (line) => {
    if (inContent && line !== ".") return;
    if (!goOn(line)) {
      socket.destroy();
      return;
    }
    inContent = line === "DATA";
    socket.write(inContent ? "354 go on\r\n" : "250 fine\r\n");
  });
}

/** The reply that a handler of smtp-server must give. */
export const reply = (responseCode: number, text: string): Error =>
  Object.assign(new Error(text), { responseCode });

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

interface Wanted {
  readonly port: number;
  readonly scheme?: string;
  readonly login?: string;
  readonly query?: string;
  readonly password?: string;
  readonly timeout?: string;
  readonly startLimit?: SmtpOptions["startLimit"];
}

/** Servers and mailers, which `cleanUp` closes in reverse order. */
export function createBench() {
  const cleanUps: (() => unknown)[] = [];
  return {
    mailerFor: (wanted: Wanted): Mailer => {
      const login = wanted.login === undefined ? "" : `${wanted.login}@`;
      const mailer = createSmtpMailer({
        url: `${wanted.scheme ?? "smtp"}://${login}127.0.0.1:${wanted.port}${wanted.query ?? ""}`,
        password: wanted.password ?? null,
        timeout: Temporal.Duration.from(wanted.timeout ?? "PT30S"),
        ...(wanted.startLimit && { startLimit: wanted.startLimit }),
      });
      cleanUps.push(() => mailer.close());
      return mailer;
    },
    serve: async (options: SMTPServerOptions = {}): Promise<MailServer> => {
      const server = await startMailServer(options);
      cleanUps.push(() => server.close());
      return server;
    },
    serveRaw: async (talk: (socket: Socket) => void) => {
      const server = await startRawServer(talk);
      cleanUps.push(() => server.close());
      return server;
    },
    cleanUp: async (): Promise<void> => {
      for (const close of cleanUps.splice(0).toReversed()) await close();
    },
  };
}
