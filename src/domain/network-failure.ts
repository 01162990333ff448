/**
 * Why a host could not be reached. `name`: DNS failed; `closed`: connection refused or no route; `certificate`: not
 * trusted; `encryption`: no common protocol; `silent`: timeout; `cut`: the connection ended early, or was not HTTP.
 */
export interface NetworkFailure {
  readonly kind: "name" | "closed" | "certificate" | "encryption" | "silent" | "cut";
  /** One sentence for people with the host, the cause and the system's error code. */
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
  const [, kind, say] = meaning;
  return { kind, problem: `${say(host)} (${code})` };
}

/** Some versions of Node report a closed connection by message only, without a code. */
function wordless({ message }: Error, host: string): NetworkFailure | null {
  return message === "socket hang up" ? { kind: "cut", problem: wasCut(host) } : null;
}

const wasCut = (host: string): string =>
  `${host} closed the connection before its response was complete`;

const meanings: readonly (readonly [
  code: RegExp,
  kind: NetworkFailure["kind"],
  say: (host: string) => string,
])[] = [
  [
    /^(?:ENOTFOUND|ENODATA|ENONAME)$/,
    "name",
    (host) => `the name ${host} cannot be resolved by DNS`,
  ],
  [
    /^(?:EAI_\w+|ESERVFAIL|EREFUSED|ETIMEOUT|EFORMERR|EBADRESP)$/,
    "name",
    (host) => `the name ${host} cannot be resolved: DNS is failing`,
  ],
  [/^ECONNREFUSED$/, "closed", (host) => `${host} does not accept connections`],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/,
    "closed",
    (host) => `there is no network route to ${host}`,
  ],
  [/^(?:ETIMEDOUT|ESOCKETTIMEDOUT)$/, "silent", (host) => `${host} does not respond`],
  [
    /^CERT_HAS_EXPIRED$/,
    "certificate",
    (host) => `the certificate of ${host} has expired, or the clock of this machine is ahead`,
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    "certificate",
    (host) => `the certificate of ${host} is not valid yet, or the clock of this machine is behind`,
  ],
  [/^CERT_REVOKED$/, "certificate", (host) => `the certificate of ${host} has been revoked`],
  [
    /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    "certificate",
    (host) => `the certificate presented for ${host} belongs to another host`,
  ],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED|INVALID_CA/,
    "certificate",
    (host) =>
      `the certificate of ${host} is not signed by a trusted authority; NODE_EXTRA_CA_CERTS can name a file with your own authorities`,
  ],
  [
    /CERT|CRL|^(?:PATH_LENGTH_EXCEEDED|INVALID_PURPOSE)$/,
    "certificate",
    (host) => `the certificate of ${host} is not accepted`,
  ],
  [
    /^(?:EPROTO|ERR_SSL_\w+|ERR_TLS_\w+)$/,
    "encryption",
    (host) => `${host} offers no TLS on that port, or none that is new enough (1.2 or later)`,
  ],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE)$/, "cut", wasCut],
  [/^HPE_\w+$/, "cut", (host) => `${host} does not speak HTTP`],
];

/** True if certainly no part of the request was sent. */
export const isUnsent = ({ kind }: NetworkFailure): boolean =>
  kind === "name" || kind === "closed" || kind === "certificate" || kind === "encryption";
