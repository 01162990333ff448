import { unreachable } from "../../domain/result.ts";
import type { Narrowing } from "../../operations/report-operations.ts";
import { cellText, isNumeric, localTimes } from "../../reports/formats/cell-text.ts";
import { type Format, formats } from "../../reports/formats/format.ts";
import {
  type Cell,
  type Column,
  type FilterName,
  type Named,
  type Report,
  reportGroups,
} from "../../reports/report.ts";
import type { ReportChoices } from "../../reports/report-choices.ts";
import type { ReportPage } from "../../reports/report-page.ts";
import { say } from "../../texts/say.ts";
import {
  card,
  emptyState,
  field,
  folded,
  hiddenInputs,
  linkButton,
  notice,
  optionsOf,
  selectField,
  table,
} from "./components.ts";
import type { Page } from "./layout.ts";
import { html, Markup, type TemplatePart } from "./markup-template.ts";

/** Every report with the question it answers. */
export function reportListPage(reports: readonly Report[], root: string): Page {
  const body = reportGroups.map((group) =>
    card({
      title: say(`reportGroup.${group}`),
      body: html`<ul class="plain-list">${reports
        .filter((report) => report.group === group)
        .map(
          ({ name }) =>
            html`<li><a class="title" href="${root}reports/${name}">${say(`report.${name}`)}</a><p class="quiet">${say(`reportQuestion.${name}`)}</p></li>\n`,
        )}</ul>`,
    }),
  );
  return {
    title: say("layout.reports"),
    current: "reports",
    lead: say("reports.lead"),
    body: html`<div class="cards">${body}</div>`,
  };
}

/** The content of a report's page: its rows, or why there are none. */
interface ReportPageData {
  readonly report: Report;
  /** Relative URL of the start page. */
  readonly root: string;
  /** Its filters as entered. */
  readonly given: ReadonlyMap<Narrowing, string>;
  readonly choices: ReportChoices;
  readonly shown?: ReportPage;
  /** The error of the input. */
  readonly problem?: string;
}

/** One report: filters, chart, rows, and downloads. */
export function reportPage(data: ReportPageData): Page {
  const { report, root, shown, problem } = data;
  return {
    title: say(`report.${report.name}`),
    current: "reports",
    lead: html`${say(`reportAbout.${report.name}`)} <a href="${root}reports">${say("reports.all")}</a>`,
    body: html`${filterCard(data)}
${
  problem === undefined
    ? null
    : notice(
        "bad",
        problem.split("\n").map((line) => html`<p>${line}</p>`),
      )
}
${shown ? [chartOf(shown), rowsCard(data, shown), downloads(data)] : null}`,
  };
}

/** URL of a report. */
const addressOf = ({ report, root }: Pick<ReportPageData, "report" | "root">): string =>
  `${root}reports/${report.name}`;

function filterCard(data: ReportPageData): Markup {
  const { report, given, choices, problem } = data;
  const address = addressOf(data);
  const fields = report.takes.map((filter) => filterFields(filter, { given, choices }));
  const form = html`<form method="get" action="${address}" class="report-filters">
<div class="fields">${fields}${field({
    name: "limit",
    label: say("reports.maxRows"),
    type: "number",
    value: given.get("limit") ?? "",
  })}</div>
<div class="row"><button class="main">${say("action.show")}</button>${given.size > 0 ? linkButton(say("reports.clear"), address) : null}</div></form>`;
  const summary =
    given.size > 0 ? say("reports.filtersCount", { count: given.size }) : say("reports.filters");
  return card({
    title: null,
    body: folded(summary, form, { open: given.size > 0 || problem !== undefined }),
  });
}

function filterFields(
  filter: FilterName,
  { given, choices }: Pick<ReportPageData, "given" | "choices">,
): TemplatePart {
  const said = (name: Narrowing) => given.get(name) ?? "";
  switch (filter) {
    case "project":
    case "person":
    case "label":
      return choiceField(filter, said(filter), choices[filter]);
    case "dates":
      return [
        dateField("from", say("word.from"), said("from")),
        dateField("to", say("reports.to"), said("to")),
      ];
    case "since":
      return field({
        name: "since",
        label: say("word.since"),
        value: said("since"),
        hint: say("reports.sinceHint"),
      });
    case "as-of":
      return dateField("as-of", say("reports.asOf"), said("as-of"));
    default:
      return unreachable(filter);
  }
}

/** A name in a URL selects its entry; an unknown one stays as entered, so that it can be corrected. */
function choiceField(name: keyof ReportChoices, said: string, all: readonly Named[]): Markup {
  const label = say(name === "project" ? "word.project" : `reports.${name}`);
  const wanted = said.toLowerCase();
  const chosen =
    all.find(({ id }) => String(id) === said) ??
    all.find((one) => one.name.toLowerCase() === wanted);
  const value = chosen ? String(chosen.id) : said;
  return selectField({
    name,
    label,
    value,
    choices: [
      { value: "", label: say("reports.allChoice") },
      ...optionsOf(all),
      ...(chosen || said === "" ? [] : [{ value: said, label: said }]),
    ],
  });
}

