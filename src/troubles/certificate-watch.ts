import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure, type TLSSocket } from "node:tls";
import type { Config } from "../config/config.ts";
import { readSmtpUrl } from "../mail/smtp-url.ts";
import { timeLimit } from "../runtime.ts";
import type { Troubles } from "../store/troubles.ts";

/** A server whose certificate is checked. */
export interface TlsServer {
  readonly host: string;
  readonly port: number;
  /** True if the connection starts unencrypted and is upgraded by SMTP's STARTTLS. */
  readonly byStartTls: boolean;
  /** Server name to request, if it differs from the host. */
  readonly servername?: string | undefined;
}

/** The service, the mail server and this daemon's public URL, as far as each uses TLS. */
export function tlsServers({ service, mail, http }: Config): readonly TlsServer[] {
  const addresses = [service.baseUrl, service.uploadUrl, http.publicUrl ?? ""];
  const web = addresses.flatMap((address): readonly TlsServer[] => {
    const url = URL.parse(address);
    if (url?.protocol !== "https:") return [];
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    return [{ host, port: Number(url.port || 443), byStartTls: false }];
  });
  const places = web.map(({ host, port }) => `${host} ${port}`);
  return [
    ...web.filter((_, index) => places.indexOf(places[index] ?? "") === index),
    ...mailServerOf(mail.smtpUrl),
  ];
}

function mailServerOf(smtpUrl: string | null): readonly TlsServer[] {
  if (smtpUrl === null) return [];
  const { host = "", port, secure = false, ignoreTLS = false, tls } = readSmtpUrl(smtpUrl, null);
  if (ignoreTLS) return [];
  const usual = secure ? 465 : 587;
  return [{ host, port: Number(port ?? usual), byStartTls: !secure, servername: tls?.servername }];
}

interface CertificateWatchDeps {
  readonly servers: readonly TlsServer[];
  readonly troubles: Pick<Troubles, "report" | "reported" | "withdraw">;
  readonly clock: () => Temporal.Instant;
}

/** Warn this long before expiry; certificates that renew automatically do so earlier. */
const warning = Temporal.Duration.from({ hours: 24 * 14 });
const patienceMs = 10_000;

/**
 * Warns of certificates that are about to expire, before anything fails. Only reads what a server presents and sends nothing, so
 * that untrusted certificates are checked as well. The earliest expiry of the chain counts, without the root authority, which is
 * not renewed with it.
 */
export function createCertificateWatch(deps: CertificateWatchDeps) {
  const { servers, troubles, clock } = deps;

  /** Drops results of servers that are no longer configured. */
  function forgetOthers(): void {
    const hosts = new Set(servers.map(({ host }) => host));
    for (const trouble of troubles.reported()) {
      if (trouble.kind === "certificate" && !hosts.has(trouble.host)) withdraw(trouble.host);
    }
  }

  const withdraw = (host: string) => troubles.withdraw(`certificate:${host}`);

  return {
    /** Checks each server; one that cannot be reached reports nothing. */
    async look(signal: AbortSignal): Promise<void> {
      forgetOthers();
      const ends = await Promise.all(
        servers.map(async ({ host, ...server }) => {
          const endsAt = await expiryOf({ host, ...server }, signal);
          return { host, endsAt };
        }),
      );
      const known = ends.flatMap(({ host, endsAt }) => (endsAt ? [{ host, endsAt }] : []));
      const soon = clock().add(warning);
      for (const host of new Set(known.map((one) => one.host))) {
        const [first] = known
          .filter((one) => one.host === host)
          .map(({ endsAt }) => endsAt)
          .toSorted((a, b) => Temporal.Instant.compare(a, b));
        if (!first || Temporal.Instant.compare(first, soon) > 0) {
          withdraw(host);
          continue;
        }
        const until = first.toZonedDateTimeISO("UTC").toPlainDate().toString();
        troubles.report({ kind: "certificate", host, until, problem: "" });
      }
    },
  };
}

/** Expiry of the certificate a server presents; null if none was presented. */
async function expiryOf(server: TlsServer, outer: AbortSignal): Promise<Temporal.Instant | null> {
  const signal = AbortSignal.any([outer, timeLimit(patienceMs)]);
  const opened: Socket[] = [];
  // Destroying the TLS socket also destroys the socket below. Destroying the lower one first crashes Node.
  const end = () => opened.at(-1)?.destroy();
  signal.addEventListener("abort", end, { once: true });
  try {
    const { host, port, servername = host } = server;
    const plain = server.byStartTls ? await startTls(server, opened, signal) : null;
    const secure = connectSecure({
      ...(plain ? { socket: plain } : { host, port }),
      ...(isIP(servername) === 0 && { servername }),
      rejectUnauthorized: false,
    });
    opened.push(secure);
    await once(secure, "secureConnect", { signal });
    return firstEnd(secure);
  } catch {
    // The code that uses this server reports why it cannot be reached.
    return null;
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** Source: RFC 3207. */
async function startTls(
  { host, port }: TlsServer,
  opened: Socket[],
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectPlain({ host, port });
  opened.push(socket);
  const answer = async (code: string) => {
    let said = "";
    for (;;) {
      const [octets]: unknown[] = await once(socket, "data", { signal });
      said += String(octets);
      if (new RegExp(`^${code}(?: .*)?\r?\n`, "m").test(said)) return;
      if (/^[45]\d\d /m.test(said) || said.length > longestAnswer) throw new Error("it refuses");
    }
  };
  await answer("220");
  socket.write("EHLO dayferry.invalid\r\n");
  await answer("250");
  socket.write("STARTTLS\r\n");
  await answer("220");
  return socket;
}

const longestAnswer = 10_000;

function firstEnd(socket: TLSSocket): Temporal.Instant | null {
  const ends: number[] = [];
  let current = socket.getPeerX509Certificate();
  for (let depth = 0; current && depth < longestChain; depth += 1) {
    const issuer: X509Certificate | undefined = current.issuerCertificate;
    const isAuthority = current.subject === current.issuer;
    if (!isAuthority || ends.length === 0) ends.push(Date.parse(current.validTo));
    current = isAuthority ? undefined : issuer;
  }
  const first = Math.min(...ends);
  return Number.isFinite(first) ? Temporal.Instant.fromEpochMilliseconds(first) : null;
}

const longestChain = 10;
