import { pathToFileURL } from "node:url";
import { Scheduler, schedulerDefaults } from "@dayferry/poll-scheduler";
import { FirstImpressions } from "../../src/sync/first-impressions.ts";
import type { Shows } from "./changing-workspace.ts";
import { type ExpectedWorld, expectedDelay, type Poll } from "./expected-delay.ts";

/** What of the simulator is used here. */
export interface Pollsim {
  makeWorld(about: {
    readonly n: number;
    readonly scenario: object | string;
    readonly seed: number;
    readonly horizon: number;
  }): World;
  simulate(
    world: World,
    policy: Policy,
    options: { readonly budget: number; readonly warm: number },
  ): {
    readonly mean: number;
    readonly p95: number;
    readonly maxGap: number;
    readonly polls: number;
  };
  readonly POLICIES: Readonly<Record<string, (world: World, budget: number) => Policy>>;
  readonly SCENARIOS: Readonly<Record<string, object>>;
}

/** Sources that change at these times, in seconds. */
export interface World extends ExpectedWorld {
  readonly n: number;
  readonly horizon: number;
  readonly events: readonly Float64Array[];
}

export interface Policy {
  next(now: number): number;
  observe(source: number, now: number, changes: { readonly times: ArrayLike<number> }): void;
}

/** A world from an hour of its first day on, and what is asked of it, in seconds. */
export interface Hours {
  readonly world: World;
  /** When the daemon starts; changes count from there. */
  readonly from: number;
  readonly warm: number;
  /** Requests per second. */
  readonly budget: number;
  /** No source is left alone for longer, as the daemon is told; in seconds. */
  readonly maxAge: number;
}

export const loadPollsim = (path: string): Promise<Pollsim> => import(pathToFileURL(path).href);

/**
 * The change times of a world by its name. All changes weigh the same: which of a world's sources are dear to somebody is
 * told to the simulator's policies, and nobody tells the daemon.
 */
export function worldOf(
  pollsim: Pollsim,
  {
    scenario,
    ...about
  }: {
    readonly n: number;
    readonly scenario: string;
    readonly seed: number;
    readonly horizon: number;
  },
): World {
  const known = pollsim.SCENARIOS[scenario];
  if (!known) throw new Error(`the simulator knows no world ${scenario}`);
  return pollsim.makeWorld({ ...about, scenario: { ...known, wsig: 0 } });
}

/** A world as that shows it which is asked: `from` is the second from which on the items of a source change in turn. */
export function shownIn(world: World, { names, of }: Shows, from: number): World {
  const events = names.map((): number[] => []);
  for (const [source, times] of world.events.entries()) {
    const shown = of[source] ?? [];
    const earlier = times.findLastIndex((at) => at < from) + 1;
    for (const [nth, at] of times.entries()) {
      const turn = (nth - earlier) % shown.length;
      events[shown.at(turn) ?? 0]?.push(at);
    }
  }
  const sorted = events.map((times) => Float64Array.from(times).toSorted());
  const n = names.length;
  return { ...world, n, events: sorted, w: new Float64Array(n).fill(1) };
}

/** The changes from that second on, counted from it. */
export const changesFrom = ({ events }: World, from: number): readonly Float64Array[] =>
  events.map((times) => times.filter((at) => at >= from).map((at) => at - from));

/**
 * Mean delays in seconds of three policies on the same changes; and what the polls of two of them were to leave unseen by
 * expectation. The oracle knows everything; ours starts at `from`, where the first poll of each source shows when its items were
 * changed last. `shown`: the world as our own policy sees it; `items`: how many items each of
 * its sources has, which change in turn; without it first polls show nothing.
 */
export function simulated(
  pollsim: Pollsim,
  {
    world,
    shown = world,
    items,
    from,
    warm,
    budget,
    maxAge,
  }: Hours & { readonly shown?: World; readonly items?: readonly number[] },
) {
  const horizon = world.horizon - from;
  const mean = (policy: Policy, of: World = world) => {
    const events = changesFrom(of, from);
    return pollsim.simulate({ ...of, horizon, events }, policy, { budget, warm }).mean;
  };
  const known = (name: string) => {
    const policy = pollsim.POLICIES[name]?.(world, budget);
    if (!policy) throw new Error("the simulator lacks its policies oracle and rr");
    return later(policy, from);
  };
  const expected = (policy: Policy) => {
    const polls: Poll[] = [];
    mean({
      next: (now) => policy.next(now),
      observe(source, now, changes) {
        polls.push({ source, at: now + from });
        policy.observe(source, now, changes);
      },
    });
    return expectedDelay(world, { polls, warm: from + warm, since: from });
  };
  const ours = (of: World) => {
    const names = namesOf(of);
    const past = items && { events: of.events, items, from };
    return schedulerPolicy({ names, start: 0, budget, maxAge, ...(past && { past }) }).policy;
  };
  return {
    roundRobin: mean(known("rr")),
    oracle: mean(known("oracle")),
    ours: mean(ours(shown), shown),
    oracleExpected: expected(known("oracle")),
    oursExpected: expected(ours(world)),
  };
}

