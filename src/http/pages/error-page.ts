import type { Page } from "./layout.ts";
import { html } from "./markup-template.ts";

/** Says to a person why something was not answered or not done, and where to go on. `root` leads to the start page. */
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

/** Details are written for programs, in the middle of a sentence. */
function sentence(detail: string): string {
  const text = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
