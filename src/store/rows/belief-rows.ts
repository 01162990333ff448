/** What polling has learned of one source; moments are seconds since 1970. Null arrays: it was never seen to change. */
export interface BeliefRow {
  /** The name of a source, or of a page of all tasks. */
  readonly source: string;
  readonly polledAt: number;
  readonly lastChange: number | null;
  readonly changes: number;
  readonly gaps: number;
  readonly gapSeconds: number;
  readonly odds: Float32Array | null;
  readonly hours: Float32Array | null;
}

/** Null if the row has another layout or an invalid number. */
export function beliefRow(row: unknown, form: number): BeliefRow | null {
  const raw = row as {
    source: string;
    form: number;
    polled_at: number;
    last_change: number | null;
    changes: number;
    gaps: number;
    gap_seconds: number;
    odds: Buffer | null;
    hours: Buffer | null;
  };
  const odds = raw.odds && floatsIn(raw.odds);
  const hours = raw.hours && floatsIn(raw.hours);
  const all = [raw.polled_at, raw.last_change ?? 0, raw.changes, raw.gaps, raw.gap_seconds];
  const isSound = [...all, ...(odds ?? []), ...(hours ?? [])].every((value) => value >= 0);
  const isWhole = (odds === null) === (hours === null);
  if (raw.form !== form || !isSound || !isWhole) return null;
  return {
    source: raw.source,
    polledAt: raw.polled_at,
    lastChange: raw.last_change,
    changes: raw.changes,
    gaps: raw.gaps,
    gapSeconds: raw.gap_seconds,
    odds,
    hours,
  };
}

/** The bytes of an array; null for none. */
export const bytesOf = (floats: Float32Array | null): Buffer | null =>
  floats && Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);

/** A copy, as a row's bytes may not be aligned. A partial float at the end becomes NaN. */
function floatsIn(bytes: Buffer): Float32Array {
  if (bytes.byteLength % 4 !== 0) return Float32Array.of(Number.NaN);
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
