import type { Request } from "express";
import { type RateLimitRequestHandler, rateLimit } from "express-rate-limit";
import { html } from "./pages/html.ts";
import { layout, type Page } from "./pages/layout.ts";
import { rootOf } from "./send-page.ts";

const perMinute = {
  windowMs: 60_000,
  standardHeaders: "draft-8",
  legacyHeaders: false,
  // It warns of proxies in its own words on the console; which address counts is decided by `http.trustProxy`.
  validate: false,
} as const;

/** Following links: many people may share one address, and a page takes two requests. Answers 429 beyond it. */
export const linkLimit = (): RateLimitRequestHandler =>
  rateLimit({ ...perMinute, limit: 120, identifier: "links", message: tooMany });

/** Wrong tokens from one address; right ones do not count. Answers 429 beyond it. */
export const loginLimit = (): RateLimitRequestHandler =>
  rateLimit({
    ...perMinute,
    limit: 10,
    identifier: "login",
    message: tooMany,
    skipSuccessfulRequests: true,
    requestWasSuccessful: (_request, response) => response.statusCode === 303,
  });

const tooManyPage: Page = {
  title: "Too many requests",
  body: html`<main class="card"><h1>Too many requests</h1>
<p>Too many requests came from this address. Please wait a minute and load the page again.</p></main>`,
};

const tooMany = (request: Request): string => layout(tooManyPage, rootOf(request));