/** Minutes of a world, in seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The polls of the daemon's own scheduler that has watched a world from its first second on, until `to`. */
export function pollsOfLearned(
  pollsim: Pollsim,
  { world, to, ...about }: Pick<Hours, "world" | "budget" | "maxAge"> & Pick<Span, "to">,
): readonly Poll[] {
  const polls: Poll[] = [];
  const { policy } = schedulerPolicy({ ...about, names: namesOf(world), start: 0 });
  const watched: Policy = {
    next: (now) => policy.next(now),
    observe(source, now, changes) {
      polls.push({ source, at: now });
      policy.observe(source, now, changes);
    },
  };
  const events = world.events.map((times) => times.filter((at) => at < to));
  pollsim.simulate({ ...world, horizon: to, events }, watched, { budget: about.budget, warm: 0 });
  return polls;
}

/** How long the changes of a span waited for polls, in seconds x changes: as it happened, and by expectation where that is known. */
export function unseen(
  world: World,
  { polls, span: { from, to } }: { readonly polls: readonly Poll[]; readonly span: Span },
): { readonly happened: number; readonly expected: number | null } {
  // What came before the span does not count, and what was not seen at its end has waited until then.
  const allAt = (at: number) => world.events.map((_, source): Poll => ({ source, at }));
  const all = [
    ...polls.filter(({ at }) => at < from),
    ...allAt(from),
    ...polls.filter(({ at }) => at >= from && at < to),
    ...allAt(to),
  ];
  const seen = world.events.map(() => 0);
  let happened = 0;
  for (const { source, at } of all) {
    const times = world.events[source] ?? new Float64Array();
    let next = seen[source] ?? 0;
    for (; (times[next] ?? Number.POSITIVE_INFINITY) <= at; next += 1) {
      if ((times[next] ?? 0) > from) happened += at - (times[next] ?? 0);
    }
    seen[source] = next;
  }
  const isKnown = world.swaps.length === 0;
  return { happened, expected: isKnown ? expectedDelay(world, { polls: all, warm: from }) : null };
}

/** A policy that knows the hour of the day. */
const later = (policy: Policy, from: number): Policy => ({
  next: (now) => policy.next(now + from),
  observe(source, now, { times, ...more }) {
    const moved = Float64Array.from(times, (at) => at + from);
    policy.observe(source, now + from, { ...more, times: moved });
  },
});

/** What the daemon's own scheduler knows of sources of these names after the hours of a world up to `until`, which began at `start`. */
export function learned(
  pollsim: Pollsim,
  {
    world,
    names,
    until,
    start,
    ...about
  }: Pick<Hours, "world" | "budget" | "maxAge"> & {
    readonly names: readonly string[];
    readonly until: number;
    /** In seconds since 1970. */
    readonly start: number;
  },
): Scheduler {
  const { scheduler, policy } = schedulerPolicy({ ...about, names, start });
  const events = world.events.map((times) => times.filter((at) => at < until));
  pollsim.simulate({ ...world, horizon: until, events }, policy, { budget: about.budget, warm: 0 });
  return scheduler;
}

const namesOf = ({ n }: World): readonly string[] =>
  Array.from({ length: n }, (_, source) => String(source));

/** What happened before a policy starts, of which first polls show the last change of each item. */
interface Past {
  /** Of each source, in seconds of the world. */
  readonly events: readonly ArrayLike<number>[];
  readonly items: readonly number[];
  /** The second of the world at which the policy starts. */
  readonly from: number;
}

/**
 * The daemon's own scheduler, which asks at an even pace, is answered at once, and asks for nothing but these sources. Without a
 * past first polls show nothing. `start`: the first second of the policy, since 1970.
 */
export function schedulerPolicy({
  names,
  start,
  budget,
  maxAge,
  past,
}: Pick<Hours, "budget" | "maxAge"> & {
  readonly names: readonly string[];
  readonly start: number;
  readonly past?: Past;
}): { readonly scheduler: Scheduler; readonly policy: Policy } {
  const scheduler = new Scheduler({
    ...schedulerDefaults,
    quietAfter: Number.POSITIVE_INFINITY,
    maxAge,
    pace: budget,
  });
  const places = new Map(names.map((name, place) => [name, place]));
  for (const name of names) scheduler.put(name, { weight: 1, cost: 1 });
  const impressions = new FirstImpressions();
  const unread = new Set(names);
  const read = (name: string, source: number, now: number): boolean => {
    if (!past || !unread.delete(name)) return false;
    const times = Array.from(past.events[source] ?? [], (at) => at - past.from);
    const items = past.items[source] ?? 0;
    const changes = times.filter((at) => at <= now).slice(-items);
    const at = start + now;
    impressions.add(name, { at, now: at, items, changes: changes.map((time) => start + time) });
    return true;
  };
  const policy: Policy = {
    next(now) {
      const choice = scheduler.next(start + now);
      if (choice.kind === "wait") throw new Error("the scheduler waits where it should not");
      return places.get(choice.key) ?? 0;
    },
    observe(source, now, { times }) {
      const name = names[source] ?? "";
      const isFirst = read(name, source, now);
      const moved = Float64Array.from(isFirst ? [] : times, (at) => start + at);
      scheduler.observe(name, { at: start + now, times: moved });
      if (!isFirst || unread.size > 0) return;
      for (const [key, recalled] of impressions.take(impressions.size)) {
        scheduler.recall(key, recalled);
      }
    },
  };
  return { scheduler, policy };
}
