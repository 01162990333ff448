import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Shell, shells } from "../../src/cli/completions.ts";
import { isInstalled, runProgram } from "../clients/programs.ts";
import { command } from "../support/in-process.ts";

// The shells themselves complete, using what the command prints for them.

const folder = mkdtempSync(join(tmpdir(), "dayferry-completion-"));
const scriptOf = (shell: Shell): string => join(folder, `dayferry.${shell}`);
const nowhere = { folder: "", configFile: "", dataDir: "", dispose: () => undefined };

beforeAll(async () => {
  for (const shell of shells) {
    const { code, stdout, stderr } = await command(["completion", shell], {
      installation: nowhere,
    });
    expect([code, stderr]).toEqual([0, ""]);
    writeFileSync(scriptOf(shell), stdout);
  }
  writeFileSync(join(folder, "calendar.ics"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The text on the line, and its possible completions. */
const lines: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ["comp", ["completion"]],
  ["--conf", ["--config"]],
  ["edits ret", ["retry"]],
  ["edits list --st", ["--state"]],
  ["edits list --state ", []],
  ["--config x.json edits ret", ["retry"]],
  ["edits --config x.json list --ch", ["--channel"]],
  ["report work", ["workload"]],
  ["report agenda --format ", ["csv", "html", "json", "md", "table"]],
  ["sandbox --size ", ["l", "m", "s"]],
  ["completion ", ["bash", "fish", "zsh"]],
  ["apply calen", ["calendar.ics"]],
  ["apply calendar.ics --dry", ["--dry-run"]],
  ["--config calen", ["calendar.ics"]],
];

describe.skipIf(!isInstalled("bash"))("completion in bash", () => {
  it.each(lines)("of: dayferry %s", async (line, expected) => {
    const words = `dayferry ${line}`.split(" ").map((word) => `'${word}'`);
    const said = [
      `source ${scriptOf("bash")}`,
      `COMP_WORDS=(${words.join(" ")}) COMP_CWORD=${words.length - 1}`,
      `_dayferry; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ];
    expect(await listed(["bash", "--norc", "-c", said.join("\n")])).toEqual(expected);
  });

  it("continues behind = as behind a space", async () => {
    const script = `source ${scriptOf("bash")}
      COMP_WORDS=(dayferry report agenda --format = m) COMP_CWORD=5
      _dayferry; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(await listed(["bash", "--norc", "-c", script])).toEqual(["md"]);
  });

  it("names every command in the help", async () => {
    const script = `source ${scriptOf("bash")}; COMP_WORDS=(dayferry '') COMP_CWORD=1
      _dayferry; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await command(["--help"], { installation: nowhere });
    const named = [...stdout.matchAll(/^ {2}([a-z][\w-]+)/gm)].map(([, name = ""]) => name);
    expect(await listed(["bash", "--norc", "-c", script])).toEqual(named.toSorted());
    expect(named.length).toBeGreaterThan(15);
  });
});

describe.skipIf(!isInstalled("fish"))("completion in fish", () => {
  it.each(lines)("of: dayferry %s", async (line, expected) => {
    const script = `source ${scriptOf("fish")}; complete -C 'dayferry ${line}'`;
    expect(await listed(["fish", "--no-config", "-c", script])).toEqual(expected);
  });
});

describe.skipIf(!isInstalled("zsh"))("completion in zsh", () => {
  it("completes words with a single ending", async () => {
    const single = lines.flatMap(([line, [only, ...others]]) =>
      only === undefined || others.length > 0 ? [] : [{ line, only }],
    );
    // A separate terminal, in which each line is completed by a tab and then printed.
    const session = `
      zmodload zsh/zpty
      zpty shell "TERM=dumb zsh -f -i"
      zpty -w shell 'PROMPT=; autoload -Uz compinit; compinit -D -u; unsetopt beep; source ${scriptOf("zsh")}'
      for line in "$@"; do
        zpty -w -n shell $'\\C-u'"$line"$'\\t\\C-aprint -r -- "<\\C-e>"\\n'
      done
      zpty -w shell 'print en""ded; exit'
      while zpty -r shell said; do print -r -- "$said"; [[ $said == *ended* ]] && break; done`;
    writeFileSync(join(folder, "session"), session);
    const typed = single.map(({ line }) => `dayferry ${line}`);
    const { output } = await runProgram(["zsh", "-f", join(folder, "session"), ...typed], {
      cwd: folder,
    });
    const completed = [...output.matchAll(/^<(dayferry .*?) ?>\r*$/gm)].map(([, line]) => line);
    expect(completed).toEqual(
      single.map(({ line, only }) => `dayferry ${line.replace(/\S*$/, "")}${only}`),
    );
    expect(completed.length).toBeGreaterThan(8);
  });
});

/** What a program printed, without descriptions behind tabs, in order. */
async function listed(program: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, output } = await runProgram(program, {
    cwd: folder,
    env: { HOME: folder },
  });
  expect(code, output).toBe(0);
  return stdout
    .split("\n")
    .map((line) => line.split("\t", 1).join(""))
    .filter((line) => line !== "")
    .toSorted();
}
