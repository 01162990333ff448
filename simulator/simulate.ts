import { type Fault, Random } from "@dayferry/sandbox";
import { personId } from "../src/domain/ids.ts";
import { Colleague } from "./actors/colleague.ts";
import type { Habit } from "./actors/local-copies.ts";
import { Operator } from "./actors/operator.ts";
import { Program } from "./actors/program.ts";
import { Publisher } from "./actors/publisher.ts";
import { Reader } from "./actors/reader.ts";
import { Ledger } from "./ledger.ts";
import { itemsOf } from "./workspace-items.ts";
import { World } from "./world.ts";

/** Result of one seed. */
export interface Outcome {
  readonly seed: number;
  /** Number of steps taken by people and faults. */
  readonly steps: number;
  readonly hash: string;
  readonly trace: readonly string[];
  /** Violations; empty if every promise was kept. */
  readonly faults: readonly string[];
  readonly edits: number;
}

/** How long people work and faults occur, in virtual seconds. */
const usualSeconds = 600;
/** Everything must settle within this many seconds after the last fault. */
const longestRest = 900;
/** How many seconds an edit may wait without a reason after the last fault. */
const longestSilence = 120;
/** How many seconds nothing must happen, until everything was read since. */
const roundSeconds = 120;
/** The owner's program, and two of another person. */
const habits: readonly Habit[] = ["careful", "bare", "stale"];

/** `seconds`: how long people work; `requests`: trace each request; `only`: the steps to take, all by default. */
export interface Setting {
  readonly seconds?: number;
  readonly requests?: boolean;
  readonly only?: ReadonlySet<number>;
}

/** Plays a seed, and checks the end state against the promises. */
export async function simulate(seed: number, setting: Setting = {}): Promise<Outcome> {
  const world = new World(seed, setting);
  const steps = stepsOf(world.random, setting.seconds ?? usualSeconds);
  return world.within(async () => {
    const ledger = new Ledger(world);
    const publisher = new Publisher(world, ledger);
    await world.open(publisher.server);
    const taken = steps.filter((_, at) => setting.only?.has(at) ?? true);
    const faults = await playedAndJudged(world, { ledger, publisher, steps: taken });
    await world.until(world.close());
    const { hash, trace } = world;
    return { seed, steps: steps.length, hash, trace, faults, edits: ledger.acknowledged };
  });
}

/** An action of a person, or the beginning of a fault. Its random draws do not depend on earlier steps. */
interface Step {
  /** Since the first sync, in milliseconds. */
  readonly atMs: number;
  readonly random: Random;
}

function stepsOf(random: Random, seconds: number): readonly Step[] {
  const steps: Step[] = [];
  for (let atMs = 0; atMs < seconds * 1000; atMs += random.between(500, 7000)) {
    steps.push({ atMs, random: new Random(random.between(0, 2 ** 31)) });
  }
  return steps;
}

async function playedAndJudged(
  world: World,
  {
    ledger,
    publisher,
    steps,
  }: {
    readonly ledger: Ledger;
    readonly publisher: Publisher;
    readonly steps: readonly Step[];
  },
): Promise<readonly string[]> {
  const { time } = world;
  const colleague = new Colleague(world, ledger);
  const operator = new Operator(world, ledger);
  const { settings, skew, spelling } = world;
  world.note(
    "simulation",
    `settings: ${JSON.stringify(settings)}, the service's clock is ${skew} s ahead, and texts are stored ${spelling}`,
  );
  for (let nth = 0; nth < 8; nth += 1) colleague.act();
  await world.run(() => world.life.modules.sync.ready);
  const { passwords } = world.life.modules.accessControl;
  const [owner, member] = world.sandbox.keys.map(({ personId: person }) => ({
    person,
    password: passwords.issue(personId(person)),
  }));
  if (!owner || !member) throw new Error("the sandbox has too few people");
  const programs = habits.map((habit) => {
    const login = habit === "careful" ? owner : member;
    return new Program(world, { ledger, habit, ...login });
  });
  const reader = new Reader(world, { ledger, ...member });
  const begunMs = time.monotonic();
  for (const { atMs, random } of steps) {
    await world.run(() => time.monotonic() >= begunMs + atMs);
    world.random = random;
    await act();
  }
  world.note("simulation", "nothing goes wrong any more");
  world.sandbox.faults.clear();
  world.reads.lag = null;
  world.disk.clear();
  publisher.mend();
  // The daemon notices within a second that its disk is writable.
  const settledMs = time.monotonic() + 5000;
  await world.run(() => !world.isStarting && time.monotonic() >= settledMs);
  await world.until(operator.decideAll());
  const decidedMs = time.monotonic();
  let silent: readonly string[] | null = null;
  let quietSince = decidedMs;
  await world.run(() => {
    const now = time.monotonic();
    const isQuiet = !world.isStarting && !world.life.isAtWork && publisher.isRead;
    if (!isQuiet) quietSince = now;
    if (now >= decidedMs + longestSilence * 1000) silent ??= ledger.silentEdits();
    const latest = decidedMs + longestRest * 1000;
    const isRoundOver =
      now >= quietSince + roundSeconds * 1000 && world.life.hasReadSince(quietSince);
    return now >= latest || isRoundOver;
  });
  publisher.close();
  const shown = [
    ...world.mailFaults(),
    ...(await world.until(operator.faults(itemsOf(world.sandbox)))),
  ];
  for (const program of programs) {
    shown.push(...(await world.until(program.faults(itemsOf(world.sandbox)))));
  }
  return [...ledger.faults(), ...(silent ?? ledger.silentEdits()), ...shown, ...reader.faults];

  async function act(): Promise<void> {
    const { random } = world;
    const dice = random.between(1, 31);
    if (dice > 29) publisher.act();
    else if (dice <= 5) colleague.act();
    else if (dice <= 17) await world.until(random.pick(programs).act());
    else if (dice <= 20) await world.until(reader.act());
    else if (dice <= 22) breakSomething(world);
    else if (dice <= 23) changeLag(world);
    else if (dice <= 24) changeDisk(world);
    else if (dice <= 26) await world.until(operator.act());
    else if (dice <= 27) changeClock(world);
    else if (dice <= 28) world.disk.crashAfter(random.between(1, 200), () => world.crash());
    else world.crash();
  }
}

