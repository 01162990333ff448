import { hash } from "node:crypto";
import type { Request } from "express";
import { ipKeyGenerator, type RateLimitRequestHandler, rateLimit } from "express-rate-limit";
import { layout, type Page } from "./pages/layout.ts";
import { html } from "./pages/markup-template.ts";
import { rootOf } from "./send-page.ts";

const perMinute = {
  windowMs: 60_000,
  standardHeaders: "draft-8",
  legacyHeaders: false,
  // It warns of proxies in its own words on the console; which address counts is decided by `http.trustProxy`.
  validate: false,
} as const;

/**
 * Following one link: a page takes two requests. Each link is counted by itself, as many people, or a whole proxy, may
 * share one address, and links cannot be guessed. Answers 429 beyond it.
 */
export const linkLimit = (): RateLimitRequestHandler =>
  rateLimit({
    ...perMinute,
    limit: 120,
    identifier: "links",
    message: (request: Request) => layout(tooManyPage, rootOf(request)),
    keyGenerator: ({ ip = "", path }) => `${ipKeyGenerator(ip)} ${hash("sha256", linkIn(path))}`,
  });

/** The signed part of a path, of which a link has several. */
const linkIn = (path: string): string => path.split("/", 2).join("/");

export const tooManyPage: Page = {
  title: "Too many requests",
  body: html`<main class="card"><h1>Too many requests</h1>
<p>Too many requests came from this address. Please wait a minute and load the page again.</p></main>`,
};
