import { join } from "node:path";
import { maxAgePart } from "@dayferry/poll-scheduler";
import type { Sandbox } from "@dayferry/sandbox";
import { expect, it, onTestFinished } from "vitest";
import {
  agesBefore,
  changingSources,
  sourceRead,
  writeHistory,
  writeWorkspace,
} from "../../bench/freshness/changing-workspace.ts";
import { expectedDelay, type Poll } from "../../bench/freshness/expected-delay.ts";
import { steadyWorld } from "../../bench/freshness/own-worlds.ts";
import { changesFrom, schedulerPolicy, type World } from "../../bench/freshness/pollsim.ts";
import { WatchedDaemon } from "../../bench/freshness/watched-daemon.ts";
import { VirtualTime } from "../../simulator/virtual-time.ts";
import { testSandbox } from "../support/sandbox.ts";
import { testDirectory } from "../support/test-store.ts";

/** Some 70 sources, like the smallest size of the benches. */
const shape = { projects: 3, lists: 10, tasks: 30, events: 12, parents: 6 } as const;
const start = Temporal.Instant.from("2027-03-01T09:00Z");
const timeZone = "Europe/Berlin";
const quota = { requests: 25, perMs: 10_000 } as const;
const latencyMs = 150;
const share = 0.9;
const maxAge = 15 * 60;
const measuredSeconds = 600;
/** The world is a day old when the daemon starts. */
const past = 86_400;

/** Some sources change every two minutes, and the others twice a day. */
const worldOf = (n: number): World =>
  steadyWorld(
    Float64Array.from({ length: n }, (_, source) => (source % 12 === 0 ? 1 / 120 : 2 / 86_400)),
    { horizon: past + 3600, seed: 17 },
  );

/** The daemon on a sandbox with this world, on a clock that stands still while the process works. */
async function startWorld() {
  const time = new VirtualTime(start);
  const folder = testDirectory();
  const data = join(folder, "workspace.sqlite");
  writeWorkspace(data, { shape, now: start, timeZone });
  const quiet = await testSandbox({ data, clock: time.clock });
  const places = changingSources(quiet);
  await quiet.close();
  const world = worldOf(places.length);
  const ages = world.events.map((times) => [...agesBefore(times, past)]);
  writeHistory(data, { sources: places, ages, now: start });
  let arrivals: number[] = [];
  const sandbox = await testSandbox({
    ...{ data, quota, latencyMs, clock: time.clock },
    runtime: {
      monotonic() {
        arrivals.push(time.monotonic());
        return time.monotonic();
      },
    },
  });
  onTestFinished(() => sandbox.close());
  sandbox.faults.add({ kind: "status", status: 404, path: /\/alltodo$/, times: Infinity });
  const polling = { maxAge: "PT15M", share, comments: false, history: false, files: false };
  const random = () => 0.5;
  const about = { sandbox, folder: join(folder, "data"), time, random, polling };
  const daemon = new WatchedDaemon(about, null);
  const isBusy = () => {
    arrivals = arrivals.filter((at) => at + latencyMs > time.monotonic());
    return daemon.underWay > arrivals.length;
  };
  return { time, sandbox, daemon, isBusy, world, sources: changingSources(sandbox) };
}

/**
 * Lets the world change beside the daemon; returns when everything was first read, and all polls, in seconds of the
 * world.
 */
async function polled({
  time,
  sandbox,
  daemon,
  isBusy,
  world,
  sources,
}: Awaited<ReturnType<typeof startWorld>>) {
  const restore = time.install();
  try {
    await daemon.start();
    for (const [place, times] of changesFrom(world, past).entries()) {
      for (const [nth, at] of times.entries()) {
        const source = sources[place];
        if (source) time.after(at * 1000, () => daemon.change(source, nth));
      }
    }
    await time.run(() => daemon.isReady, isBusy);
    const readyAt = time.monotonic() / 1000;
    const until = (readyAt + measuredSeconds) * 1000;
    await time.run(() => time.monotonic() >= until, isBusy);
    let isClosed = false;
    const closing = daemon.stop().then(() => {
      isClosed = true;
    });
    await time.run(
      () => isClosed,
      () => !isClosed && isBusy(),
    );
    await closing;
    return {
      readyAt: past + readyAt,
      polls: pollsIn(
        sandbox,
        sources.map(({ name }) => name),
      ),
    };
  } finally {
    restore();
  }
}

function pollsIn(sandbox: Sandbox, names: readonly string[]): readonly Poll[] {
  const places = new Map(names.map((name, place) => [name, place]));
  return sandbox.requests.entries().flatMap(({ at, path }) => {
    const source = places.get(sourceRead(path) ?? "");
    return source === undefined ? [] : { source, at: past + at / 1000 };
  });
}

/** The polls of the scheduler alone, after the same first readings. Without `items` it learned nothing from those. */
function schedulerPolls(
  world: World,
  {
    readyAt,
    first,
    items,
  }: {
    readonly readyAt: number;
    readonly first: readonly Poll[];
    readonly items?: readonly number[];
  },
): readonly Poll[] {
  const pace = (quota.requests / (quota.perMs / 1000)) * share;
  const names = world.events.map((_, source) => String(source));
  const { policy } = schedulerPolicy({
    ...{ names, start: 0, budget: pace, maxAge: maxAge * maxAgePart },
    ...(items && { past: { events: world.events, items, from: 0 } }),
  });
  const seen = world.events.map(() => 0);
  const polls: Poll[] = [];
  const poll = (source: number, at: number) => {
    const times = world.events[source] ?? new Float64Array();
    const from = seen[source] ?? 0;
    const upTo = times.findIndex((time) => time > at);
    seen[source] = upTo < 0 ? times.length : upTo;
    policy.observe(source, at, { times: times.subarray(from, seen[source]) });
    polls.push({ source, at });
  };
  for (const { source, at } of first) poll(source, at);
  for (let nth = 0; nth < measuredSeconds * pace; nth += 1) {
    const at = readyAt + nth / pace;
    poll(policy.next(at), at);
  }
  return polls;
}

it("polls after the first sync like the scheduler of the benches with the same readings", async () => {
  const here = await startWorld();
  const { world, sources } = here;
  const { readyAt, polls } = await polled(here);
  const end = readyAt + measuredSeconds;
  const unseen = (of: readonly Poll[]) =>
    expectedDelay(world, {
      polls: [
        ...of.filter(({ at }) => at < end),
        ...sources.map((_, source) => ({ source, at: end })),
      ],
      warm: readyAt,
    });
  const first = polls.filter(({ at }) => at <= readyAt);
  const items = sources.map(({ ids }) => ids.length);
  const daemon = unseen(polls);
  const scheduler = unseen(schedulerPolls(world, { readyAt, first, items }));
  const blind = unseen(schedulerPolls(world, { readyAt, first }));
  expect(here.daemon.warnings).toEqual([]);
  expect(daemon / scheduler).toBeLessThan(1.1);
  expect(blind / scheduler).toBeGreaterThan(1.2);
});
