import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inEnglish, sentence } from "@dayferry/ical";
import { sentences } from "@dayferry/ical/sentences";
import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, it } from "vitest";
import { sentenceInWords } from "../../src/ics/text/problem-in-words.ts";
import german from "../../src/texts/de.json" with { type: "json" };
import { english } from "../../src/texts/english.ts";
import spanish from "../../src/texts/es.json" with { type: "json" };
import french from "../../src/texts/fr.json" with { type: "json" };
import { inLanguage, languageCodes } from "../../src/texts/say.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const languages: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["en", english],
  ["de", german],
  ["fr", french],
  ["es", spanish],
];
const ids = Object.keys(english);

type Element = ReturnType<IntlMessageFormat["getAst"]>[number];

/** Names of placeholders and tags, however deep. */
function namesIn(elements: readonly Element[]): readonly string[] {
  return elements.flatMap((element) => [
    ...("value" in element && !isLiteral(element) ? [element.value] : []),
    ...("children" in element ? namesIn(element.children) : []),
    ...("options" in element
      ? Object.values(element.options).flatMap(({ value }) => namesIn(value))
      : []),
  ]);
}

const isLiteral = ({ type }: Element): boolean => type === 0;

const placeholders = (message: string, language: string): readonly string[] =>
  [...new Set(namesIn(new IntlMessageFormat(message, language).getAst()))].toSorted();

/** The longest texts that fit their place, in characters, by the beginning of the id. */
const limits: readonly (readonly [RegExp, number])[] = [
  [/^layout\.(today|calendar|edits|feeds|connect|more)$/, 15],
  [/^badge\./, 20],
  [/^action\./, 30],
  [/^edit\.state\./, 45],
];

describe.each(languages)("the catalogue in %s", (language, messages) => {
  it("has every message, and no other", () => {
    expect(Object.keys(messages).toSorted()).toEqual(ids.toSorted());
  });

  it("uses the placeholders of the English messages", () => {
    const different = Object.entries(english).filter(
      ([id, message]) =>
        String(placeholders(messages[id] ?? "", language)) !== String(placeholders(message, "en")),
    );
    expect(different.map(([id]) => id)).toEqual([]);
  });

  it("fits where it is shown", () => {
    const tooLong = ids.filter((id) => {
      const most = limits.find(([pattern]) => pattern.test(id))?.[1];
      const usual =
        20 + 2 * (Object.entries(english).find(([each]) => each === id)?.[1] ?? "").length;
      return (messages[id] ?? "").length > (most ?? usual);
    });
    expect(tooLong).toEqual([]);
  });

  it("has sentences of at most 25 words", () => {
    const sentences = Object.entries(messages).flatMap(([id, message]) =>
      message
        .replaceAll(/<[^>]+>/g, "")
        .split(/[.!?:;](?:\s|$)/)
        .map((sentence) => ({ id, words: sentence.trim().split(/\s+/).length })),
    );
    expect(sentences.filter(({ words }) => words > 25)).toEqual([]);
  });
});

describe("the catalogue", () => {
  it("has every sentence of the package ical in four languages, each with its values", () => {
    const own = Object.keys(sentences);
    expect(own.length).toBeGreaterThan(100);
    for (const [language, messages] of languages) {
      const missing = own.filter((id) => (messages[id] ?? "") === "");
      expect({ language, missing }).toEqual({ language, missing: [] });
    }
    const why = sentence("ical.zonePart", {
      name: "STANDARD",
      line: 7,
      why: sentence("ical.zoneStart"),
    });
    const about = { name: "DTSTART", zone: '"Own"', why };
    const said = languageCodes.map((language) =>
      inLanguage(
        () => language,
        () => sentenceInWords(sentence("ical.unreadableZone", about)),
      ),
    );
    expect(new Set(said).size).toBe(4);
    for (const each of said) expect(each).toMatch(/DTSTART.*"Own".*STANDARD.*7.*DTSTART/);
    expect(said[0]).toBe(inEnglish(sentence("ical.unreadableZone", about)));
  });

  it("has only messages used by some page, mail or feed", () => {
    const files = globSync(["src/**/*.ts", "packages/*/src/**/*.ts", "web/*.ts"], {
      cwd: root,
      exclude: ["src/texts/**", "packages/ical/src/sentences.ts"],
    });
    const code = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
    const said = new Set(code.match(/(?<=")[\w-]+(?:\.[\w-]+)+(?=")/g));
    const begun = [...new Set(code.match(/(?<=`)[\w-]+\.[\w.-]*(?=\$\{)/g))];
    const ends = [...new Set(code.matchAll(/`([\w-]+\.(?:[\w-]+\.)*)\$\{[^}]+\}(\w+)`/g))];
    const isSaid = (id: string) =>
      said.has(id) ||
      begun.some((start) => id.startsWith(start) && !id.slice(start.length).includes(".")) ||
      ends.some(([, start = "", end = ""]) => id.startsWith(start) && id.endsWith(end));
    expect(ids.filter((id) => !isSaid(id))).toEqual([]);
  });

  it("differs from English except for names and loan words", () => {
    const same = languages
      .slice(1)
      .map(
        ([, messages]) =>
          ids.filter((id) => messages[id] === english[id as keyof typeof english]).length /
          ids.length,
      );
    expect(Math.max(...same)).toBeLessThan(0.08);
  });
});
