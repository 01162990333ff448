import type { Request, RequestHandler, Response } from "express";
import { layout, type Page } from "./pages/layout.ts";

/** Sends a page, which is of this moment. */
export function sendPage(response: Response, page: Page): void {
  const markup = layout(page, rootOf(response.req));
  response.set("Cache-Control", "no-store").type("html").send(markup);
}

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
  return (request, response, next) => {
    const prefix = new URL(publicUrl()).pathname.replace(/\/+$/, "");
    const { url } = request;
    if (prefix === "" || !url.startsWith(prefix)) return next();
    const rest = url.slice(prefix.length);
    // Without the slash relative links would lead out of the prefix.
    if (rest === "" || rest.startsWith("?")) return response.redirect(308, `${prefix}/${rest}`);
    if (rest.startsWith("/")) request.url = rest;
    next();
  };
}
