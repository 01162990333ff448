import type { MessageId } from "../texts/say.ts";
import { stored } from "../texts/stored.ts";

/**
 * Why a host could not be reached. `name`: DNS failed; `closed`: connection refused or no route; `certificate`: not
 * trusted; `encryption`: no common protocol; `silent`: timeout; `cut`: the connection ended early, or was not HTTP.
 */
export interface NetworkFailure {
  readonly kind: "name" | "closed" | "certificate" | "encryption" | "silent" | "cut";
  /** One sentence with the host, the cause and the system's error code; `retold` translates it. */
  readonly problem: string;
}

/**
 * Explains an error of the network, of DNS or of TLS; null for other errors. If several addresses were tried, uses the
 * first one's error. Source: errno(3); https://nodejs.org/api/tls.html#x509-certificate-error-codes;
 * https://nodejs.org/api/dns.html#error-codes.
 */
export function networkFailure(error: unknown, host: string): NetworkFailure | null {
  if (!(error instanceof Error)) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = networkFailureOf(code, host) ?? wordless(error, host);
  if (known) return known;
  return error.cause === undefined ? null : networkFailure(error.cause, host);
}

/** Like `networkFailure`, for a bare code. */
export function networkFailureOf(code: string, host: string): NetworkFailure | null {
  const meaning = meanings.find(([pattern]) => pattern.test(code));
  if (!meaning) return null;
  const [, kind, id] = meaning;
  const what = stored(id, { host });
  return { kind, problem: stored("problem.net.coded", { what, code }) };
}

/** Some versions of Node report a closed connection by message only, without a code. */
function wordless({ message }: Error, host: string): NetworkFailure | null {
  return message === "socket hang up"
    ? { kind: "cut", problem: stored("problem.net.cut", { host }) }
    : null;
}

type NetworkProblem = Exclude<
  Extract<MessageId, `problem.net.${string}`>,
  "problem.net.coded" | "problem.net.unreached"
>;

const meanings: readonly (readonly [
  code: RegExp,
  kind: NetworkFailure["kind"],
  id: NetworkProblem,
])[] = [
  [/^(?:ENOTFOUND|ENODATA|ENONAME)$/, "name", "problem.net.dns"],
  [/^(?:EAI_\w+|ESERVFAIL|EREFUSED|ETIMEOUT|EFORMERR|EBADRESP)$/, "name", "problem.net.dnsFailing"],
  [/^ECONNREFUSED$/, "closed", "problem.net.closed"],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/,
    "closed",
    "problem.net.noRoute",
  ],
  [/^(?:ETIMEDOUT|ESOCKETTIMEDOUT)$/, "silent", "problem.net.silent"],
  [/^CERT_HAS_EXPIRED$/, "certificate", "problem.net.expired"],
  [/^CERT_NOT_YET_VALID$/, "certificate", "problem.net.notYetValid"],
  [/^CERT_REVOKED$/, "certificate", "problem.net.revoked"],
  [/^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, "certificate", "problem.net.otherHost"],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED|INVALID_CA/,
    "certificate",
    "problem.net.untrusted",
  ],
  [/CERT|CRL|^(?:PATH_LENGTH_EXCEEDED|INVALID_PURPOSE)$/, "certificate", "problem.net.certificate"],
  [/^(?:EPROTO|ERR_SSL_\w+|ERR_TLS_\w+)$/, "encryption", "problem.net.noTls"],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE)$/, "cut", "problem.net.cut"],
  [/^HPE_\w+$/, "cut", "problem.net.notHttp"],
];

/** True if certainly no part of the request was sent. */
export const isUnsent = ({ kind }: NetworkFailure): boolean =>
  kind === "name" || kind === "closed" || kind === "certificate" || kind === "encryption";
