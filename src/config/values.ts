import { isIP } from "node:net";
import { isZone } from "@dayferry/ical";
import { fail, ok, type Result } from "../domain/result.ts";

/** A parsed value, or a sentence on what it must be. Sentences never quote a possible secret. */
type Read<Value> = Result<Value, string>;

/** A non-negative duration: `PT15M`, `P90D`, `P2Y`. */
export function readLength(text: string): Read<Temporal.Duration> {
  const length = parseDuration(text);
  if (!length || length.sign < 0) {
    return fail(`must be an ISO 8601 duration such as "PT15M" or "P1D", not "${text}"`);
  }
  return ok(length);
}

/** A positive duration of fixed length: no weeks, months or years. */
export function readExactLength(text: string): Read<Temporal.Duration> {
  const length = readLength(text);
  if (!length.ok) return length;
  const { sign, years, months, weeks } = length.value;
  if (sign === 0) return fail(`must be longer than zero, not "${text}"`);
  if (years || months || weeks) {
    return fail(`must be given in days, hours, minutes or seconds, not "${text}"`);
  }
  return length;
}

/** `HH:MM`, 00:00 to 23:59. */
export function readTimeOfDay(text: string): Read<Temporal.PlainTime> {
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)) {
    return fail(`must be a time of day such as "09:00", not "${text}"`);
  }
  return ok(Temporal.PlainTime.from(text));
}

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** A weekday by its English name, ignoring case: 1 = Monday to 7 = Sunday. */
export function readWeekday(text: string): Read<number> {
  const index = weekdays.indexOf(text.toLowerCase());
  if (index >= 0) return ok(index + 1);
  return fail(`must be a day of the week such as "monday", not "${text}"`);
}

export function readZone(text: string): Read<string> {
  if (isZone(text)) return ok(text);
  return fail(`must be an IANA time zone such as "Europe/Berlin", not "${text}"`);
}

/** A URL of the service: https, or http on this machine, so that a key is never sent unencrypted. */
export function readServiceUrl(text: string): Read<string> {
  const url = readPlainUrl(text);
  if (!url.ok) return url;
  if (url.value.protocol === "http:" && !isLoopback(url.value.hostname)) {
    return fail("must begin with https:// (http:// only on this machine)");
  }
  return ok(withoutSlash(url.value));
}

/** The daemon's public URL. */
export function readPublicUrl(text: string): Read<string> {
  const url = readPlainUrl(text);
  return url.ok ? ok(withoutSlash(url.value)) : url;
}

/** A header name, in lower case. Source: RFC 9110 5.6.2. */
export function readHeaderName(text: string): Read<string> {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(text)) {
    return fail(`must be the name of a header, such as X-Forwarded-Email, not "${text}"`);
  }
  const name = text.toLowerCase();
  // Headers that browsers send, or that carry a person's own login, do not identify the proxy's user.
  return ownHeaders.has(name) ? fail(`cannot be ${text}, which clients send themselves`) : ok(name);
}

const ownHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "host",
  "origin",
  "referer",
  "user-agent",
]);

/** An IP address, or a network such as 10.0.0.0/8. */
export function readNetwork(text: string): Read<string> {
  const [address = "", bits, ...rest] = text.split("/");
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
  if (longest > 0 && isNetwork && rest.length === 0) return ok(text);
  return fail(
    `must be an address such as 127.0.0.1 or a network such as 10.0.0.0/8, not "${text}"`,
  );
}

const networkWords: ReadonlySet<string> = new Set(["loopback", "linklocal", "uniquelocal"]);

/** An address or network of proxies, or a name for networks. A network with all addresses would trust everyone. */
export function readProxy(text: string): Read<string> {
  if (networkWords.has(text)) return ok(text);
  if (/\/0+$/.test(text)) return fail(`must not name every address there is, not "${text}"`);
  if (readNetwork(text).ok) return ok(text);
  return fail(
    `must be an address such as 127.0.0.1, a network such as 10.0.0.0/8, or "loopback", "linklocal" or "uniquelocal", not "${text}"`,
  );
}

/** Several of them, separated by commas. */
export function readProxies(text: string): Read<readonly string[]> {
  const read = text.split(",").map((each) => readProxy(each.trim()));
  const wrong = read.find((each) => !each.ok);
  if (wrong && !wrong.ok) return wrong;
  return ok(read.flatMap((each) => (each.ok ? [each.value] : [])));
}

