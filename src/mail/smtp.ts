import type { Transporter } from "nodemailer";
import { createHider, type Hide } from "../domain/hidden-secrets.ts";
import { startTimer as startOwnTimer } from "../runtime.ts";
import { stored } from "../texts/stored.ts";
import { loadNodemailer } from "./load-nodemailer.ts";
import type { Delivery, Mail, Mailer } from "./mail.ts";
import { toMessage } from "./message.ts";
import { explainFailure, failedDelivery } from "./smtp-failure.ts";
import { readSmtpUrl } from "./smtp-url.ts";

export interface SmtpOptions {
  /** `smtp:` or `smtps:`, optionally with a login and the options of `readSmtpUrl`. */
  readonly url: string;
  /** Overrides a password in `url`. */
  readonly password: string | null;
  /** Longest silence of the server. A whole delivery may take five times as long. */
  readonly timeout: Temporal.Duration;
  /** Starts the time limit of a whole delivery; a timer of the process by default. */
  readonly startLimit?: (ms: number) => Limit;
}

/** A running time limit. */
export interface Limit {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/**
 * Sends through a mail server over a few kept connections. Throws SmtpUrlError if `url` is invalid. `send` resolves once the
 * server has accepted or refused the mail.
 */
export function createSmtpMailer({
  url,
  password,
  timeout,
  startLimit = startTimer,
}: SmtpOptions): Mailer {
  const silence = timeout.total("milliseconds");
  const options = {
    ...readSmtpUrl(url, password),
    pool: true,
    maxConnections: 2,
    // The mail may have arrived before a connection broke, so the pool must not send it again by itself.
    maxRequeues: 0,
    connectionTimeout: silence,
    greetingTimeout: silence,
    socketTimeout: silence,
    dnsTimeout: silence,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as const;
  // Some servers repeat what they were sent.
  const hide = createHider([options.auth?.pass ?? ""]);
  const way = { deadline: 5 * silence, host: options.host ?? "the mail server", hide, startLimit };
  let opened: Promise<Transporter> | null = null;
  let isClosed = false;
  const open = () => {
    opened ??= loadNodemailer().then(({ createTransport }) => {
      const transport = createTransport(options);
      if (isClosed) transport.close();
      return transport;
    });
    return opened;
  };
  return {
    send: async (mail) => send(mail, { ...way, transport: await open() }),
    verify: async () => verify({ ...way, transport: await open() }),
    close() {
      isClosed = true;
      void opened?.then((transport) => transport.close());
    },
  };
}

interface SmtpConnection {
  readonly transport: Transporter;
  /**
   * Milliseconds. Limits a whole delivery, because a very slow server is never silent for long and could block a delivery
   * forever.
   */
  readonly deadline: number;
  /** As in the configuration. */
  readonly host: string;
  /** Removes the password from the server's messages. */
  readonly hide: Hide;
  readonly startLimit: (ms: number) => Limit;
}

function startTimer(ms: number): Limit {
  const late = new AbortController();
  const timer = startOwnTimer(ms, () => late.abort());
  return { signal: late.signal, stop: timer.cancel };
}

async function send(
  mail: Mail,
  { transport, deadline, host, hide, startLimit }: SmtpConnection,
): Promise<Delivery> {
  const message = toMessage(mail);
  if (!message.ok) return { kind: "rejected", code: null, message: message.failure };
  const limit = startLimit(deadline);
  try {
    const info: unknown = await transport.sendMail({ ...message.value, signal: limit.signal });
    return { kind: "sent", response: responseOf(info) };
  } catch (error) {
    if (limit.signal.aborted) return { kind: "deferred", code: null, message: tooSlow(deadline) };
    const failed = failedDelivery(error, host);
    return failed.kind === "sent" ? failed : { ...failed, message: hide(failed.message) };
  } finally {
    limit.stop();
  }
}

function verify(connection: SmtpConnection): Promise<string | null> {
  const { transport, deadline, host, hide, startLimit } = connection;
  const limit = startLimit(deadline);
  return new Promise((resolve) => {
    limit.signal.addEventListener("abort", () => resolve(tooSlow(deadline)));
    transport
      .verify()
      .then(
        () => resolve(null),
        (error: unknown) => resolve(hide(explainFailure(error, host))),
      )
      .finally(limit.stop);
  });
}

const tooSlow = (deadline: number): string =>
  stored("problem.smtp.late", { seconds: Math.round(deadline / 1000) });

function responseOf(info: unknown): string {
  const known = typeof info === "object" && info !== null && "response" in info;
  return known && typeof info.response === "string" ? info.response : "accepted";
}
