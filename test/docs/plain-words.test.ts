import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { english } from "../../src/texts/english.ts";

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
  wished: "wanted",
  told: "notified, shown",
  lately: "recently",
  hence: "so",
  thereby: "by this",
  "of which": "a sentence of its own",
  "what is to be": "what to",
  "as usual": "the default",
  "at hand": "present, this",
  "in step": "up to date",
  "let go": "release, apply",
  "let pass": "allow",
  "laid over": "applied to",
  "left aside": "ignored",
  "taken up": "continued",
  "for your eyes": "no access",
  "lies beside": "is in the folder of",
  "set beside": "set as well as",
  "come true": "be kept",
  "first sweep": "first sync",
  "wants another": "check the …",
  vouch: "prove",
  owed: "pending",
  bury: "remove",
};

/** The string literals of a file that are sentences or parts of them, one per line, without comments and markup. */
function textsOf(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*/g, "$1");
  const literals = code.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g);
  return [...literals]
    .flatMap(([literal]) => literal.replaceAll(/<[^>]*>|\$\{[^}]*\}/g, " … ").split("\n"))
    .filter((text) => /\w \w/.test(text));
}

/** What says that something failed: its sentences are shorter than those of pages. */
const errors =
  /^(problem|intake|hold|decision|pageFault|fieldFault|actionFault|newItem|undo|inbox|trouble|error)\./;

it("errors have sentences of at most 20 words", () => {
  const long = Object.entries(english)
    .filter(([id]) => errors.test(id))
    .flatMap(([id, text]) => text.split(/[.!?:;](?:\s|$)/).map((part) => ({ id, part })))
    .filter(({ part }) => part.trim().split(/\s+/).length > 20);
  expect(long).toEqual([]);
});

it("the documents have at most 35,000 words", () => {
  const files = globSync(["docs/*.md", "docs/decisions/*.md"], { cwd: root });
  const words = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split(/\s+/)
      .filter((word) => /[\p{L}\p{N}]/u.test(word)),
  );
  expect(files.length).toBeGreaterThan(40);
  expect(words.length).toBeLessThanOrEqual(35_000);
});

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
