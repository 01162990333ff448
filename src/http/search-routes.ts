import { Router } from "express";
import { searchAll } from "../operations/search-operations.ts";
import { searchPage } from "./pages/search-page.ts";
import { sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

interface SearchRoutesDeps extends Omit<Parameters<typeof searchAll>[1], "caller" | "address"> {
  readonly viewers: Viewers;
}

/** `/search?text=…`: everything that the viewer may see and that has these words. */
export function searchRoutes({ viewers, ...modules }: SearchRoutesDeps): Router {
  const router = Router();
  router.get("/search", async (request, response) => {
    const viewer = viewers.viewerOf(request);
    const asked = request.query["text"];
    const text = typeof asked === "string" ? asked.slice(0, longest) : "";
    const results = await searchAll(text, {
      ...modules,
      caller: { viewer },
      address: (path) => path,
    });
    sendPage(response, searchPage(text, results));
  });
  return router;
}

/** In characters. */
const longest = 200;
