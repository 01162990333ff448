import { pino, stdTimeFunctions } from "pino";
import { createHider, type Hide, hiddenMark } from "./domain/hidden-secrets.ts";
import { shownText } from "./domain/text.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

type Fields = Readonly<Record<string, unknown>>;

/** Events are short names ("edit confirmed"); variable parts belong into the fields. */
export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /** A log that adds these fields to each line. */
  child(fields: Fields): Log;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Writes one whole line including its end; standard error by default, as standard output is for data. */
  readonly write?: (line: string) => void;
  /** Values that must never appear. Those under 6 characters are ignored. */
  readonly secrets?: readonly string[];
  /** Removes further secrets, which may change. */
  readonly hide?: Hide;
  readonly clock?: () => Temporal.Instant;
}

/**
 * A log of JSON lines: `level`, `time` (ISO 8601, UTC), the fields, `event`. Fields named like a secret, logins in URLs, feed
 * and action URLs and `secrets` are redacted at any depth. Errors are written with stack and cause chain.
 */
export function createLog(options: LogOptions): Log {
  const { clock } = options;
  const stream = options.write ? { write: options.write } : standardError();
  const out = pino(
    {
      base: null,
      level: options.level,
      messageKey: "event",
      timestamp: clock ? () => `,"time":"${clock().toString()}"` : stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // JSON escapes ESC, but not everything that steers a terminal.
    { write: (line: string) => void stream.write(shownText(line)) },
  );
  const hideFixed = createHider(options.secrets ?? []);
  const hideFurther = options.hide;
  const hide: Hide = hideFurther ? (text) => hideFurther(hideFixed(text)) : hideFixed;
  const write = (level: "debug" | "info" | "warn" | "error", line: Line): void => {
    if (!out.isLevelEnabled(level)) return;
    const seen = new Set<object>();
    const fields = Object.entries(line.fields).map(([key, value]) => [
      reserved.has(key) ? `${key}_` : key,
      redactField({ key, value, hide, seen, depth: 0 }),
    ]);
    out[level](Object.fromEntries(fields), redactText(line.event, hide));
  };
  return logWith({}, write);
}

/** Standard error, ignoring write errors: a full disk cannot be reported anywhere, and must not stop anything. */
function standardError() {
  const stream = pino.destination({ fd: 2, sync: true });
  stream.on("error", () => {});
  return stream;
}

interface Line {
  readonly event: string;
  readonly fields: Fields;
}
type Write = (level: "debug" | "info" | "warn" | "error", line: Line) => void;

function logWith(bound: Fields, write: Write): Log {
  const at = (level: "debug" | "info" | "warn" | "error") => {
    return (event: string, fields: Fields = {}): void =>
      write(level, { event, fields: { ...bound, ...fields } });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => logWith({ ...bound, ...fields }, write),
  };
}

/** Pino's own keys; a field with such a name gets a `_`. */
const reserved: ReadonlySet<string> = new Set(["level", "time", "event"]);

const mark = hiddenMark;
const secretKey =
  /(?:apikey|authorization|password|passphrase|passwd|token|secret|secrets|cookie|cookies)$/;
const deepest = 8;
const mostEntries = 100;
const longestText = 10_000;

interface Redaction {
  readonly value: unknown;
  readonly hide: Hide;
  /** Parent objects, to end circular references. */
  readonly seen: ReadonlySet<object>;
  readonly depth: number;
}

function redactField(field: Redaction & { readonly key: string }): unknown {
  const named = field.key.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const empty = field.value === null || field.value === undefined;
  return secretKey.test(named) && !empty ? mark : redact(field);
}

function redact(from: Redaction): unknown {
  const { value, hide, seen, depth } = from;
  if (typeof value === "string") return redactText(value, hide);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value) || depth >= deepest) return mark;

  const inside = { hide, seen: new Set([...seen, value]), depth: depth + 1 };
  if (value instanceof Error) return redactError(value, inside);
  if (value instanceof Uint8Array) return `<${value.byteLength} bytes>`;
  if (value instanceof Map || value instanceof Set) return redact({ ...inside, value: [...value] });
  if (Array.isArray(value)) {
    const kept = value.slice(0, mostEntries).map((entry) => redact({ ...inside, value: entry }));
    return value.length > mostEntries ? [...kept, `${value.length - mostEntries} more`] : kept;
  }
  // Dates, URLs and all of Temporal serialise themselves.
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return redact({ ...inside, value: value.toJSON() });
  }
  return redactEntries(value, inside);
}

function redactError(error: Error, inside: Omit<Redaction, "value">): unknown {
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message: redactText(message, inside.hide),
    stack: redactText(stack ?? "", inside.hide),
    ...(cause === undefined ? {} : { cause: redact({ ...inside, value: cause }) }),
    ...(error instanceof AggregateError
      ? { errors: redact({ ...inside, value: error.errors }) }
      : {}),
    ...redactEntries(error, inside),
  };
}

function redactEntries(value: object, inside: Omit<Redaction, "value">): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, inner]) => typeof inner !== "function");
  const kept = entries.slice(0, mostEntries).map(([key, inner]) => {
    return [redactText(key, inside.hide), redactField({ ...inside, key, value: inner })];
  });
  return Object.fromEntries(kept);
}

/** Patterns of secrets within a text, and what remains of each. */
const leaks: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]*@/gi, `$1${mark}@`],
  // The JSON API's feed routes have ids, not secrets.
  [/(?<!\/api)(\/(?:feeds|act|unsubscribe|login)\/)[^\s/?#"'<>]+/gi, `$1${mark}`],
  [/(\/private-)[^\s/?#"'<>]+/gi, `$1${mark}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${mark}`],
  [
    /([?&](?:[a-z_-]{0,30}(?:key|token|secret|password|signature)|auth|sig)=)[^\s&#"'<>]*/gi,
    `$1${mark}`,
  ],
];

function redactText(text: string, hide: Hide): string {
  const hidden = hide(text);
  // Cut beyond the displayed length, so that no pattern is missed because its end was cut off.
  const start = hidden.slice(0, 2 * longestText);
  const clean = leaks.reduce((left, [pattern, kept]) => left.replaceAll(pattern, kept), start);
  return clean.length > longestText ? `${clean.slice(0, longestText)}${mark}` : clean;
}
