import type { Argument, Command, Option } from "commander";

/** The possible values: one of these words, a file, a folder, or any text. */
export type ValueKind =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "file" | "folder" | "other" };

export interface OptionOutline {
  /** Such as `-h` and `--help`, with the short name first. */
  readonly names: readonly string[];
  /** As in the help: `--port <port>`. */
  readonly flags: string;
  readonly about: string;
  /** Null if the option takes no value. */
  readonly value: ValueKind | null;
  /** The default as a user would type it; null if there is none or it is "off". */
  readonly fallback: string | null;
}

export interface ArgumentOutline {
  /** As in the help: `<file...>`. */
  readonly shown: string;
  readonly name: string;
  readonly about: string;
  readonly value: ValueKind;
  readonly repeats: boolean;
}

/** A command with its subcommands, from its help. */
export interface CommandOutline {
  /** The words after the program's name; none for the program itself. */
  readonly path: readonly string[];
  readonly about: string;
  readonly options: readonly OptionOutline[];
  readonly arguments: readonly ArgumentOutline[];
  readonly commands: readonly CommandOutline[];
}

/**
 * All commands, from the same tree as `--help`, for completions and the manual page. `words`: possible values of text
 * arguments, by command and argument (`report name`).
 */
export function outlineOf(
  command: Command,
  {
    path = [],
    words = {},
    inherited = [],
  }: {
    readonly path?: readonly string[];
    readonly words?: Readonly<Record<string, readonly string[]>>;
    /** Options of the program that may follow any command. */
    readonly inherited?: readonly OptionOutline[];
  } = {},
): CommandOutline {
  const help = command.createHelp();
  const own = help.visibleOptions(command).map(outlineOfOption);
  const isOwn = ({ flags }: OptionOutline) => own.some((option) => option.flags === flags);
  const options = [...own, ...inherited.filter((option) => !isOwn(option))];
  const everywhere = options.filter(({ value }) => path.length === 0 && value !== null);
  return {
    path,
    about: command.description(),
    options,
    arguments: command.registeredArguments.map((argument) => {
      const known = words[[...path, argument.name()].join(" ")];
      return outlineOfArgument(argument, known ?? argument.argChoices ?? null);
    }),
    commands: help.visibleCommands(command).map((inner) =>
      outlineOf(inner, {
        path: [...path, inner.name()],
        words,
        inherited: path.length === 0 ? everywhere : inherited,
      }),
    ),
  };
}

/** A command and all its subcommands, in the order of the help. */
export const allCommands = (command: CommandOutline): readonly CommandOutline[] => [
  command,
  ...command.commands.flatMap(allCommands),
];

function outlineOfOption(option: Option): OptionOutline {
  const { flags, description, argChoices, negate } = option;
  const takesValue = option.required || option.optional;
  return {
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    flags,
    about: description,
    value: takesValue ? kindOfValue(argChoices ?? null, /<([^>]+)>/.exec(flags)?.[1] ?? "") : null,
    fallback: negate ? null : typedValue(option.defaultValue),
  };
}

function typedValue(value: unknown): string | null {
  if (value instanceof Temporal.Duration) return value.toString();
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

function outlineOfArgument(argument: Argument, words: readonly string[] | null): ArgumentOutline {
  const name = argument.name();
  const inner = argument.variadic ? `${name}...` : name;
  return {
    shown: argument.required ? `<${inner}>` : `[${inner}]`,
    name,
    about: argument.description,
    value: kindOfValue(words, name),
    repeats: argument.variadic,
  };
}

function kindOfValue(words: readonly string[] | null, name: string): ValueKind {
  if (words !== null) return { kind: "words", words };
  const bare = name.replace("...", "");
  if (bare === "file") return { kind: "file" };
  return { kind: bare === "dir" ? "folder" : "other" };
}
