import { channels } from "../../domain/edit.ts";
import { enumerated } from "../../domain/wording.ts";
import type { EditDescription } from "../../edits/actions/describe.ts";
import type { EditQuery } from "../../edits/actions/edit-query.ts";
import { editStateLabels } from "../../edits/actions/state-labels.ts";
import {
  badge,
  button,
  card,
  emptyState,
  field,
  folded,
  linkButton,
  notice,
  postForm,
  selectField,
  table,
  tabs,
} from "./components.ts";
import { spoken, stateBadge, timeTag } from "./edit-parts.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Held removals with the items concerned. */
export interface HeldRemovals {
  readonly source: string;
  /** Where that is, in words. */
  readonly where: string;
  readonly missing: number;
  readonly total: number;
  /** True if nothing is removed before a person agrees. */
  readonly asks: boolean;
  /** Titles of the first items concerned. */
  readonly titles: readonly string[];
}

export interface EditListData {
  readonly edits: readonly EditDescription[];
  readonly query: EditQuery;
  /** The invalid part of the filter. */
  readonly problem: string | null;
  /** Id of the last one shown, if there are older ones. */
  readonly olderThan: number | null;
  /** Empty if a person only sees their own edits. */
  readonly people: readonly Named[];
  readonly projects: readonly Named[];
  readonly removals: readonly HeldRemovals[];
  readonly zone: string;
  readonly formToken: string;
}

/** Visible edits, newest first, with a filter: `/edits`. */
export function editListPage(data: EditListData): Page {
  const { query, problem, removals, formToken } = data;
  return {
    title: "Edits",
    current: "edits",
    lead: "Changes from calendars, files and this site, and their status.",
    actions: linkButton("Apply a calendar file…", "edits/file"),
    body: html`${removals.map((held) => removalCard(held, formToken))}
${tabs("Edits by state", stateTabs(query))}
${filterForm(data)}
${problem === null ? null : notice("bad", problem)}
<section id="edits" data-live="edits">${list(data)}</section>`,
  };
}

const tabWords = [
  ["", "All"],
  ["waiting", "Waiting for a decision"],
  ["under-way", "Pending"],
] as const;

function stateTabs(query: EditQuery) {
  return tabWords.map(([state, label]) => ({
    label,
    href: addressOf({ ...query, state, before: undefined }),
    isCurrent: (query.state ?? "") === state,
  }));
}

/** The URL of a list, relative to the start page. */
function addressOf(query: EditQuery): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === "string" && value !== "") params.set(name, value);
  }
  return params.size > 0 ? `edits?${params.toString()}` : "edits";
}

const channelWords: Readonly<Record<(typeof channels)[number], string>> = {
  upload: "an upload",
  cli: "the command line",
  inbox: "the watched folder",
  subscription: "a subscribed calendar",
  link: "a link",
  caldav: "a calendar program",
  dashboard: "these pages",
};

/** Filters are a plain GET form, whose URL can be bookmarked. */
function filterForm({ query, people, projects }: EditListData): Markup {
  const all = { value: "", label: "all" };
  const some = [query.person, query.project, query.channel, query.item, query.since];
  const isNarrowed = some.some((value) => (value ?? "") !== "");
  const ids = (entries: readonly Named[]) => [
    all,
    ...entries.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  const account = { value: "account", label: "the account" };
  const [first = all, ...others] = ids(people);
  const state = query.state ?? "";
  const isTab = tabWords.some(([known]) => known === state);
  const body = html`<form method="get" action="edits" class="row narrowing">
${selectField({
  name: "state",
  label: "State",
  value: state,
  choices: [
    ...tabWords.map(([value, label]) => ({ value, label: value === "" ? "all" : label })),
    ...Object.entries(editStateLabels).map(([value, label]) => ({ value, label })),
    ...(isTab || Object.hasOwn(editStateLabels, state) ? [] : [{ value: state, label: state }]),
  ],
})}
${
  people.length === 0
    ? null
    : selectField({
        name: "person",
        label: "By",
        value: query.person ?? "",
        choices: [first, account, ...others],
      })
}
${selectField({ name: "project", label: "Project", value: query.project ?? "", choices: ids(projects) })}
${selectField({
  name: "channel",
  label: "Came in by",
  value: query.channel ?? "",
  choices: [all, ...channels.map((value) => ({ value, label: channelWords[value] }))],
})}
${field({ name: "item", label: "Title or UID", type: "search", value: query.item ?? "" })}
${field({ name: "since", label: "Since", type: "date", value: query.since ?? "" })}
<button>Show</button>${isNarrowed ? html` <a href="edits">Show all</a>` : null}
</form>`;
  return folded("Filter", body, { open: isNarrowed });
}

function list({ edits, query, olderThan, zone }: EditListData): Markup {
  if (edits.length === 0) {
    const isAll = addressOf({ ...query, before: undefined }) === "edits";
    return isAll
      ? emptyState({
          title: "No edits yet",
          text: "Change something in a connected calendar program, or apply a calendar file.",
          action: linkButton("Apply a calendar file…", "edits/file"),
        })
      : emptyState({
          title: "No matching edits",
          text: "Try other filters.",
          action: linkButton("Show all edits", "edits"),
        });
  }
  const rows = edits.map((edit) => {
    const { id, words, state, createdAt, problem, choice } = edit;
    const isTrouble = state === "parked" && choice === null && problem !== null;
    const fields = choice?.fields.map(({ name }) => name) ?? [];
    return [
      html`<a href="edits/${id}"><bdi>${words.who}</bdi> ${spoken(words.did)}</a>${isTrouble ? html`<p class="small"><bdi>${problem}</bdi></p>` : null}`,
      html`${stateBadge(edit)}${fields.length > 0 ? html` <span class="small">${enumerated(fields)}</span>` : null}`,
      words.by ?? "",
      html`<span class="nowrap">${timeTag(createdAt, zone)}</span>`,
    ];
  });
  const older =
    olderThan === null
      ? null
      : linkButton("Older edits", addressOf({ ...query, before: String(olderThan) }));
  const newer =
    (query.before ?? "") === ""
      ? null
      : linkButton("Newest edits", addressOf({ ...query, before: undefined }));
  return card({
    title: null,
    body: table({
      caption: "Edits, newest first",
      columns: [{ title: "Edit" }, { title: "Status" }, { title: "How" }, { title: "When" }],
      rows,
    }),
    footer: older || newer ? html`<div class="row">${newer}${older}</div>` : null,
  });
}

function removalCard(held: HeldRemovals, formToken: string): Markup {
  const { source, where, missing, total, asks, titles } = held;
  const more = missing - titles.length;
  return card({
    title: `${missing} of ${total} items disappeared at once in ${where}`,
    aside: badge("on hold", "wait"),
    body: html`<p>${
      asks
        ? "They are kept in all calendars until you agree: a fault of the service looks like this as well."
        : "They are kept in all calendars until the service has confirmed each of them by itself."
    }</p>
${folded(
  "What would be removed",
  html`<ul>${titles.map((title) => html`<li><bdi>${title}</bdi></li>`)}</ul>${more > 0 ? html`<p class="quiet">and ${more} more</p>` : null}`,
)}
${
  asks
    ? postForm(
        { action: "edits/removals/release", formToken, inRow: true },
        html`<input type="hidden" name="source" value="${source}">${button("Remove them", { tone: "bad" })}`,
      )
    : null
}`,
  });
}
