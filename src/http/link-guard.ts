import { hash } from "node:crypto";
import type { RequestHandler } from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import { tooManyPage } from "./pages/login.ts";
import { sendPage } from "./send-page.ts";

/**
 * Guards pages that a link opens without sign-in: such a link is as good as a password, so its pages are never cached and
 * requests are limited.
 */
export const linkGuard = (): readonly RequestHandler[] => [unlisted, linkLimit()];

const unlisted: RequestHandler = (_request, response, next) => {
  response.set({ "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow" });
  next();
};

/**
 * Rate limit for one link: a page takes two requests. Each link is counted separately, as many people may share an address, and
 * links cannot be guessed. Answers 429 beyond 120 a minute.
 */
const linkLimit = (): RequestHandler =>
  rateLimit({
    windowMs: 60_000,
    limit: 120,
    identifier: "links",
    standardHeaders: "draft-8",
    legacyHeaders: false,
    // It prints warnings about proxies; `http.trustProxy` decides which address counts.
    validate: false,
    handler: (_request, response) => sendPage(response.status(429), tooManyPage()),
    keyGenerator: ({ ip = "", path }) => `${ipKeyGenerator(ip)} ${hash("sha256", linkIn(path))}`,
  });

/** The signed part of a path, which is the same in all URLs of a link. */
const linkIn = (path: string): string => path.split("/", 2).join("/");
