import { readSource } from "./source-code.ts";

/** Layers of the modules: a module imports itself and modules on strictly lower layers. */
const layers: ReadonlyMap<string, number> = new Map([
  ["runtime.ts", -1],
  ["texts", -1],
  ["domain", 0],
  ...["store", "upstream", "ics", "mail", "config", "remote", "drop", "log.ts", "loop.ts"].map(
    onLayer(1),
  ),
  ...[
    "sync",
    "feeds",
    "calendars",
    "edits",
    "people",
    "reminders",
    "reports",
    "troubles",
    "backups",
  ].map(onLayer(2)),
  ["operations", 3],
  ...["caldav", "http", "cli"].map(onLayer(4)),
  ["modules", 5],
  ["wiring", 6],
]);

/** The files beside the modules that connect the modules. */
const wiring: readonly string[] = [
  "dayferry.ts",
  "main.ts",
  "demo.ts",
  "demo-guide.ts",
  "demo-story.ts",
  "demo-place.ts",
  "wait-for-storage.ts",
  "serve.ts",
  "serve-read-only.ts",
  "serve-damaged.ts",
  "setup.ts",
];

/** Every module may use values and texts of calendars. */
const everywhere = "everywhere";

/** Who may use an outside package. */
const homes: ReadonlyMap<string, readonly string[]> = new Map([
  ["better-sqlite3", ["store"]],
  ["p-queue", ["upstream"]],
  ["chokidar", ["drop"]],
  ["sanitize-html", ["ics"]],
  ["nodemailer", ["mail"]],
  ["web-push", ["remote"]],
  ["@modelcontextprotocol/sdk", ["operations", "http", "cli"]],
  ["zod", ["config", "operations"]],
  ["jsonc-parser", ["config"]],
  ["pino", ["log.ts"]],
  ["express", ["http"]],
  ["express-rate-limit", ["http"]],
  ["qr", ["http"]],
  ["intl-messageformat", ["texts"]],
  ["commander", ["cli"]],
  ["@dayferry/ical", [everywhere]],
  ["@dayferry/event-loop", [everywhere]],
  ["@dayferry/http-values", [everywhere]],
  ["@dayferry/caldav-server", ["caldav", "calendars", "modules"]],
  ["@dayferry/poll-scheduler", ["sync"]],
  ["@dayferry/sandbox", ["demo.ts", "demo-guide.ts", "demo-story.ts"]],
]);

/** The only place of a word that the other modules must not use. */
const speakers: ReadonlyMap<string, RegExp> = new Map([
  ["as", /^(?:domain\/ids\.ts|store\/rows\/.*)$/],
  // The mail library needs one.
  ["new Date(", /^mail\/message\.ts$/],
  ["process.env", /^main\.ts$/],
  // It measures how long this process is busy.
  ["performance", /^(?:runtime|http\/loop-delay)\.ts$/],
  ["a timer", /^(?:runtime|http\/loop-delay)\.ts$/],
  ...[
    "Temporal.Now",
    "Date.now",
    "Math.random",
    "AbortSignal.timeout",
    "chance of node:crypto",
  ].map((word): [string, RegExp] => [word, /^runtime\.ts$/]),
]);

/**
 * What a module does that its layer forbids, one sentence each, with file and line. `path` is relative to `src`, with
 * forward slashes.
 */
export function offences(path: string, text: string): readonly string[] {
  const { imports, words, blindImports } = readSource(text);
  const where = (line: number): string => `src/${path}:${line}`;
  return [
    ...imports.flatMap(({ specifier, line }) => {
      const reason = refusal(path, specifier);
      return reason === null ? [] : [`${where(line)} imports ${specifier}: ${reason}`];
    }),
    ...blindImports.map((line) => `${where(line)} imports a computed name`),
    ...words
      .filter(({ word }) => !speakers.get(word)?.test(path))
      .map(({ word, line }) => `${where(line)} says ${word}`),
  ];
}

function refusal(path: string, specifier: string): string | null {
  const module = moduleOf(path);
  if (!layers.has(module)) return `${module} is no known module`;
  if (specifier.startsWith("node:")) {
    if (specifier === "node:timers" || specifier === "node:timers/promises") {
      return "timers are those of runtime.ts";
    }
    const harmless = module !== "domain" || specifier === "node:crypto";
    return harmless ? null : "domain/ knows node:crypto only";
  }
  if (!specifier.startsWith(".")) return refusalOfPackage(path, specifier);
  const target = resolve(path, specifier);
  if (target === null) return "leaves src/";
  if (!target.endsWith(".ts") && !target.endsWith(".json")) return "does not end in .ts";
  return refusalOfModule(module, moduleOf(target));
}

function refusalOfPackage(path: string, specifier: string): string | null {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const home = homes.get(name);
  if (!home) return `${name} is no listed package`;
  const isHome = home.some(
    (place) => place === everywhere || path === place || path.startsWith(`${place}/`),
  );
  return isHome ? null : `${name} belongs to ${home.join(", ")}`;
}

function refusalOfModule(from: string, to: string): string | null {
  if (from === to) return null;
  const above = layers.get(from);
  const below = layers.get(to);
  if (above === undefined || below === undefined) return `${to} is no known module`;
  if (below < above) return null;
  return below === above ? `${from} and ${to} are siblings` : `${to} is above ${from}`;
}

function moduleOf(path: string): string {
  const module = path.split("/", 1).join("");
  return wiring.includes(module) ? "wiring" : module;
}

/** Null when the path leaves the root. */
function resolve(from: string, specifier: string): string | null {
  const parts = from.split("/").slice(0, -1);
  for (const step of specifier.split("/")) {
    if (step === ".") continue;
    if (step !== "..") parts.push(step);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

function onLayer(layer: number): (module: string) => [string, number] {
  return (module) => [module, layer];
}
