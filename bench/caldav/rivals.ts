import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Client, createClient } from "./client.ts";
import { eventText, nameOf } from "./event-text.ts";

/** A calendar server that runs, in a process of its own. */
export interface Rival {
  readonly name: string;
  readonly client: Client;
  /** Path of the calendar that is filled by PUT, with a slash at the end. */
  readonly calendar: string;
  /** Path of the calendar that was full before the server was asked anything. */
  readonly large: string;
  /** How many members the first calendar has. */
  readonly members: { count: number };
  readonly stop: () => Promise<void>;
}

export interface Ground {
  /** Where servers keep what they have; theirs alone. */
  readonly folder: string;
  readonly large: number;
  /** What a server is started with: the core that it has to stay on. */
  readonly pin: readonly string[];
}

/** What a server of ours says once it listens. */
interface Told {
  readonly port: number;
  readonly calendar?: string;
  readonly large?: string;
  readonly user?: string;
  readonly password?: string;
}

/** All that can be started, and why the others cannot. */
export async function startRivals(
  ground: Ground,
): Promise<{ readonly rivals: readonly Rival[]; readonly missing: readonly string[] }> {
  const rivals = [
    await startOwn("Dayferry", { ground, script: "dayferry-server.ts", args: [] }),
    await startOwn("minimal, FULL", { ground, script: "minimal-server.ts", args: ["FULL"] }),
    await startOwn("minimal, NORMAL", { ground, script: "minimal-server.ts", args: ["NORMAL"] }),
  ];
  const missing: string[] = [];
  for (const [program, start] of [
    ["radicale", startRadicale],
    ["xandikos", startXandikos],
  ] as const) {
    if (spawnSync(program, ["--version"]).error) missing.push(program);
    else rivals.push(await start(ground));
  }
  return { rivals, missing };
}

async function startOwn(
  name: string,
  {
    ground,
    script,
    args,
  }: { readonly ground: Ground; readonly script: string; readonly args: readonly string[] },
): Promise<Rival> {
  const place = join(ground.folder, name.replace(/\W+/g, "-"));
  const first = args.length > 0 ? `${place}.sqlite` : place;
  const child = start(ground, process.execPath, [
    join(import.meta.dirname, script),
    first,
    ...args,
    String(ground.large),
  ]);
  const told = await firstLine(child);
  return rival(name, { child, told });
}

async function startRadicale(ground: Ground): Promise<Rival> {
  const storage = join(ground.folder, "radicale");
  const large = join(storage, "collection-root", "bench", "large");
  mkdirSync(large, { recursive: true });
  writeFileSync(join(large, ".Radicale.props"), JSON.stringify({ tag: "VCALENDAR" }));
  writeEvents(large, ground.large);
  const port = await freePort();
  const options = [
    ["server-hosts", `127.0.0.1:${port}`],
    ["auth-type", "none"],
    ["storage-filesystem-folder", storage],
    ["logging-level", "error"],
  ].map(([name, value]) => `--${name}=${value}`);
  const child = start(ground, "radicale", ["-C", "", ...options]);
  const made = rival("Radicale", { child, told: { port } });
  await untilListening(made);
  await made.client.call({ method: "MKCALENDAR", path: made.calendar });
  return made;
}

async function startXandikos(ground: Ground): Promise<Rival> {
  const folder = join(ground.folder, "xandikos");
  const port = await freePort();
  const where = ["-d", folder, "-l", "127.0.0.1", "-p", String(port)];
  const child = start(ground, "xandikos", [
    ...where,
    "--autocreate",
    "--current-user-principal=/bench/",
  ]);
  const made = rival("Xandikos", { child, told: { port } });
  await untilListening(made);
  for (const path of [made.calendar, made.large]) {
    await made.client.call({ method: "MKCALENDAR", path });
  }
  const large = join(folder, made.large);
  writeEvents(large, ground.large);
  execFileSync("git", ["-C", large, "add", "--all"]);
  const author = ["-c", "user.name=Bench", "-c", "user.email=bench@example.com"];
  execFileSync("git", ["-C", large, ...author, "commit", "--quiet", "--message=Events"]);
  return made;
}

function writeEvents(folder: string, count: number): void {
  for (let nth = 0; nth < count; nth++) {
    writeFileSync(join(folder, nameOf(nth)), eventText(nth));
  }
}

function start({ pin }: Ground, program: string, args: readonly string[]): ChildProcess {
  const [first = program, ...rest] = [...pin, program, ...args];
  return spawn(first, rest, {
    stdio: ["ignore", "pipe", program === process.execPath ? "inherit" : "ignore"],
  });
}

function rival(
  name: string,
  { child, told }: { readonly child: ChildProcess; readonly told: Told },
): Rival {
  const {
    port,
    calendar = "/bench/calendar/",
    large = name.startsWith("minimal") ? "/large/" : "/bench/large/",
    user = "bench",
    password = "bench",
  } = told;
  const client = createClient({ port, user, password });
  return {
    name,
    client,
    calendar,
    large,
    members: { count: 0 },
    stop: () =>
      new Promise((resolve) => {
        client.close();
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

function firstLine(child: ChildProcess): Promise<Told> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`a server ended with ${code}: ${text}`)));
    child.stdout?.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text));
    });
  });
}

async function untilListening({ name, client }: Rival): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline) {
    try {
      await client.call({ method: "OPTIONS", path: "/" });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`${name} does not listen`);
}

/** Free a moment ago: these programs do not say which one they have chosen. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
