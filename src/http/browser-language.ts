import type { Request } from "express";
import { isLanguage, type Language, languageCodes } from "../texts/say.ts";

/** The cookie with the language chosen in a browser. */
export const languageCookie = "dayferry-language";

/** The language chosen in a browser, else the first known one that it accepts. */
export function languageOfBrowser(
  request: Pick<Request, "headers" | "acceptsLanguages">,
  otherwise: Language,
): Language {
  const [, chosen] =
    new RegExp(`(?:^|; )${languageCookie}=([A-Za-z-]+)(?:;|$)`).exec(
      request.headers.cookie ?? "",
    ) ?? [];
  if (isLanguage(chosen)) return chosen;
  // Without the header, or if any language is accepted, the first language is used.
  const accepted = request.acceptsLanguages([otherwise, ...languageCodes]);
  return isLanguage(accepted) ? accepted : otherwise;
}