/** A moment within a day can be given in the URL, and is shown as written. */
const dateField = (name: "from" | "to" | "as-of", label: string, value: string): Markup =>
  field({ name, label, value, type: /^(\d{4}-\d{2}-\d{2})?$/.test(value) ? "date" : "text" });

/** On the first page only, as it covers all rows. */
const chartOf = ({ chart, page }: ReportPage): Markup | null =>
  chart === null || page > 1
    ? null
    : html`<section class="card chart" tabindex="0" aria-label="${say("reports.chart")}">${new Markup(chart)}</section>`;

const openRows = 20;

function rowsCard(data: ReportPageData, shown: ReportPage): Markup {
  const { root } = data;
  const { rows, items, before, total, pages, zone, notes, subtitle } = shown;
  const footer = html`${notes.map((note) => html`<p>${note}</p>`)}<p>${subtitle}</p>`;
  const cell = cellMarkup(zone, root);
  const columns = [...shown.columns.entries()]
    .map(([nth, column]) => ({ nth, ...column }))
    .filter(({ key }) => !isForPrograms(key));
  const texts = rows.map((row, nth) =>
    columns.map((column) => {
      const text = cell(row[column.nth] ?? null, column);
      const item = items[nth] ?? null;
      return item !== null && isTitle(column.key)
        ? html`<a href="${root}calendar/items/${item}">${text}</a>`
        : text;
    }),
  );
  const heads = columns.map(({ title, type }) => ({ title, isNumber: isNumeric(type) }));
  const part = (from: number, to?: number) => {
    const own = texts.slice(from, to);
    const range = { first: before + from + 1, last: before + from + own.length };
    const caption = say("reports.rowRange", { title: shown.title, ...range });
    return table({ caption, columns: heads, rows: own });
  };
  const rest = rows.length - openRows;
  const body =
    total === 0
      ? nothing(data)
      : [
          part(0, openRows),
          rest > 0 ? folded(say("reports.moreRows", { count: rest }), part(openRows)) : null,
          pages > 1 ? pager(data, shown) : null,
        ];
  const count = say("reports.rows", { count: total });
  const range =
    pages > 1
      ? say("reports.rangeOf", { first: before + 1, last: before + rows.length, rows: count })
      : count;
  return card({
    title: say("reports.table"),
    id: "rows",
    aside: total === 0 ? null : html`<span class="quiet">${range}</span>`,
    body,
    footer,
  });
}

/** Ids for programs, which are in downloads; pages show names. An edit's own id is a link. */
const isForPrograms = (key: string): boolean => key !== "edit_id" && /^(?:id|uid)$|_id$/.test(key);

/** Columns with names of items, which link to their pages. */
const isTitle = (key: string): boolean => key === "title";

/** Formats cells like the reports' own formats; instants can be converted to the browser's zone. */
function cellMarkup(zone: string, root: string) {
  const textOf = cellText(localTimes(zone));
  return (cell: Cell, column: Omit<Column, "title">): TemplatePart => {
    const { key, type } = column;
    const said = textOf(cell, column);
    if (key === "edit_id" && said !== "") return html`<a href="${root}edits/${said}">${said}</a>`;
    if (type === "flag") return said === "" ? "" : say("value.yes");
    if (type === "date") return said === "" ? "" : html`<span class="nowrap">${said}</span>`;
    if (type === "text") return said === "" ? "" : html`<bdi>${said}</bdi>`;
    return type === "instant" && said !== String(cell ?? "")
      ? html`<time class="nowrap" datetime="${cell}" data-form="day">${said}</time>`
      : said;
  };
}

function nothing(data: ReportPageData): Markup {
  return data.given.size > 0
    ? emptyState(
        say("reports.noResults"),
        say("reports.noResultsText"),
        linkButton(say("reports.showWhole"), addressOf(data)),
      )
    : emptyState(say("reports.noData"), say("reports.noDataText"));
}

function pager(data: ReportPageData, { page, pages }: ReportPage): Markup {
  const { given } = data;
  const address = addressOf(data);
  const to = (number: number) =>
    `${address}?${new URLSearchParams([...given, ["page", String(number)]]).toString()}#rows`;
  return html`<nav class="row pager" aria-label="${say("reports.pagesLabel")}">${
    page > 1 ? linkButton(say("reports.previous"), to(page - 1)) : null
  }${page < pages ? linkButton(say("reports.next"), to(page + 1)) : null}<form method="get" action="${address}#rows" class="row">${hiddenInputs([...given])}<label for="page">${say("reports.page")}</label><input id="page" name="page" type="number" min="1" max="${pages}" value="${page}"><span>${say("reports.ofPages", { pages })}</span><button>${say("reports.go")}</button></form></nav>`;
}

function downloads(data: ReportPageData): Markup {
  const links = formats.map((format) => {
    const query = new URLSearchParams([...data.given, ["format", format]]).toString();
    return linkButton(formatNames[format](), `${addressOf(data)}/download?${query}`);
  });
  return card({
    title: say("reports.download"),
    body: html`<p class="quiet">${say("reports.allMatching")}</p><div class="row">${links}</div>`,
  });
}

const formatNames: Readonly<Record<Format, () => string>> = {
  csv: () => say("reports.csv"),
  json: () => say("reports.json"),
  md: () => "Markdown",
  html: () => say("reports.htmlPage"),
  table: () => say("reports.plainText"),
};
