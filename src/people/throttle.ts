export interface ThrottleDeps {
  readonly clock: () => Temporal.Instant;
}

/** What to do with a login before its password is looked at. */
export type Passage =
  | { readonly kind: "go" }
  /** Look at it after so many milliseconds. */
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "refuse"; readonly retryAfterSeconds: number };

/**
 * Slows down those who guess passwords, and turns them away if they go on. Wrong ones are counted by address and login,
 * and, with more patience, by address alone; the same login from another address is never hindered.
 */
export interface Throttle {
  before(address: string, login: string): Passage;
  failed(address: string, login: string): void;
  /** Forgives what this login has got wrong from this address. */
  succeeded(address: string, login: string): void;
}

interface Patience {
  /** Wrong ones within the window that are answered at once. */
  readonly free: number;
  /** Wrong ones from which on nothing is looked at any more. */
  readonly most: number;
}

const windowMs = 10 * 60_000;
const longestWaitMs = 5000;
const mostWaiting = 20;
/** Beyond it the ones that failed longest ago are forgotten. */
const mostRemembered = 10_000;
const patienceWithLogin: Patience = { free: 5, most: 15 };
/** Behind one address there may be a whole office. */
const patienceWithAddress: Patience = { free: 20, most: 60 };

export function createThrottle({ clock }: ThrottleDeps): Throttle {
  /** Times of wrong passwords, oldest first, by who sent them; the one that failed last stands last. */
  const failures = new Map<string, readonly number[]>();
  /** Until when requests are being delayed. */
  let waiting: readonly number[] = [];

  const now = () => clock().epochMilliseconds;

  function recent(key: string): readonly number[] {
    const since = now() - windowMs;
    return (failures.get(key) ?? []).filter((at) => at > since && at <= now());
  }

  function remember(key: string, { most }: Patience): void {
    const times = [...recent(key), now()].slice(-most);
    failures.delete(key);
    failures.set(key, times);
    const [oldest] = failures.keys();
    if (failures.size > mostRemembered && oldest !== undefined) failures.delete(oldest);
  }

  /** Milliseconds; "never" comes with the time at which it may be tried again. */
  function delayOf(key: string, { free, most }: Patience): number | { readonly until: number } {
    const times = recent(key);
    const [oldest = 0] = times;
    if (times.length >= most) return { until: oldest + windowMs };
    return times.length < free ? 0 : Math.min(longestWaitMs, 500 * 2 ** (times.length - free));
  }

  function delayed(ms: number): Passage {
    waiting = waiting.filter((until) => until > now());
    if (waiting.length >= mostWaiting) return refused(now() + longestWaitMs);
    waiting = [...waiting, now() + ms];
    return { kind: "wait", ms };
  }

  const refused = (until: number): Passage => ({
    kind: "refuse",
    retryAfterSeconds: Math.max(1, Math.ceil((until - now()) / 1000)),
  });

  return {
    before(address, login) {
      const origin = originOf(address);
      const byAddress = delayOf(origin, patienceWithAddress);
      if (typeof byAddress !== "number") return refused(byAddress.until);
      const byLogin = delayOf(pairOf(origin, login), patienceWithLogin);
      if (typeof byLogin !== "number") return refused(byLogin.until);
      const ms = Math.max(byAddress, byLogin);
      return ms === 0 ? { kind: "go" } : delayed(ms);
    },
    failed(address, login) {
      const origin = originOf(address);
      remember(origin, patienceWithAddress);
      remember(pairOf(origin, login), patienceWithLogin);
    },
    succeeded(address, login) {
      failures.delete(pairOf(originOf(address), login));
    },
  };
}

const pairOf = (origin: string, login: string): string =>
  `${origin} ${login.trim().toLowerCase().slice(0, 200)}`;

/**
 * Who stands behind an address: an IPv4 address itself, also in its IPv6 dress; of IPv6 the first 64 bits, as one
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
