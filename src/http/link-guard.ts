import type { RequestHandler } from "express";
import helmet from "helmet";
import { linkLimit } from "./rate-limits.ts";

/** What stands before the pages of links that need no login: as good as a password, they are for one reader alone. */
export const linkGuard = (): readonly RequestHandler[] => [headers, quiet, linkLimit()];

const headers = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
  referrerPolicy: { policy: "no-referrer" },
  xFrameOptions: { action: "deny" },
});

const quiet: RequestHandler = (_request, response, next) => {
  response.set({ "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow" });
  next();
};
