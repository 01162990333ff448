import { allCommands, type CommandOutline, type ValueKind } from "./outline.ts";

/** Supported shells. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/**
 * A shell's completion script for commands, options and values. The script contains all words, so that no program is started at
 * each key press; after an update it has to be printed again.
 */
export const completionFor = (shell: Shell, program: CommandOutline): string =>
  ({ bash: bashScript, zsh: zshScript, fish: fishScript })[shell](program);

/** As in `edits list`; empty for the program itself. */
const nameOf = ({ path }: CommandOutline): string => path.join(" ");

const optionNames = ({ options }: CommandOutline): readonly string[] =>
  options.flatMap(({ names }) => names);

/** Options followed by a value, in any command. */
const takingValues = (program: CommandOutline): readonly string[] => [
  ...new Set(
    allCommands(program)
      .flatMap(({ options }) => options)
      .flatMap(({ names, value }) => (value === null ? [] : names)),
  ),
];

// Bash: finds the command among the words of the line, and looks up in tables what may follow.

function bashScript(program: CommandOutline): string {
  const all = allCommands(program);
  const deeper = all
    .filter(({ path }) => path.length > 0)
    .map((command) => `      "${nameOf(command)}") at="${nameOf(command)}" place=0 ;;`);
  const values = all.flatMap((command) =>
    command.options.flatMap(({ names, value }) =>
      value === null
        ? []
        : names.map((name) => `    "${nameOf(command)} ${name}") ${bashValue(value)} ;;`),
    ),
  );
  const places = all.flatMap((command) =>
    command.arguments.map(({ value, repeats }, index) => {
      const where = repeats ? "*" : String(index);
      return `      "${nameOf(command)} "${where}) ${bashValue(value)} ;;`;
    }),
  );
  const words = all.map((command) => {
    const below = command.commands.map(({ path }) => path.at(-1) ?? "").join(" ");
    const options = optionNames(command).join(" ");
    return `    "${nameOf(command)}") words="${below}" options="${options}" ;;`;
  });
  return `# Completion of dayferry for bash, printed by: dayferry completion bash
_dayferry() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local at="" place=0 words="" options="" word i
  COMPREPLY=()
  # To bash, = is a word of its own.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${takingValues(program).join(" | ")})
        [[ \${COMP_WORDS[i + 1]} == "=" ]] && ((i++))
        ((i++))
        continue
        ;;
      -*) continue ;;
    esac
    case "\${at:+$at }$word" in
${deeper.join("\n")}
      *) ((place++)) ;;
    esac
  done
  case "$at $previous" in
${values.join("\n")}
  esac
  if [[ $current != -* ]]; then
    case "$at $place" in
${places.join("\n")}
    esac
  fi
  case $at in
${words.join("\n")}
  esac
  if [[ $current == -* ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _dayferry dayferry
`;
}

function bashValue(value: ValueKind): string {
  const names = "compopt -o filenames 2>/dev/null; local IFS=$'\\n'; COMPREPLY=($(compgen";
  if (value.kind === "words") {
    return `COMPREPLY=($(compgen -W "${value.words.join(" ")}" -- "$current")); return`;
  }
  if (value.kind === "other") return "return";
  return `${names} ${value.kind === "file" ? "-f" : "-d"} -- "$current")); return`;
}

// Zsh: a function per command, which calls its subcommands'.

function zshScript(program: CommandOutline): string {
  return `#compdef dayferry
# Completion of dayferry for zsh, printed by: dayferry completion zsh
${allCommands(program).map(zshFunction).join("\n")}
if [[ $funcstack[1] == _dayferry ]]; then
  _dayferry "$@"
else
  compdef _dayferry dayferry
fi
`;
}

const zshName = ({ path }: CommandOutline): string =>
  ["_dayferry", ...path].join("_").replaceAll("-", "_");

