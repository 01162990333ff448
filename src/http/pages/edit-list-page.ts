import { channels, editStates } from "../../domain/edit.ts";
import { asSentence } from "../../domain/text.ts";
import { enumerated } from "../../domain/wording.ts";
import type { EditDescription } from "../../edits/actions/describe.ts";
import type { EditQuery } from "../../edits/actions/edit-query.ts";
import { editStateLabel } from "../../edits/actions/state-labels.ts";
import { say } from "../../texts/say.ts";
import {
  badge,
  button,
  card,
  emptyState,
  field,
  folded,
  linkButton,
  notice,
  optionsOf,
  postForm,
  selectField,
  table,
  tabs,
} from "./components.ts";
import { spoken, stateBadge, timeTag } from "./edit-parts.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Held removals with the items concerned. */
export interface HeldRemovals {
  readonly source: string;
  /** The place in words. */
  readonly where: string;
  readonly missing: number;
  readonly total: number;
  /** True if the removals wait for a person's decision. */
  readonly asks: boolean;
  /** Titles of the first items concerned. */
  readonly titles: readonly string[];
}

export interface EditListData extends FormFrame {
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
}

/** Visible edits, newest first, with a filter: `/edits`. */
export function editListPage(data: EditListData): Page {
  const { query, problem, removals, formToken } = data;
  return {
    title: say("layout.edits"),
    current: "edits",
    lead: say("edits.lead"),
    actions: linkButton(say("edits.apply"), "edits/file"),
    body: html`${removals.map((held) => removalCard(held, formToken))}
${tabs(say("edits.byState"), stateTabs(query))}
${filterForm(data)}
${problem === null ? null : notice("bad", asSentence(problem))}
<section id="edits" data-live="edits">${list(data)}</section>`,
  };
}

const tabStates = [
  ["", "edits.tab.all"],
  ["waiting", "edits.tab.waiting"],
  ["under-way", "edits.tab.under-way"],
] as const;

function stateTabs(query: EditQuery) {
  return tabStates.map(([state, label]) => ({
    label: say(label),
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

/** Filters are a plain GET form, whose URL can be bookmarked. */
function filterForm({ query, people, projects }: EditListData): Markup {
  const all = { value: "", label: say("edits.all") };
  const some = [query.person, query.project, query.channel, query.item, query.since];
  const isNarrowed = some.some((value) => (value ?? "") !== "");
  const ids = (entries: readonly Named[]) => [all, ...optionsOf(entries)];
  const account = { value: "account", label: say("edits.theAccount") };
  const [first = all, ...others] = ids(people);
  const state = query.state ?? "";
  const isKnown = [...tabStates.map(([known]) => known), ...editStates].some(
    (known) => known === state,
  );
  const body = html`<form method="get" action="edits" class="row narrowing">
${selectField({
  name: "state",
  label: say("word.state"),
  value: state,
  choices: [
    ...tabStates.map(([value, label]) => ({
      value,
      label: say(value === "" ? "edits.all" : label),
    })),
    ...editStates.map((value) => ({ value, label: editStateLabel(value) })),
    ...(isKnown ? [] : [{ value: state, label: state }]),
  ],
})}
${
  people.length === 0
    ? null
    : selectField({
        name: "person",
        label: say("edits.by"),
        value: query.person ?? "",
        choices: [first, account, ...others],
      })
}
${selectField({ name: "project", label: say("word.project"), value: query.project ?? "", choices: ids(projects) })}
${selectField({
  name: "channel",
  label: say("edits.cameBy"),
  value: query.channel ?? "",
  choices: [all, ...channels.map((value) => ({ value, label: say(`edits.from.${value}`) }))],
})}
${field({ name: "item", label: say("edits.titleOrUid"), type: "search", value: query.item ?? "" })}
${field({ name: "since", label: say("word.since"), type: "date", value: query.since ?? "" })}
<button>${say("action.show")}</button>${isNarrowed ? html` <a href="edits">${say("edits.showAllLink")}</a>` : null}
</form>`;
  return folded(say("action.filter"), body, { open: isNarrowed });
}

function list({ edits, query, olderThan, zone }: EditListData): Markup {
  if (edits.length === 0) {
    const isAll = addressOf({ ...query, before: undefined }) === "edits";
    return isAll
      ? emptyState(
          say("edits.none"),
          say("edits.noneText"),
          linkButton(say("edits.apply"), "edits/file"),
        )
      : emptyState(
          say("edits.noMatch"),
          say("edits.noMatchText"),
          linkButton(say("edits.showAll"), "edits"),
        );
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
      : linkButton(say("edits.older"), addressOf({ ...query, before: String(olderThan) }));
  const newer =
    (query.before ?? "") === ""
      ? null
      : linkButton(say("edits.newest"), addressOf({ ...query, before: undefined }));
  return card({
    title: null,
    body: table({
      caption: say("edits.caption"),
      columns: [say("edits.edit"), say("layout.status"), say("edits.how"), say("word.when")],
      rows,
    }),
    footer: older || newer ? html`<div class="row">${newer}${older}</div>` : null,
  });
}

function removalCard(held: HeldRemovals, formToken: string): Markup {
  const { source, where, missing, total, asks, titles } = held;
  const more = missing - titles.length;
  return card({
    title: say("edits.disappeared", { missing, total, where }),
    aside: badge(say("edits.onHold"), "wait"),
    body: html`<p>${asks ? say("edits.askAgree") : say("edits.selfConfirm")}</p>
${folded(
  say("edits.wouldRemove"),
  html`<ul>${titles.map((title) => html`<li><bdi>${title}</bdi></li>`)}</ul>${more > 0 ? html`<p class="quiet">${say("ask.andMore", { count: more })}</p>` : null}`,
)}
${
  asks
    ? postForm(
        { action: "edits/removals/release", formToken, inRow: true },
        html`<input type="hidden" name="source" value="${source}">${button(say("action.removeThem"), { tone: "bad" })}`,
      )
    : null
}`,
  });
}
