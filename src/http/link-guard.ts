import { hash } from "node:crypto";
import type { RequestHandler } from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import { tooManyPage } from "./pages/login.ts";
import { sendPage } from "./send-page.ts";

/** What stands before the pages of links that need no login: as good as a password, they are for one reader alone. */
export const linkGuard = (): readonly RequestHandler[] => [unlisted, linkLimit()];

const unlisted: RequestHandler = (_request, response, next) => {
  response.set({ "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow" });
  next();
};

/**
 * Following one link: a page takes two requests. Each link is counted by itself, as many people, or a whole proxy, may
 * share one address, and links cannot be guessed. Answers 429 beyond 120 a minute.
 */
const linkLimit = (): RequestHandler =>
  rateLimit({
    windowMs: 60_000,
    limit: 120,
    identifier: "links",
    standardHeaders: "draft-8",
    legacyHeaders: false,
    // It warns of proxies in its own words on the console; which address counts is decided by `http.trustProxy`.
    validate: false,
    handler: (_request, response) => sendPage(response.status(429), tooManyPage),
    keyGenerator: ({ ip = "", path }) => `${ipKeyGenerator(ip)} ${hash("sha256", linkIn(path))}`,
  });

/** The signed part of a path, of which a link has several. */
const linkIn = (path: string): string => path.split("/", 2).join("/");
