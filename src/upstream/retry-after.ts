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
  if (until === null) return null;
  const from = readHttpDate(headers.date ?? "") ?? now.epochMilliseconds;
  return Math.min(Math.max(until - from, 0), longestMs);
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function readHttpDate(text: string): number | null {
  const match = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/.exec(
    text.trim(),
  );
  const month = months.indexOf(match?.[2] ?? "") + 1;
  if (!match || month === 0) return null;
  try {
    const iso = `${match[3]}-${String(month).padStart(2, "0")}-${match[1]}T${match[4]}Z`;
    return Temporal.Instant.from(iso).epochMilliseconds;
  } catch {
    return null;
  }
}
