import { Router } from "express";
import { searchAll } from "../operations/search-operations.ts";
import { searchPage } from "./pages/search-page.ts";
import { queryText } from "./request-query.ts";
import { sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/** `/search?text=…`: everything that the viewer may see and that has these words. */
export function searchRoutes(context: WebContext): Router {
  const router = Router();
  router.get("/search", async (request, response) => {
    const caller = { viewer: context.viewers.viewerOf(request) };
    const text = (queryText(request, "text") ?? "").slice(0, longest);
    const results = await searchAll(text, { ...context, caller, address: (path) => path });
    sendPage(response, searchPage(text, results));
  });
  return router;
}

/** Maximum length of a search text, in characters. */
const longest = 200;