/** A path on this host, or an https URL. */
export function readLogout(text: string): Read<string> {
  if (/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return ok(text);
  const url = parseUrl(text);
  if (url && isWeb(url)) return ok(url.href);
  return fail("must be a path such as /oauth2/sign_out, or an address that begins with https://");
}

/** An http(s) link template; `{project}`, `{kind}` and `{id}` are filled in later. */
export function readLinkTemplate(text: string): Read<string> {
  const names = [...text.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
  const stranger = names.find((name) => !["project", "kind", "id"].includes(name));
  if (stranger !== undefined) {
    return fail(`knows {project}, {kind} and {id}, not {${stranger}}`);
  }
  const url = parseUrl(text.replaceAll(/[{}]/g, ""));
  if (!url || !isWeb(url)) return fail("must be a link that begins with https:// or http://");
  return ok(text);
}

/** Placeholders allowed in a purge request. */
const purgeNames = ["key", "path", "url", "token"];

/** A text with `{key}`, `{path}`, `{url}` and `{token}`, filled in later. JSON braces never contain such a single word. */
export function readPurgeText(text: string): Read<string> {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  const stranger = names.find((name) => !purgeNames.includes(name));
  if (stranger !== undefined) {
    return fail(`knows {key}, {path}, {url} and {token}, not {${stranger}}`);
  }
  return /[^\t\x20-\x7e]/.test(text) ? fail("must be printable ASCII on one line") : ok(text);
}

/** An http(s) URL of a cache; like `readPurgeText`. `{path}` begins with a slash. */
export function readPurgeUrl(text: string): Read<string> {
  const read = readPurgeText(text);
  if (!read.ok) return read;
  const sample = text
    .replaceAll("{path}", "/x")
    .replaceAll("{url}", "https://x/x")
    .replaceAll(/\{\w+\}/g, "x");
  const url = parseUrl(sample);
  if (url && isWeb(url) && url.username === "" && url.password === "") return ok(text);
  return fail("must be an address that begins with https:// or http://, without a login");
}

/** An HTTP method, in capitals. Source: RFC 9110 9.1. */
export function readMethod(text: string): Read<string> {
  const isMethod = /^[A-Z][A-Z-]{1,20}$/.test(text) && text !== "CONNECT" && text !== "TRACE";
  return isMethod ? ok(text) : fail(`must be a method such as "PURGE" or "POST", not "${text}"`);
}

/** A remote calendar's URL; `webcal:` means https. */
export function readCalendarUrl(text: string): Read<string> {
  const url = parseUrl(text.replace(/^webcals?:/i, "https:"));
  if (!url || !isWeb(url)) return fail("must be an address that begins with https:// or http://");
  return ok(url.href);
}

/** `https://` or `http://`, without a fragment; for ntfy with a path, which is the topic. */
export function readWebhookUrl(text: string): Read<string> {
  const url = parseUrl(text);
  if (!url || !isWeb(url)) return fail("must be an address that begins with https:// or http://");
  url.hash = "";
  return ok(url.href);
}

/** Options allowed after `?` in a mail server's URL. */
const smtpOptions = [
  "tls.rejectUnauthorized",
  "tls.servername",
  "requireTLS",
  "ignoreTLS",
  "name",
  "authMethod",
];

/** `smtp://` or `smtps://` with a host. A misspelt option is refused, as it may be meant to protect. */
export function readSmtpSetting(text: string): Read<string> {
  const url = parseUrl(text);
  if (!url || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "") {
    return fail("must be an address such as smtps://user@mail.example.com:465 or smtp://…:587");
  }
  const stranger = [...url.searchParams.keys()].find((name) => !smtpOptions.includes(name));
  if (stranger !== undefined) {
    return fail(`knows the options ${smtpOptions.join(", ")}, not "${stranger}"`);
  }
  return ok(text);
}

/** True if a mail server's URL has a user name. */
export const namesUser = (smtpUrl: string): boolean => (parseUrl(smtpUrl)?.username ?? "") !== "";

const atom = String.raw`[^\s@<>(),;:"\\[\]\p{Cc}]{1,64}`;
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`;
const emailPattern = new RegExp(String.raw`^${atom}@${label}(?:\.${label})*$`, "u");

export function readEmail(text: string): Read<string> {
  if (emailPattern.test(text)) return ok(text);
  return fail(`must be an e-mail address such as "ana@example.com", not "${text}"`);
}

/** `Name <address>` or an address alone. */
export function readMailbox(
  text: string,
): Read<{ readonly name: string; readonly address: string }> {
  const match = /^(?<name>[^<>\p{Cc}]*)<(?<address>[^<>]*)>$/u.exec(text.trim());
  const address = readEmail(match?.groups?.["address"]?.trim() ?? text.trim());
  if (!address.ok) return fail(`must be like "Dayferry <dayferry@example.com>", not "${text}"`);
  const name = match?.groups?.["name"]?.trim().replace(/^"(.*)"$/, "$1") ?? "";
  return ok({ name, address: address.value });
}

/** A key or token valid in a request header. */
export function readToken(text: string): Read<string> {
  if (/^[\x21-\x7e]+$/.test(text)) return ok(text);
  return fail("must be printable ASCII without spaces, and not empty");
}

/** The admin token. It gives full access, so it must be too long to guess. */
export function readAdminToken(text: string): Read<string> {
  const token = readToken(text);
  if (!token.ok || text.length >= shortestAdminToken) return token;
  return fail(
    `must have at least ${shortestAdminToken} characters (it has ${text.length}): take the output of "openssl rand -hex 32", or leave it out and one is made`,
  );
}

/** 128 bits in hexadecimal digits. */
const shortestAdminToken = 32;

/** A password: any text on one line. */
export function readPassword(text: string): Read<string> {
  if (text !== "" && !/\p{Cc}/u.test(text)) return ok(text);
  return fail("must be one line of text, and not empty");
}

function parseDuration(text: string): Temporal.Duration | null {
  try {
    return Temporal.Duration.from(text);
  } catch {
    return null;
  }
}

function readPlainUrl(text: string): Read<URL> {
  const url = parseUrl(text);
  if (!url || !isWeb(url)) return fail("must be an address that begins with https:// or http://");
  if (url.username !== "" || url.password !== "") return fail("must not contain a login");
  if (url.search !== "" || url.hash !== "") return fail("must end before any ? or #");
  return ok(url);
}

const parseUrl = (text: string): URL | null => URL.parse(text);

const isWeb = (url: URL): boolean => url.protocol === "https:" || url.protocol === "http:";

const withoutSlash = (url: URL): string => url.href.replace(/\/+$/, "");

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
