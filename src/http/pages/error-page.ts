import { asSentence } from "../../domain/text.ts";
import { say } from "../../texts/say.ts";
import type { Page } from "./layout.ts";
import { html } from "./markup-template.ts";

/** Says why a request failed, and links to a page that works. `root`: relative URL of the start page. */
export function errorPage(
  { status, detail }: { readonly status: number; readonly detail: string },
  root: string,
): Page {
  return {
    title: titleOf(status),
    width: "narrow",
    body: html`<div class="card"><p>${asSentence(detail)}</p>
<p class="row"><a class="button" href="${root}">${say("error.toStart")}</a></p></div>`,
  };
}

const titled = [400, 401, 403, 404, 409, 413, 429, 500, 503, 507] as const;

function titleOf(status: number): string {
  const known = titled.find((each) => each === status);
  return say(known ? `error.${known}` : status < 500 ? "error.other" : "error.500");
}
