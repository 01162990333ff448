import { readHttpDate } from "../domain/http-date.ts";

const longestMs = 3_600_000;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds: whole or decimal seconds, or an HTTP date, which is
 * measured against the answer's own `Date` where there is one. At most one hour, so that a mad value cannot stop the
 * daemon for good. Null when the header is absent or unreadable.
 * Source: RFC 9110, 10.2.3.
 */
export function readRetryAfter(
  headers: { readonly retryAfter: string | null; readonly date: string | null },
  now: Temporal.Instant,
): number | null {
  const text = headers.retryAfter?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, longestMs);
  const until = readHttpDate(text);
  if (!until) return null;
  const from = readHttpDate(headers.date ?? "") ?? now;
  return Math.min(Math.max(until.epochMilliseconds - from.epochMilliseconds, 0), longestMs);
}
