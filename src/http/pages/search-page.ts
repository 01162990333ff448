import type { SearchResults } from "../../operations/search-operations.ts";
import { badge, card, emptyState, table } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** Search results; the page is beside the start page. */
export function searchPage(text: string, results: SearchResults): Page {
  return {
    title: "Search",
    body: html`<form method="get" action="search" class="search" role="search"><label class="unseen" for="text">Search for</label>
<input type="search" id="text" name="text" value="${text}" placeholder="Words, or their beginnings" autocomplete="off" autofocus><button class="main">Search</button></form>
<div id="results" role="status">${text.trim() === "" ? hint : found(text, results)}</div>`,
    scripts: ["search"],
  };
}

const hint = html`<p class="quiet">Finds items, projects, people and edits, and settings for an administrator.</p>`;

function found(text: string, results: SearchResults): Markup {
  const { items, hasMoreItems, ...others } = results;
  const groups = [
    ["Projects", others.projects],
    ["People", others.people],
    ["Edits", others.edits],
    ["Settings", others.settings],
  ] as const;
  const shown = groups.filter(([, entries]) => entries.length > 0);
  if (items.length === 0 && shown.length === 0) {
    return emptyState({
      title: "Nothing found",
      text: html`Nothing that you can see contains <q><bdi>${text}</bdi></q>. Try fewer or shorter words.`,
    });
  }
  return html`${items.length === 0 ? null : card({ title: "Items", body: itemTable(results), footer: hasMoreItems ? "There are more: add a word to narrow the search." : null })}${shown.map(
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
    caption: "Items found",
    columns: [{ title: "Title" }, { title: "When" }, { title: "Project" }],
    rows: items.map(({ title, kind, url, when, project, completed }) => [
      html`<a href="${url}"><bdi>${title}</bdi></a> ${kind === "event" ? null : badge(kind)} ${completed ? badge("done", "good") : null}`,
      when ?? "no date",
      html`<bdi>${project}</bdi>`,
    ]),
  });
