import type { Request, RequestHandler, Response } from "express";
import { layout, type Page, type PageFrame } from "./pages/layout.ts";

/** What stands around the pages that answer a request, apart from where they are. */
export type Surroundings = Omit<PageFrame, "root">;

/** Lets everything behind it send pages. `of` is asked only when one is sent. */
export function surroundPages(of: (request: Request) => Surroundings): RequestHandler {
  return (request, response, next) => {
    response.locals["surroundings"] = () => of(request);
    next();
  };
}

/** Sends a page, which is of this moment. It may load nothing but files of this server, and nobody may frame it. */
export function sendPage(response: Response, page: Page): void {
  const of: (() => Surroundings) | undefined = response.locals["surroundings"];
  if (!of) throw new Error(`the page ${page.title} has no surroundings: surroundPages comes first`);
  const markup = layout(page, { ...of(), root: rootOf(response.req) });
  response.set(pageHeaders).type("html").send(markup);
}

/** Of what is no page: feeds, files, redirects and answers to programs. */
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
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  // Addresses of links and of the first log-in are as good as passwords. To this server itself a browser has to say where a form
  // comes from: without an origin it could not be told from one of another site.
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/**
 * The way from the address that is asked to that of the start page, as in `../../`. Links and redirects are relative, so
 * that they hold whatever path a proxy has put before them.
 */
export function rootOf({ baseUrl, path }: Pick<Request, "baseUrl" | "path">): string {
  const depth = `${baseUrl}${path}`.split("/").length - 2;
  return depth > 0 ? "../".repeat(depth) : "./";
}

/** Takes the path of the public address off, as a proxy may leave it on. `publicUrl` has no slash at its end. */
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
    // Without the slash relative links would lead out of the prefix.
    if (rest === "" || rest.startsWith("?")) return response.redirect(308, `${prefix}/${rest}`);
    if (rest.startsWith("/")) request.url = rest;
    next();
  };
}
