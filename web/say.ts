import english from "virtual:texts/script/en";
import type { ScriptText, ScriptTexts } from "./script-texts.ts";

/** The build takes them from the catalogue (`src/texts/`). A page loads its own language only. */
const others: Readonly<Record<string, () => Promise<{ readonly default: ScriptTexts }>>> = {
  de: () => import("virtual:texts/script/de"),
  fr: () => import("virtual:texts/script/fr"),
  es: () => import("virtual:texts/script/es"),
};

const texts = await others[document.documentElement.lang]?.()
  .then((loaded) => loaded.default)
  // English is better than no script.
  .catch(() => english);

/** A message in the language of the page. */
export const say = (
  id: ScriptText,
  values: Readonly<Record<string, string | number>> = {},
): string =>
  (texts ?? english)[id].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));

/** As on the server: outside the US, the day before the month and a clock of 24 hours. */
export const locale = (): string => {
  const { lang } = document.documentElement;
  return lang === "en" ? "en-GB" : lang;
};
