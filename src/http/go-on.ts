import type { Request } from "express";
import { createAccess } from "./access.ts";
import { rootOf } from "./send-page.ts";

/**
 * The page to open after signing in. Its name comes from the sign-in page's URL, which anyone can write, so only pages of this
 * server that require signing in are accepted.
 */

/** The URL of the sign-in page that continues to the requested one. */
export function goingOn(request: Request): string {
  const isPage = request.method === "GET" || request.method === "HEAD";
  const next = isPage ? checkedNext(request.url.replace(/^\/+/, "")) : "";
  return `${rootOf(request)}login${next === "" ? "" : `?next=${encodeURIComponent(next)}`}`;
}

/** URL of a page of this server, relative to the start page; "" is the start page, also for anything invalid. */
export function checkedNext(text: string): string {
  if (text.length > longest || !/^[\w\-./~%?=&+,:;@!$'()*]+$/.test(text)) return "";
  const url = URL.parse(`./${text}`, site);
  if (url?.origin !== origin || !url.pathname.startsWith(folder)) return "";
  const path = url.pathname.slice(folder.length);
  // An empty segment would start the URL of another host.
  if (path.split("/").includes("")) return "";
  const admission = find("GET", `/${path}`);
  const isPage =
    admission.kind === "rule" && admission.rule.door === "page" && admission.rule.who !== "anyone";
  return isPage ? `${path}${url.search}` : "";
}

const longest = 500;
const origin = "https://this.invalid";
const folder = "/root/";
const site = `${origin}${folder}`;
const find = createAccess();
