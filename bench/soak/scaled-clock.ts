/** An instant `start` at the real moment `beganMs`, from where time goes by `scale` times as fast; the same in every process. */
export function scaledClock({
  start,
  beganMs,
  scale,
}: {
  readonly start: string;
  readonly beganMs: number;
  readonly scale: number;
}): () => Temporal.Instant {
  const from = Temporal.Instant.from(start);
  return () => from.add({ milliseconds: Math.floor((Date.now() - beganMs) * scale) });
}
