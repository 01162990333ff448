import { domainToASCII } from "node:url";
import type { SMTPPoolOptions } from "nodemailer";

/** Thrown for an unusable mail server URL. The message never quotes it, as it may contain a password. */
export class SmtpUrlError extends Error {
  override readonly name = "SmtpUrlError";
}

/**
 * A mail server's URL as connection options: `smtps:` = TLS from the start, `smtp:` = STARTTLS if offered. A login to another
 * machine requires TLS unless the URL says `ignoreTLS=true`. `password` overrides the one in the URL. Throws SmtpUrlError.
 */
export function readSmtpUrl(text: string, password: string | null): SMTPPoolOptions {
  const url = URL.parse(text);
  if (!url || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "") {
    throw new SmtpUrlError("the mail server's address must begin with smtp:// or smtps://");
  }
  const options = readOptions(url);
  const host = hostOf(url);
  const user = decode(url.username);
  const pass = password ?? decode(url.password);
  const mustHide = user !== "" && url.protocol === "smtp:" && !isLoopback(host);
  return {
    host,
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    secure: url.protocol === "smtps:",
    requireTLS: options.requireTLS ?? (mustHide && !options.ignoreTLS),
    ...(user === "" ? {} : { auth: { user, pass } }),
    ...(options.ignoreTLS === null ? {} : { ignoreTLS: options.ignoreTLS }),
    ...(options.name === null ? {} : { name: options.name }),
    ...(options.authMethod === null ? {} : { authMethod: options.authMethod }),
    tls: {
      ...(options.servername === null ? {} : { servername: options.servername }),
      ...(options.rejectUnauthorized === null
        ? {}
        : { rejectUnauthorized: options.rejectUnauthorized }),
    },
  };
}

interface UrlOptions {
  readonly rejectUnauthorized: boolean | null;
  readonly servername: string | null;
  readonly requireTLS: boolean | null;
  readonly ignoreTLS: boolean | null;
  readonly name: string | null;
  readonly authMethod: string | null;
}

const optionNames = [
  "tls.rejectUnauthorized",
  "tls.servername",
  "requireTLS",
  "ignoreTLS",
  "name",
  "authMethod",
];

function readOptions(url: URL): UrlOptions {
  const query = url.searchParams;
  const stranger = [...query.keys()].find((name) => !optionNames.includes(name));
  if (stranger !== undefined) {
    throw new SmtpUrlError(`the mail server's address has an unknown option "${stranger}"`);
  }
  return {
    rejectUnauthorized: readSwitch(query, "tls.rejectUnauthorized"),
    servername: query.get("tls.servername"),
    requireTLS: readSwitch(query, "requireTLS"),
    ignoreTLS: readSwitch(query, "ignoreTLS"),
    name: query.get("name"),
    authMethod: query.get("authMethod"),
  };
}

function readSwitch(query: URLSearchParams, name: string): boolean | null {
  const text = query.get(name);
  if (text === null) return null;
  if (text === "true" || text === "false") return text === "true";
  throw new SmtpUrlError(`the mail server's address: ${name} must be true or false`);
}

/** `smtp:` is not a special scheme for URL, so brackets and non-ASCII letters are handled here. */
function hostOf(url: URL): string {
  const bare = decode(url.hostname).replace(/^\[(.*)\]$/, "$1");
  return bare.includes(":") ? bare : domainToASCII(bare) || bare;
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A % that was not encoded stands for itself.
    return text;
  }
}
