import { spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromiumPath } from "../support/chromium.ts";

/** The commands that the tests drive if they are installed. */
const programs = [
  "vdirsyncer",
  "khal",
  "todoman",
  "calcurse",
  "cadaver",
  "bash",
  "zsh",
  "fish",
  "man",
  "mandoc",
  "caddy",
  "systemd-analyze",
  "varnishd",
  "nginx",
  "promtool",
] as const;
type Program = (typeof programs)[number];

/** The interpreter for which Debian installs python3-caldav; another one in PATH does not see it. */
export const python = "/usr/bin/python3";

/** Whether a program of this name is in PATH, or where servers are. */
export const isInstalled = (program: Program): boolean =>
  `${process.env["PATH"] ?? ""}${delimiter}/usr/sbin`
    .split(delimiter)
    .some((folder) => isExecutable(join(folder, program)));

/** Whether the system's python can import modules; only trying tells. */
async function canImport(...modules: readonly string[]): Promise<boolean> {
  if (!isExecutable(python)) return false;
  const { code } = await runProgram([python, "-c", `import ${modules.join(", ")}`], {});
  return code === 0;
}

/** python-dateutil reads VTIMEZONE components for the programs that use it. */
export const hasDateutil = (): Promise<boolean> => canImport("dateutil");

export const hasPythonCaldav = (): Promise<boolean> => canImport("caldav", "icalendar");

/** calcurse-caldav is a script that the system's python has to run whatever PATH puts before it. */
export const calcurseCaldav = "/usr/bin/calcurse-caldav";

export const hasCalcurseCaldav = async (): Promise<boolean> =>
  isInstalled("calcurse") && isExecutable(calcurseCaldav) && canImport("httplib2");

/** Varnish needs a module of another package to drop copies by key. */
export const hasXkey = (): boolean =>
  isInstalled("varnishd") &&
  ["x86_64", "aarch64"].some((machine) =>
    existsSync(`/usr/lib/${machine}-linux-gnu/varnish/vmods/libvmod_xkey.so`),
  );

/** Gives a process another clock than the machine's; null if Debian's package faketime is not installed. */
export const faketimeLibrary: string | null =
  ["x86_64", "aarch64"]
    .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
    .find((file) => existsSync(file)) ?? null;

/** Everything that the tests would drive and that is missing here, by the names of Debian's packages. */
export async function missingPrograms(): Promise<readonly string[]> {
  const libraries = [
    { name: "chromium", isThere: chromiumPath !== null },
    { name: "faketime", isThere: faketimeLibrary !== null },
    { name: "varnish-modules", isThere: hasXkey() },
    { name: "python3-dateutil", isThere: await hasDateutil() },
    { name: "python3-caldav", isThere: await hasPythonCaldav() },
    { name: "calcurse-caldav with python3-httplib2", isThere: await hasCalcurseCaldav() },
  ];
  const commands = programs.map((name) => ({ name, isThere: isInstalled(name) }));
  return [...commands, ...libraries].filter(({ isThere }) => !isThere).map(({ name }) => name);
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly withinMs?: number;
}

export interface Ran {
  readonly code: number | null;
  /** Standard output and standard error, as they came. */
  readonly output: string;
  readonly stdout: string;
}

/** Runs an external program to its end; one that takes too long is killed, and its code is null. */
export function runProgram(
  [program = "", ...args]: readonly string[],
  { env = {}, cwd, input = "", withinMs = 150_000 }: RunOptions,
): Promise<Ran> {
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", TZ: "Europe/Berlin", ...env },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: withinMs,
    killSignal: "SIGKILL",
    ...(cwd !== undefined && { cwd }),
  });
  return new Promise((resolve, reject) => {
    let [output, stdout] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, output, stdout });
    });
    // A program that ends before it has read everything is judged by what it printed.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