function zshFunction(command: CommandOutline): string {
  const { options, commands } = command;
  const specs = [
    ...options.map(({ names, about, value, flags }) => {
      const taken = value === null ? "" : `:${zshQuoted(valueName(flags))}:${zshAction(value)}`;
      const among = names.length > 1 ? `'(${names.join(" ")})'{${names.join(",")}}` : names[0];
      return `${among}'[${zshQuoted(about)}]${taken}'`;
    }),
    ...command.arguments.map(
      ({ name, value, repeats }, index) =>
        `'${repeats ? "*" : index + 1}:${zshQuoted(name)}:${zshAction(value)}'`,
    ),
  ];
  const lines = specs.map((spec) => `    ${spec}`);
  if (commands.length === 0) {
    return `${zshName(command)}() {\n${[`  _arguments -s`, ...lines].join(" \\\n")}\n}`;
  }
  const named = commands.map(
    ({ path, about }) => `        '${path.at(-1)}:${zshQuoted(about).replaceAll("\\:", ":")}'`,
  );
  const below = commands.map((inner) => `        ${inner.path.at(-1)}) ${zshName(inner)} ;;`);
  return `${zshName(command)}() {
  local context state state_descr line
  typeset -A opt_args
${["  _arguments -s -C -A '-*'", ...lines, "    '1: :->command'", "    '*:: :->rest'"].join(" \\\n")}
  case $state in
    command)
      local -a commands=(
${named.join("\n")}
      )
      _describe -t commands command commands
      ;;
    rest)
      case $line[1] in
${below.join("\n")}
      esac
      ;;
  esac
}`;
}

/** Escapes text for single quotes, and brackets and colons, which separate the parts of a specification. */
const zshQuoted = (text: string): string =>
  text.replace(/[\\[\]:]/g, "\\$&").replaceAll("'", "'\\''");

const valueName = (flags: string): string => /<([^>]+)>/.exec(flags)?.[1] ?? "value";

const zshAction = (value: ValueKind): string =>
  value.kind === "words"
    ? `(${value.words.join(" ")})`
    : { file: "_files", folder: "_files -/", other: " " }[value.kind];

// Fish: for each command, a condition tests whether the line has reached it.

function fishScript(program: CommandOutline): string {
  const all = allCommands(program);
  const paths = all.flatMap((command) => (command.path.length > 0 ? [`"${nameOf(command)}"`] : []));
  return `# Completion of dayferry for fish, printed by: dayferry completion fish
function __dayferry_at
    set -l words (commandline -opc)
    set -l at
    set -l skips
    for word in $words[2..-1]
        if set -q skips[1]
            set skips
            continue
        end
        switch $word
            case ${takingValues(program).join(" ")}
                set skips 1
            case '-*'
            case '*'
                if contains -- (string join ' ' $at $word) ${paths.join(" ")}
                    set -a at $word
                end
        end
    end
    test "$at" = "$argv[1]"
end
complete -c dayferry -e
complete -c dayferry -f
${all.flatMap(fishLines).join("\n")}
`;
}

function fishLines(command: CommandOutline): readonly string[] {
  const here = `complete -c dayferry -n '__dayferry_at "${nameOf(command)}"'`;
  return [
    ...command.commands.map(
      ({ path, about }) => `${here} -a ${path.at(-1)} -d '${fishQuoted(about)}'`,
    ),
    ...command.arguments.flatMap(({ value }) => {
      const values = fishValues(value);
      return values === null ? [] : [`${here} ${values}`];
    }),
    ...command.options.map(({ names, about, value }) => {
      const spelled = names.map((name) =>
        name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      const taken = value === null ? [] : ["-r", fishValues(value) ?? "-f"];
      return [here, ...spelled, ...taken, `-d '${fishQuoted(about)}'`].join(" ");
    }),
  ];
}

const fishValues = (value: ValueKind): string | null =>
  value.kind === "words"
    ? `-f -a '${value.words.join(" ")}'`
    : { file: "-F", folder: "-f -a '(__fish_complete_directories)'", other: null }[value.kind];

const fishQuoted = (text: string): string => text.replace(/[\\']/g, "\\$&");
