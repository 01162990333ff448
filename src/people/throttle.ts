import { unreachable } from "../domain/result.ts";
import { sleep } from "../runtime.ts";

export interface ThrottleDeps {
  readonly clock: () => Temporal.Instant;
  /** Resolves after so many milliseconds; a timer of the process unless given. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** How a wrong secret is answered: at once, late, or by turning its sender away for a while. */
export type ThrottleDecision =
  | { readonly kind: "go" }
  /** After so many milliseconds. */
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "refuse"; readonly retryAfterSeconds: number };

/**
 * Slows down those who guess secrets, and turns them away if they go on. A right secret is let in without asking here:
 * all secrets are too long to be guessed, so that nobody has to be locked out, and nobody can lock others out. Wrong ones
 * are counted by address and login, and, for waiting alone, by address, as a whole office may be behind one.
 */
export interface Throttle {
  /** Notes a wrong secret. */
  wrong(address: string, login: string): ThrottleDecision;
  /**
   * Notes a wrong secret and resolves when it may be answered: with null, or at once with the seconds after which its sender
   * may try again.
   */
  answerable(address: string, login: string): Promise<number | null>;
  /** Forgives what this login has got wrong from this address. */
  right(address: string, login: string): void;
}

interface Limits {
  /** Wrong ones within the window that are answered at once. */
  readonly free: number;
  /** So many are remembered. */
  readonly most: number;
}

const windowMs = 10 * 60_000;
const longestWaitMs = 5000;
const mostWaiting = 20;
/** Beyond it the ones that failed longest ago are forgotten. */
const mostRemembered = 10_000;
const limitsByLogin: Limits = { free: 5, most: 15 };
/** Behind one address there may be a whole office. */
const limitsByAddress: Limits = { free: 20, most: 60 };

/** Keeps the counts in memory: a restart forgives all. */
export function createThrottle({ clock, pause = sleep }: ThrottleDeps): Throttle {
  /** Times of wrong passwords, oldest first, by who sent them; the one that failed last stands last. */
  const failures = new Map<string, readonly number[]>();
  /** Until when requests are being delayed. */
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
    wrong,
    async answerable(address, login) {
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
    right(address, login) {
      failures.delete(pairOf(originOf(address), login));
    },
  };
}

const pairOf = (origin: string, login: string): string =>
  `${origin} ${login.trim().toLowerCase().slice(0, 200)}`;

/**
 * Who stands behind an address: an IPv4 address itself, also where it is mapped into IPv6; of IPv6 the first 64 bits, as one
 * subscriber has all that follow.
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
