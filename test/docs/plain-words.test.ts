import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

// Texts that people read use the words that they use themselves.

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bookish or private words, and what to write instead. */
const insteadOf: Readonly<Record<string, string>> = {
  somebody: "someone",
  anybody: "anyone",
  everybody: "everyone",
  whoever: "anyone who",
  meanwhile: "since, or nothing",
  anew: "again",
  vanish: "is removed, disappears",
  "once more": "again",
  "takes place": "is",
  "stands under": "is under",
  "the wish": "the edit, the change",
};

/** The string literals of a file that are sentences or parts of them, one per line, without comments and markup. */
function textsOf(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*/g, "$1");
  const literals = code.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g);
  return [...literals]
    .flatMap(([literal]) => literal.replaceAll(/<[^>]*>|\$\{[^}]*\}/g, " … ").split("\n"))
    .filter((text) => /\w \w/.test(text));
}

it("pages, mails, commands and errors use plain words", () => {
  const files = globSync(["src/**/*.ts", "web/*.ts"], { cwd: root, exclude: ["src/store/**"] });
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) =>
    textsOf(readFileSync(join(root, file), "utf8")).flatMap((text) =>
      Object.entries(insteadOf)
        .filter(([word]) => new RegExp(`\\b${word}\\b`, "i").test(text))
        .map(([word, better]) => `${file}: “${word}” (${better}) in ${text.trim()}`),
    ),
  );
  expect(found).toEqual([]);
});
