import { say } from "../texts/say.ts";
/** Rate limit of test messages, as each goes to someone else's server and to a phone. */
export type TestLimit = ReturnType<typeof createTestLimit>;

const most = 5;
const windowMs = 10 * 60_000;

/** Allows five messages within ten minutes per receiver. Counts are kept in memory. */
export function createTestLimit({ clock }: { readonly clock: () => Temporal.Instant }) {
  const asked = new Map<string, readonly number[]>();
  return {
    /** Records a test to this receiver; returns the seconds to wait if it may not be sent now, else null. */
    ask(receiver: string): number | null {
      const now = clock().epochMilliseconds;
      // A time in the future comes from a clock that was set back.
      const recent = (asked.get(receiver) ?? []).filter((at) => at <= now && now - at < windowMs);
      const [first = now] = recent;
      if (recent.length >= most) return Math.ceil((first + windowMs - now) / 1000);
      asked.set(receiver, [...recent, now]);
      return null;
    },
  };
}

/** Why a test is not sent, in words. */
export const tooManyTests = (seconds: number): string =>
  say("pageFault.tooManyTests", { minutes: Math.ceil(seconds / 60) });
