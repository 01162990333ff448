import { Random } from "@dayferry/sandbox";
import type { ChangingSource } from "./changing-workspace.ts";
import type { World } from "./pollsim.ts";

const day = 86_400;
/** Hours by which the days of pollsim's five phases are shifted. */
const shifts = [0, 0, 0, 7, -7];

/**
 * The same world with a week: of seven days two are idle for most sources, each in its own time zone, and what they would
 * have shown on those comes later. The others are worked on every day.
 */
export function withIdleDays(world: World, seed: number): World {
  const random = new Random(seed);
  const events = world.events.map((times, source) => {
    if (random.next() >= keepsWeek) return times;
    const shift = (shifts[world.phase[source] ?? 0] ?? 0) * 3600;
    const moved = times.map((at) => {
      const local = at - shift;
      const worked = Math.max(0, Math.floor(local / day));
      return shift + local + (dayOfWork(worked) - worked) * day;
    });
    return moved.filter((at) => at < world.horizon);
  });
  return { ...world, events };
}

/** A world in which each source changes at its rate, one change by itself, at any hour. Rates are per second. */
export function steadyWorld(
  rate0: Float64Array,
  { horizon, seed }: { readonly horizon: number; readonly seed: number },
): World {
  const random = new Random(seed);
  const events = Array.from(rate0, (rate) => {
    const times: number[] = [];
    const wait = () => -Math.log(1 - random.next()) / rate;
    for (let at = wait(); at < horizon; at += wait()) times.push(at);
    return Float64Array.from(times);
  });
  const n = rate0.length;
  return {
    ...{ n, horizon, events, rate0, w: new Float64Array(n).fill(1) },
    ...{ sc: { burst: false }, g: [null], phase: events.map(() => 0), swaps: [] },
    mu: 1 / 720,
    burstRate: (rate) => rate,
  };
}

/**
 * Rates of sources in a busy hour: 1.2 changes a second, half of them in three projects, and each in any event or task of its
 * half. Subtasks do not change.
 */
export function busyRates(
  sources: readonly Pick<ChangingSource, "source" | "project" | "ids">[],
): Float64Array {
  const busy = new Set([...new Set(sources.map(({ project }) => project))].slice(0, 3));
  const sums = { busy: 0, other: 0 };
  const parts = sources.map(({ source, project, ids }) => {
    const half = busy.has(project) ? ("busy" as const) : ("other" as const);
    const items = source.kind === "subtasks" ? 0 : ids.length;
    sums[half] += items;
    return { half, items };
  });
  return Float64Array.from(parts, ({ half, items }) => (0.6 * items) / sums[half]);
}

/** For each source the project that it belongs to: most, but not all sources of one keep the same hours. */
export function projectsOf({ phase }: World, seed: number): readonly string[] {
  const random = new Random(seed);
  const projects = Math.ceil(phase.length / projectSize);
  const zones = Array.from(
    { length: projects },
    () => phase[random.between(0, phase.length - 1)] ?? 0,
  );
  return phase.map((zone) => {
    const alike = zones.flatMap((one, project) => (shifts[one] === shifts[zone] ? project : []));
    const isElsewhere = alike.length === 0 || random.next() >= alikePart;
    const project = isElsewhere ? random.between(0, projects - 1) : random.pick(alike);
    return `project ${project}`;
  });
}

/** For each source a project whose sources have nothing in common. */
export const unlikeProjects = ({ n }: World): readonly string[] =>
  Array.from({ length: n }, (_, source) => `project ${source % Math.ceil(n / projectSize)}`);

/** The day on which the work of a day goes on that has no idle ones before it: the third and the fourth of each week are idle. */
function dayOfWork(worked: number): number {
  const rest = (worked + 3) % 5;
  return 7 * Math.floor((worked + 3) / 5) + rest - 3;
}

const keepsWeek = 0.8;
const projectSize = 8;
const alikePart = 0.85;
