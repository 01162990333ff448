/** How often a test message may be sent: each goes to somebody else's server, and on to a phone. */
export interface TestLimit {
  /** Notes a test to this receiver; after how many seconds it may be asked for again where it may not go now, else null. */
  ask(receiver: string): number | null;
}

const most = 5;
const windowMs = 10 * 60_000;

/** Five within ten minutes for each receiver, counted in memory. */
export function createTestLimit({ clock }: { readonly clock: () => Temporal.Instant }): TestLimit {
  const asked = new Map<string, readonly number[]>();
  return {
    ask(receiver) {
      const now = clock().epochMilliseconds;
      // What lies ahead was noted by a clock that was set back since.
      const recent = (asked.get(receiver) ?? []).filter((at) => at <= now && now - at < windowMs);
      const [first = now] = recent;
      if (recent.length >= most) return Math.ceil((first + windowMs - now) / 1000);
      asked.set(receiver, [...recent, now]);
      return null;
    },
  };
}

/** Why a test does not go, in words. */
export const tooManyTests = (seconds: number): string =>
  `There were five tests within ten minutes: the next one may go in ${Math.ceil(seconds / 60)} min`;
