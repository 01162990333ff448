import { type Request, Router } from "express";
import { defaultLanguage, inLanguage, isLanguage, type Language } from "../texts/say.ts";
import { languageCookie, languageOfBrowser } from "./browser-language.ts";
import { formField, formGuard } from "./form-guard.ts";
import { redirectTo, rootOf } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

const keptSeconds = 365 * 24 * 60 * 60;

/**
 * Runs the rest of each request in its reader's language: the person's choice, else this browser's, else the first known one in
 * `Accept-Language`.
 */
export const speakToReader = ({ viewers, store, language = defaultLanguage }: WebContext) => {
  const choose = (request: Request): Language => {
    const viewer = viewers.find(request);
    const chosen = viewer?.kind === "person" ? store.personLanguages.chosen(viewer.person) : null;
    return chosen ?? languageOfBrowser(request, language);
  };
  return (request: Request, _response: unknown, next: () => void): void => {
    let known: Language | null = null;
    inLanguage(() => (known ??= choose(request)), next);
  };
};

/** `POST /language`: chooses the language of this browser, and of a person's mails and feeds. */
export function languageRoutes({ viewers, store }: WebContext): Router {
  const router = Router();
  // A browser requests this URL if a person reloads the page.
  router.get("/language", (_request, response) => redirectTo(response, ""));
  router.post("/language", ...formGuard(viewers), (request, response) => {
    const language = formField(request.body, "language");
    const viewer = viewers.find(request);
    if (isLanguage(language)) {
      if (viewer?.kind === "person") store.personLanguages.choose(viewer.person, language);
      response.cookie(languageCookie, language, {
        maxAge: keptSeconds * 1000,
        sameSite: "lax",
        secure: request.secure,
      });
    }
    response.redirect(303, backTo(request));
  });
  return router;
}

/** The page with the form, as named by the browser; the start page if it names none. */
function backTo(request: Request): string {
  const referrer = URL.parse(request.get("referer") ?? "");
  if (referrer === null || referrer.host !== request.get("host")) return rootOf(request);
  // A path with two slashes at its beginning would lead to another site.
  return `/${referrer.pathname.replace(/^\/+/, "")}${referrer.search}`;
}
