// A week of a daemon's life in minutes: a workspace in which people work, edits by files, by calendar programs (vdirsyncer and khal
// where they are installed), subscribers, reminders by a real mail server, a service that fails in every way and whose clock is wrong,
// restarts, kills, backups, one of which is put back, and a data directory that the first version has left. Afterwards everything
// is compared with a model of what was wished, and each promise is printed with its figures.
//   node bench/soak.ts [days=7] [scale=600] [seed=1] [out=FILE]      a day takes 144 s at 600 times the speed; ends with 1 when a promise is broken
// Service and daemon are processes of their own on one clock that runs `scale` times as fast. The quota is a thirtieth of the
// service's own (25 requests in 5 minutes), as the machine has to do in a second what takes ten minutes.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Random, startSandbox } from "@dayferry/sandbox";
import { startMailServer } from "../test/mail/support.ts";
import { eventuallyWithin } from "../test/support/eventually.ts";
import { layFirstDatabase } from "./soak/first-database.ts";
import { judge } from "./soak/judge.ts";
import type { Sample } from "./soak/judge-growth.ts";
import { Life, type Login } from "./soak/life.ts";
import { Programs, Subscriber } from "./soak/programs.ts";
import { scaledClock } from "./soak/scaled-clock.ts";
import { SoakDaemon } from "./soak/soak-daemon.ts";
import { Weather } from "./soak/weather.ts";

const given = new Map(process.argv.slice(2).map((word) => word.split("=", 2) as [string, string]));
const number = (name: string, usual: number) => Number(given.get(name) ?? usual);
const [days, scale, seed] = [number("days", 7), number("scale", 600), number("seed", 1)];

const start = "2026-11-16T06:00:00Z";
const beganMs = Date.now();
const clock = scaledClock({ start, beganMs, scale });
const perMs = 300_000 / scale;
const folder = mkdtempSync(join(tmpdir(), "dayferry-soak-"));
const faultlessClock = { skew: Temporal.Duration.from({ seconds: 0 }) };
let weather: Pick<Weather, "skew"> = faultlessClock;
const sandbox = await startSandbox({
  seed,
  size: "empty",
  discovery: true,
  port: 0,
  timeZone: "Europe/Berlin",
  clock: () => clock().add(weather.skew),
  quota: { requests: 25, perMs },
});
const mails = await startMailServer();
const dataDir = join(folder, "data");
layFirstDatabase(dataDir, clock());
const configFile = join(folder, "config.json");
const config = {
  dataDir,
  service: {
    baseUrl: sandbox.baseUrl,
    uploadUrl: sandbox.uploadUrl,
    apiKey: sandbox.keys[0]?.apiKey,
    contact: "soak@example.com",
    timeZone: sandbox.timeZone,
    quota: { requests: 25, per: "PT5M" },
    timeout: "PT10M",
  },
  polling: { maxAge: "PT2H" },
  http: { host: "127.0.0.1", port: await freePort() },
  mail: { from: "Dayferry <dayferry@example.com>", smtpUrl: `smtp://127.0.0.1:${mails.port}` },
};
writeFileSync(configFile, JSON.stringify(config));

const daemon = new SoakDaemon({ configFile, dataDir, start, beganMs, scale });
const random = new Random(seed);
const samples: Sample[] = [];
const hourMs = 3_600_000 / scale;
try {
  await daemon.start();
  await eventuallyWithin(60_000, "everything is read for the first time", async () =>
    (await daemon.ask("/readyz")).ok ? true : null,
  );
  const person = await logIn();
  const storm = new Weather({ faults: sandbox.faults, random });
  weather = storm;
  const subscriber = new Subscriber(daemon);
  const calendar = `events-${sandbox.workspace.places()[0]?.project}`;
  const programs = Programs.areInstalled()
    ? new Programs({ daemon, folder, ...person, calendar })
    : null;
  const life = new Life({
    ...{ sandbox, daemon, random, clock, days, folder },
    ...{ weather: storm, subscriber, programs, person },
  });
  const heapEvery = days < 3 ? 1 : 3;
  for (let hour = 0; hour < days * 24; hour += 1) {
    const next = beganMs + (hour + 1) * hourMs;
    await life.hour(hour).catch((error: unknown) => {
      life.complaints.push(`hour ${hour} broke off: ${told(error)}`);
    });
    const usage = await daemon.usage({ heap: hour % heapEvery === 0 });
    const lateHours = Math.max(0, Math.round(((Date.now() - next) / hourMs) * 10) / 10);
    samples.push({ hour, at: clock(), lateHours, ...usage });
    await pause(Math.max(0, next - Date.now()));
  }
  storm.clear();
  if (!daemon.isUp) await daemon.start();
  await eventuallyWithin(300_000, "nothing is on its way any more", async () =>
    (await life.waiting()) === 0 ? true : null,
  );
  const verdicts = await judge({
    ...{ life, daemon, sandbox, samples, clock, subscriber, programs, mails },
  });
  console.table(
    samples.flatMap(({ at, ...sample }) =>
      sample.hour % 12 === 11 ? [{ ...sample, at: at.toString({ smallestUnit: "minute" }) }] : [],
    ),
  );
  const [seen, kinds] = storm.kinds();
  const requests = [...storm.counts.values()].reduce((sum, count) => sum + count, 0);
  const late = samples.filter(({ lateHours }) => lateHours >= 1).length;
  console.log(
    `${days} days on seed ${seed}, load ${loadavg()[0]?.toFixed(1)} at the end, ${late} hours late`,
  );
  console.log(`${requests} requests failed, in ${seen} of ${kinds} kinds`);
  for (const { promise, figures, broken } of verdicts) {
    console.log(`${broken.length === 0 ? "kept  " : "BROKEN"}  ${promise}: ${figures}`);
    for (const what of broken) console.log(`          ${what}`);
  }
  const out = given.get("out");
  if (out !== undefined) {
    const kept = {
      ...{ samples, verdicts, weather: [...storm.counts], log: [...daemon.logWords] },
      mails: mails.received.map(
        ({ octets }) => /^Subject: .*$/m.exec(octets.toString("utf8"))?.[0] ?? "",
      ),
    };
    writeFileSync(out, JSON.stringify(kept, null, 2));
  }
  process.exitCode = verdicts.every(({ broken }) => broken.length === 0) ? 0 : 1;
} finally {
  await daemon.stop("SIGKILL");
  await sandbox.close();
  await mails.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The first key's person, with a password for calendar programs. */
async function logIn(): Promise<Login> {
  const user = sandbox.keys[0]?.personId ?? 0;
  const answer = await daemon.ask(`/api/people/${user}/password`, { method: "POST" });
  return { user, password: Object(await answer.json()).password };
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.stack ?? error.message).split("\n").slice(0, 6).join(" ");
}

/** A port that is free now: programs find the daemon again after each start. */
async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    server.close(() => resolve(port));
  });
  return promise;
}
