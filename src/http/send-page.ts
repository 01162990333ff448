import type { Request, RequestHandler, Response } from "express";
import { layout, type Page, type PageFrame, type Theme } from "./pages/layout.ts";

/** The frame of a page in an answer, without its location. */
export type Surroundings = Omit<PageFrame, "root">;

/** Lets the handlers behind it send pages. `of` is called only when a page is sent. */
export function surroundPages(of: (request: Request) => Surroundings): RequestHandler {
  return (request, response, next) => {
    response.locals["surroundings"] = () => of(request);
    next();
  };
}

/** Sends an uncacheable page. It may only load files of this server, and must not be framed. */
export function sendPage(response: Response, page: Page): void {
  const of: (() => Surroundings) | undefined = response.locals["surroundings"];
  if (!of) throw new Error(`the page ${page.title} has no surroundings: surroundPages comes first`);
  const markup = layout(page, { ...of(), root: rootOf(response.req) });
  response.set(pageHeaders).type("html").send(markup);
}

/** For everything but pages: feeds, files, redirects and answers to programs. */
export const bareHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

const pageHeaders: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": [
    "default-src 'none'",
    ...["script-src", "style-src", "img-src", "font-src", "connect-src", "form-action"].map(
      (kind) => `${kind} 'self'`,
    ),
    ...["manifest-src", "worker-src"].map((kind) => `${kind} 'self'`),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  // Link URLs are as good as passwords. For this server itself a browser must name the origin of a form, to distinguish it from
  // other sites'.
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/**
 * From the requested URL to the start page's, as in `../../`. Links and redirects are relative, so that they work with any
 * proxy prefix.
 */
export function rootOf({ baseUrl, path }: Pick<Request, "baseUrl" | "path">): string {
  const depth = `${baseUrl}${path}`.split("/").length - 2;
  return depth > 0 ? "../".repeat(depth) : "./";
}

/** Redirects to a page, named relative to the start page, which a browser then loads by GET. */
export const redirectTo = (response: Response, path: string): void =>
  response.redirect(303, `${rootOf(response.req)}${path}`);

/** The theme chosen in this browser; null to follow the system. */
export function themeOf({ headers }: Pick<Request, "headers">): Theme | null {
  const [, theme] = /(?:^|; )dayferry-theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? "") ?? [];
  return theme === "light" || theme === "dark" ? theme : null;
}

/** Removes the public URL's path, which a proxy may leave on. `publicUrl`: without a trailing slash. */
export function withoutPrefix(publicUrl: () => string): RequestHandler {
  let known = { address: "", prefix: "" };
  return (request, response, next) => {
    const address = publicUrl();
    if (known.address !== address) {
      known = { address, prefix: new URL(address).pathname.replace(/\/+$/, "") };
    }
    const { prefix } = known;
    const { url } = request;
    if (prefix === "" || !url.startsWith(prefix)) return next();
    const rest = url.slice(prefix.length);
    // Without the slash, relative links would leave the prefix.
    if (rest === "" || rest.startsWith("?")) return response.redirect(308, `${prefix}/${rest}`);
    if (rest.startsWith("/")) request.url = rest;
    next();
  };
}
