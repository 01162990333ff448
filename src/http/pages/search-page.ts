import type { SearchResults } from "../../operations/search-operations.ts";
import { say } from "../../texts/say.ts";
import { badge, card, emptyState, table } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

/** Search results; the page is in the same folder as the start page. */
export function searchPage(text: string, results: SearchResults): Page {
  return {
    title: say("layout.search"),
    body: html`<form method="get" action="search" class="search" role="search"><label class="unseen" for="text">${say("search.for")}</label>
<input type="search" id="text" name="text" value="${text}" placeholder="${say("search.placeholder")}" autocomplete="off" autofocus><button class="main">${say("layout.search")}</button></form>
<div id="results" role="status">${text.trim() === "" ? html`<p class="quiet">${say("search.hint")}</p>` : found(text, results)}</div>`,
    scripts: ["search"],
  };
}

function found(text: string, results: SearchResults): Markup {
  const { items, hasMoreItems, ...others } = results;
  const groups = [
    [say("word.projects"), others.projects],
    [say("search.people"), others.people],
    [say("layout.edits"), others.edits],
    [say("search.settings"), others.settings],
  ] as const;
  const shown = groups.filter(([, entries]) => entries.length > 0);
  if (items.length === 0 && shown.length === 0) {
    return emptyState(
      say("search.nothing"),
      sayHtml("search.nothingText", { text: html`<q><bdi>${text}</bdi></q>` }),
    );
  }
  return html`${items.length === 0 ? null : card({ title: say("word.items"), body: itemTable(results), footer: hasMoreItems ? say("search.more") : null })}${shown.map(
    ([title, entries]) =>
      card({
        title,
        body: html`<ul class="plain">${entries.map(
          ({ name, about, url }) =>
            html`<li><a href="${url}"><bdi>${name}</bdi></a> <span class="quiet small">${about}</span></li>`,
        )}</ul>`,
      }),
  )}`;
}

const itemTable = ({ items }: SearchResults): Markup =>
  table({
    caption: say("search.itemsFound"),
    columns: [say("word.title"), say("word.when"), say("word.project")],
    rows: items.map(({ title, kind, url, when, project, completed }) => [
      html`<a href="${url}"><bdi>${title}</bdi></a> ${kind === "event" ? null : badge(say(`kind.${kind}`))} ${completed ? badge(say("badge.done"), "good") : null}`,
      when ?? say("word.noDate"),
      html`<bdi>${project}</bdi>`,
    ]),
  });