const faultsOfService: readonly Fault[] = [
  { kind: "drop-before" },
  { kind: "drop-after" },
  { kind: "hang-before" },
  { kind: "hang-after" },
  { kind: "status", status: 429, headers: { "retry-after": "5" } },
  { kind: "status", status: 500 },
  { kind: "status", status: 503 },
  { kind: "html" },
  { kind: "cut" },
  { kind: "cut", plain: true },
  { kind: "delay", ms: 8000 },
  { kind: "late", ms: 40_000, answer: "drop" },
  { kind: "late", ms: 120_000, answer: 502 },
  { kind: "status", status: 302, headers: { location: "https://network.example.com/login" } },
  { kind: "status", status: 401 },
  { kind: "status", status: 403 },
  { kind: "transform", transform: anotherItem },
];

/** Faults that affect lists only. */
const faultsOfLists: readonly Fault[] = [
  { kind: "transform", transform: (json) => listed(json, (rows) => rows.slice(1)) },
  { kind: "transform", transform: (json) => listed(json, (rows) => rows.toReversed()) },
  { kind: "transform", transform: (json) => listed(json, (rows) => [...rows, ...rows]) },
  { kind: "transform", transform: (json) => listed(json, () => []) },
];

const listed = (
  json: unknown,
  change: (rows: readonly unknown[]) => readonly unknown[],
): unknown => (Array.isArray(json) ? change(json) : json);

/** Like a cache that has mixed up requests. */
function anotherItem(json: unknown): unknown {
  if (typeof json !== "object" || json === null || !("id" in json)) return json;
  return { ...json, id: Number(json.id) + 1, title: "another one" };
}

/** Starts or stops outdated reads of the service after writes. */
function changeLag(world: World): void {
  const { random, reads } = world;
  const what = random.pick(["item", "list", "both", "neither"] as const);
  const ms = random.between(1000, 10_000);
  reads.lag = what === "neither" ? null : { what, ms };
  world.note(
    "service",
    what === "neither" ? "shows everything at once" : `shows ${what} ${ms} ms late`,
  );
}

/** Changes the service's clock by some seconds, like a time server. */
function changeClock(world: World): void {
  world.skew += world.random.pick([4, -4]);
  world.note("service", `its clock is ${world.skew} s ahead`);
}

/** Starts or stops a disk failure. */
function changeDisk(world: World): void {
  const trouble = world.random.pick(["full", "read-only", null, null] as const);
  // What is written elsewhere meanwhile cannot be noted, so that a late request could replace it unseen.
  if (trouble !== null) world.sandbox.faults.deliverLate();
  world.disk.trouble = trouble;
  world.note("disk", trouble ?? "can be written");
}

function breakSomething(world: World): void {
  const { random, sandbox } = world;
  const isOfList = random.chance(0.2);
  const fault = random.pick(isOfList ? faultsOfLists : faultsOfService);
  if (fault.kind === "late" && world.disk.trouble !== null) return;
  const method = isOfList ? "GET" : random.pick(["GET", "POST", "PUT", "DELETE"] as const);
  const times = random.between(1, 4);
  sandbox.faults.add({ ...fault, method, times });
  const status = fault.kind === "status" ? ` ${fault.status}` : "";
  world.note("service", `answers the next ${times} ${method} by ${fault.kind}${status}`);
}
