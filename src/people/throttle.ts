import { unreachable } from "../domain/result.ts";
import { sleep } from "../runtime.ts";

export interface ThrottleDeps {
  readonly clock: () => Temporal.Instant;
  /** Resolves after this many milliseconds. Default: a process timer. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** How a wrong secret is answered: at once, delayed, or by rejecting the sender for a while. */
export type ThrottleDecision =
  | { readonly kind: "go" }
  /** Delay in milliseconds. */
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "refuse"; readonly retryAfterSeconds: number };

/**
 * Slows down people who guess secrets, and rejects them if they go on. A correct secret is accepted without asking here:
 * secrets are too long to guess, so nobody needs to be locked out and nobody can lock others out. Wrong ones are counted per
 * address and login, and per address alone with higher limits, because a whole office may share an address.
 */
export type Throttle = ReturnType<typeof createThrottle>;

interface Limits {
  /** Wrong attempts within the window that are answered at once. */
  readonly free: number;
  /** Wrong attempts within the window before the sender is rejected. */
  readonly most: number;
}

const windowMs = 10 * 60_000;
const longestWaitMs = 5000;
const mostWaiting = 20;
/** Above this, the entries with the oldest last failure are dropped. */
const mostRemembered = 10_000;
const limitsByLogin: Limits = { free: 5, most: 15 };
/** A whole office may share one address. */
const limitsByAddress: Limits = { free: 20, most: 60 };

/** Keeps the counts in memory; a restart resets them. */
export function createThrottle({ clock, pause = sleep }: ThrottleDeps) {
  /** Times of wrong passwords per sender, oldest first; the map is ordered by last failure. */
  const failures = new Map<string, readonly number[]>();
  /** End times of the requests that are being delayed. */
  let waiting: readonly number[] = [];

  const now = () => clock().epochMilliseconds;

  function recent(key: string): readonly number[] {
    const since = now() - windowMs;
    return (failures.get(key) ?? []).filter((at) => at > since && at <= now());
  }

  function remember(key: string, { most }: Limits): void {
    const times = [...recent(key), now()].slice(-most);
    failures.delete(key);
    failures.set(key, times);
    const [oldest] = failures.keys();
    if (failures.size > mostRemembered && oldest !== undefined) failures.delete(oldest);
  }

  function delayOf(times: readonly number[], { free }: Limits): number {
    return times.length < free ? 0 : Math.min(longestWaitMs, 500 * 2 ** (times.length - free));
  }

  function delayed(ms: number): ThrottleDecision {
    waiting = waiting.filter((until) => until > now());
    if (waiting.length >= mostWaiting) return refused(now() + longestWaitMs);
    waiting = [...waiting, now() + ms];
    return { kind: "wait", ms };
  }

  const refused = (until: number): ThrottleDecision => ({
    kind: "refuse",
    retryAfterSeconds: Math.max(1, Math.ceil((until - now()) / 1000)),
  });

  function wrong(address: string, login: string): ThrottleDecision {
    const origin = originOf(address);
    const pair = pairOf(origin, login);
    const [before, ofAddress] = [recent(pair), recent(origin)];
    const [oldest = 0] = before;
    if (before.length >= limitsByLogin.most) return refused(oldest + windowMs);
    remember(origin, limitsByAddress);
    remember(pair, limitsByLogin);
    const ms = Math.max(delayOf(before, limitsByLogin), delayOf(ofAddress, limitsByAddress));
    return ms === 0 ? { kind: "go" } : delayed(ms);
  }

  return {
    /** Records a wrong secret. */
    wrong,
    /**
     * Records a wrong secret. Resolves with null when the request may be answered, or at once with the seconds after which its
     * sender may retry.
     */
    async answerable(address: string, login: string): Promise<number | null> {
      const decision = wrong(address, login);
      switch (decision.kind) {
        case "refuse":
          return decision.retryAfterSeconds;
        case "wait":
          await pause(decision.ms);
          return null;
        case "go":
          return null;
        default:
          return unreachable(decision);
      }
    },
    /** Resets the count of this login from this address. */
    right(address: string, login: string): void {
      failures.delete(pairOf(originOf(address), login));
    },
  };
}

const pairOf = (origin: string, login: string): string =>
  `${origin} ${login.trim().toLowerCase().slice(0, 200)}`;

/**
 * Key that identifies the sender of an address: an IPv4 address as it is, also if mapped into IPv6; for IPv6 the first 64 bits,
 * because one subscriber owns the rest.
 */
function originOf(address: string): string {
  const plain = address.toLowerCase().replace(/%.*$/, "");
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain) ?? [];
  if (mapped !== undefined) return mapped;
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::", 2);
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::`;
}
