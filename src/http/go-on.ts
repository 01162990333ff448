import type { Request } from "express";
import { createAccess } from "./access.ts";
import { rootOf } from "./send-page.ts";

/*
 * Where a browser goes on after a log-in. It is said in the address of the log-in page, which anybody can write, so that only a
 * page of this server is taken: no other site, and nothing that needs no log-in.
 */

/** The way to the log-in page, from which it goes on to what was asked for. */
export function goingOn(request: Request): string {
  const isPage = request.method === "GET" || request.method === "HEAD";
  const next = isPage ? checkedNext(request.url.replace(/^\/+/, "")) : "";
  return `${rootOf(request)}login${next === "" ? "" : `?next=${encodeURIComponent(next)}`}`;
}

/** The address of a page of this server, from the start page on; "" is that page, and stands for all that is none. */
export function checkedNext(text: string): string {
  if (text.length > longest || !/^[\w\-./~%?=&+,:;@!$'()*]+$/.test(text)) return "";
  const url = URL.parse(`./${text}`, site);
  if (url?.origin !== origin || !url.pathname.startsWith(folder)) return "";
  const path = url.pathname.slice(folder.length);
  // An empty part would begin the address of another host.
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
