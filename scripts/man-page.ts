import { readFileSync } from "node:fs";
import type { CommandHost } from "../src/cli/command-host.ts";
import { knownWords } from "../src/cli/commands/completion.ts";
import {
  type ArgumentOutline,
  allCommands,
  type CommandOutline,
  type OptionOutline,
  outlineOf,
} from "../src/cli/outline.ts";
import { programOf } from "../src/cli/run.ts";
import { variableOf } from "../src/config/environment.ts";
import { configSchema } from "../src/config/schema.ts";
import { knownKeys } from "../src/config/settings.ts";

/** Date of the last change to this file's text; the page needs a date. */
const dated = "2026-11-22";

/** `man/dayferry.1`: the commands as in `--help`, and the environment variables of the configuration. */
export async function manPage(): Promise<string> {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  const program = outlineOf(await commandTree(manifest.version), { words: knownWords });
  const commands = allCommands(program).filter(
    ({ path }) => path.length > 0 && path.at(-1) !== "help",
  );
  return `${[
    `.\\" Made from the commands themselves: npm run reference writes it.`,
    `.TH DAYFERRY 1 ${dated} "Dayferry ${manifest.version}"`,
    ".SH NAME",
    "dayferry \\- calendars and a project workspace, kept the same",
    ".SH SYNOPSIS",
    ".B dayferry",
    "[\\fB\\-\\-config\\fR \\fIfile\\fR]",
    "\\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]",
    ".SH DESCRIPTION",
    roff(
      "Dayferry mirrors events, milestones and task due dates of a project-collaboration service into a local database, serves them as two-way calendars and as feeds, carries every edit back, mails reminders, and answers reports.",
    ),
    ".PP",
    roff(
      "Without a configuration, serve offers a guided set-up in a browser, and demo shows everything on a made-up workspace.",
    ),
    ".SH OPTIONS",
    ...program.options.flatMap(optionLines),
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH ENVIRONMENT",
    roff("A variable wins over the configuration file; an empty one counts as unset."),
    ...variables(),
    ".SH FILES",
    ...entry(
      "config.json",
      "the configuration, where neither --config nor DAYFERRY_CONFIG names another; it may hold comments",
    ),
    ...entry(
      "<dataDir>/dayferry.sqlite",
      "the database, which sql and report read with the daemon running or not",
    ),
    ...entry(
      "<dataDir>/admin-token",
      "opens the pages and the API to the admin; made at the first start",
    ),
    ".SH EXIT STATUS",
    ...entry("0", "done"),
    ...entry("1", "failed"),
    ...entry("2", "wrong usage or configuration"),
    ".SH EXAMPLES",
    ...example("A demo on this machine:", "dayferry demo"),
    ".PP",
    ...example("What is wrong, and what helps:", "dayferry doctor --config config.json"),
    ".PP",
    ...example("Completion in the shell that runs:", "source <(dayferry completion bash)"),
    ".SH SEE ALSO",
    roff(
      "The documents that come with Dayferry: docs/install.md, docs/configuration.md, docs/operating.md, docs/clients.md.",
    ),
  ].join("\n")}\n`;
}

/** The tree of all commands; none is ever run. */
export function commandTree(version: string) {
  const unused = (): never => {
    throw new Error("only the names of commands are read");
  };
  const host: CommandHost & { readonly version: string } = {
    version,
    print: unused,
    ask: null,
    send: unused,
    columns: null,
    zone: null,
    browse: unused,
    say: unused,
    env: {},
    readFile: unused,
    readStandardInput: unused,
    signal: new AbortController().signal,
    clock: unused,
    zoneData: { tz: "", icu: "" },
    readConfig: unused,
    hasConfig: unused,
    daemonOf: unused,
    open: unused,
    serve: unused,
    serveReadOnly: unused,
    setUp: unused,
    demo: unused,
    sandbox: unused,
    checkMail: unused,
    testMessages: unused,
  };
  return programOf({ host, finish: unused, others: true });
}

function commandLines(command: CommandOutline): readonly string[] {
  const { path, about, options, commands } = command;
  const inner = commands.filter(({ path: below }) => below.at(-1) !== "help");
  const more = inner.length > 0 ? ["\\fIcommand\\fR"] : [];
  const synopsis = [
    `\\fB${roff(path.join(" "))}\\fR`,
    ...command.arguments.map(argumentText),
    ...more,
  ];
  return [
    `.SS ${synopsis.join(" ")}`,
    `${roff(sentence(about))}`,
    ...command.arguments.flatMap(({ name, about: what, value }) => {
      const words = value.kind === "words" ? `: ${value.words.join(", ")}` : "";
      return what === "" ? [] : entry(name, `${what}${words}`);
    }),
    ...options.filter(({ names }) => !names.includes("--help")).flatMap(optionLines),
  ];
}

const argumentText = ({ shown }: ArgumentOutline): string =>
  `\\fI${roff(shown.replace(/[<>]/g, ""))}\\fR`;

function optionLines({ flags, about, value, fallback }: OptionOutline): readonly string[] {
  const words = value?.kind === "words" ? ` (${value.words.join(", ")})` : "";
  const otherwise = fallback === null ? "" : ` (default: ${fallback})`;
  return entry(flags, `${about}${words}${otherwise}`);
}

const entry = (name: string, about: string): readonly string[] => [
  ".TP",
  `\\fB${roff(name)}\\fR`,
  roff(about),
];

const example = (about: string, line: string): readonly string[] => [
  roff(about),
  ".PP",
  ".RS 4",
  ".EX",
  roff(line),
  ".EE",
  ".RE",
];

function variables(): readonly string[] {
  const named = knownKeys(configSchema("/")).flatMap(({ path, about }) => {
    const name = variableOf(path);
    return name === null ? [] : entry(name, about === "" ? path : `${path}: ${about}`);
  });
  return [...entry("DAYFERRY_CONFIG", "the configuration file"), ...named];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Text in roff: escapes what would start a request or become another character. */
function roff(text: string): string {
  const words = text.replaceAll("`", "").split(/\s+/);
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= lineLength) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map(escaped).join("\n");
}

const lineLength = 70;

const escaped = (line: string): string =>
  line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&")
    .replace(
      /[^\0-\x7f]/gu,
      (letter) => `\\[u${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
