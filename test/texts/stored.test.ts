import { describe, expect, it } from "vitest";
import { english } from "../../src/texts/english.ts";
import { inLanguage, isMessageId, languageCodes, sayIn } from "../../src/texts/say.ts";
import { retold, stored } from "../../src/texts/stored.ts";

const ids = Object.keys(english).filter(isMessageId);
const problems = ids.filter((id) => id.startsWith("problem."));

/** A value for each placeholder, with the punctuation of requests and answers. */
const valuesFor = (id: (typeof ids)[number]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...english[id].matchAll(/\{(\w+)\}/g)].map(([, name = ""], at) => [
      name,
      `${at} "no (such) thing"; PUT /x`,
    ]),
  );

describe("retold()", () => {
  it.each(languageCodes)("gives every stored message in %s", (language) => {
    const wrong = problems.filter((id) => {
      const values = valuesFor(id);
      const [english, told] = (["en", language] as const).map((each) =>
        Reflect.apply(sayIn, null, [each, id, values]),
      );
      return (
        inLanguage(
          () => language,
          () => retold(String(english)),
        ) !== told
      );
    });
    expect(wrong).toEqual([]);
    expect(problems.length).toBeGreaterThan(40);
  });

  it("gives messages inside a message, and keeps the service's own words", () => {
    const text = stored("problem.gaveUp", {
      what: stored("problem.rejected", { what: "Title is too long (PUT /todos/7, 422)" }),
    });
    expect(text).toBe(
      "gave up after a day of retries: The service rejected it: Title is too long (PUT /todos/7, 422)",
    );
    const inGerman = inLanguage(
      () => "de",
      () => retold(text),
    );
    expect(inGerman).toBe(
      "nach einem Tag Wiederholungen aufgegeben: Vom Dienst abgelehnt: Title is too long (PUT /todos/7, 422)",
    );
    expect(
      inLanguage(
        () => "de",
        () => stored("problem.noTask"),
      ),
    ).toBe("the task no longer exists");
  });
});
