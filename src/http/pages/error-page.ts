import type { Page } from "./layout.ts";
import { html } from "./markup-template.ts";

/** Tells a person why a request failed, and where to go. `root`: relative URL of the start page. */
export function errorPage(
  { status, detail }: { readonly status: number; readonly detail: string },
  root: string,
): Page {
  return {
    title: titles[status] ?? (status < 500 ? "This did not work" : "Something failed here"),
    width: "narrow",
    body: html`<div class="card"><p>${sentence(detail)}</p>
<p class="row"><a class="button" href="${root}">Go to Dayferry's start page</a></p></div>`,
  };
}

const titles: Readonly<Record<number, string>> = {
  400: "This cannot be read",
  401: "Please log in",
  403: "Not allowed",
  404: "Nothing here",
  409: "Not done",
  413: "Too large",
  429: "Too many requests",
  500: "Something failed here",
  503: "Not available just now",
  507: "No room left",
};

/** Details are written as a clause for programs. */
function sentence(detail: string): string {
  const text = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
