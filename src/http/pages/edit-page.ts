import { asSentence } from "../../domain/text.ts";
import type { EditDescription, EditStory } from "../../edits/actions/describe.ts";
import type { ResolutionPreview } from "../../edits/actions/resolution-preview.ts";
import type { UndoPreview } from "../../edits/actions/undo-preview.ts";
import { say } from "../../texts/say.ts";
import {
  badge,
  button,
  card,
  facts,
  hiddenInputs,
  linkButton,
  notice,
  postForm,
  table,
} from "./components.ts";
import { spoken, stateBadge, timeTag, wayButton } from "./edit-parts.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

interface EditPageOptions extends FormFrame {
  /** The item, if it is shown. */
  readonly itemKey: number | null;
  /** True if the viewer may approve held edits. */
  readonly mayApprove: boolean;
  /** True if the decided state has changed since, so that it is shown again. */
  readonly isAnew?: boolean;
  /** The error of the decision. */
  readonly problem?: string | null;
}

/** One edit: its changes, choices, actions and history. `/edits/ID`. */
export function editPage(edit: EditStory, options: EditPageOptions): Page {
  const { id, words, item } = edit;
  const { isAnew = false, problem = null, root, itemKey } = options;
  return {
    title: item.title,
    current: "edits",
    lead: sayHtml("editPage.lead", { id, sentence: spoken(words.sentence) }),
    actions: html`${itemKey === null ? null : linkButton(say("editPage.openItem"), `${root}calendar/items/${itemKey}`)} ${linkButton(say("today.allEdits"), `${root}edits`)}`,
    scripts: [say("edit.conflict")],
    body: html`${isAnew ? notice("wait", say("editPage.isNew")) : null}
${problem === null ? null : notice("bad", asSentence(problem))}
<section id="edit" class="stack" data-live="edits">${edit.choice ? choiceCard(edit, options) : wayCard(edit, options)}
${changeCard(edit, options)}
${seriesCard(edit, options)}
${storyCard(edit, options)}</section>`,
  };
}

/** Its changes by field; for a creation the new item. */
function changeCard(
  { words, action, item, extras, problem, replaced, choice, undoes }: EditStory,
  { root }: EditPageOptions,
): Markup {
  const isNew = action === "create";
  const rows = words.changes.map(({ name, from, to }) =>
    isNew ? [name, bdi(to)] : [name, bdi(from), bdi(to)],
  );
  const columns = isNew
    ? [say("word.field"), say("editPage.value")]
    : [say("word.field"), say("editPage.before"), say("editPage.after")];
  return card({
    title: say("editPage.changes"),
    body: html`${facts([
      [say("editPage.item"), html`${say(`kind.${item.kind}`)} <bdi>${item.title}</bdi>`],
      [say("word.project"), bdi(item.project.title)],
      [
        say("editPage.undoes"),
        undoes === null
          ? null
          : html`<a href="${root}edits/${undoes}">${say("editPage.edit", { id: undoes })}</a>`,
      ],
      [say("status.problem"), choice === null && problem !== null ? bdi(problem) : null],
      [say("editPage.replacedValues"), replaced === null ? null : bdi(replaced)],
    ])}
${rows.length > 0 ? table({ caption: say("editPage.changes"), columns, rows }) : null}
${
  extras.length > 0
    ? html`<ul>${extras.map(({ name, what, state }) => html`<li><bdi>${name}</bdi>: ${what} (${state})</li>`)}</ul>`
    : null
}`,
  });
}

const bdi = (text: string): Markup => html`<bdi>${text}</bdi>`;

/** Actions of an edit without a choice; each button says what it does. */
function wayCard(
  edit: EditDescription,
  { formToken, root, mayApprove }: EditPageOptions,
): Markup | null {
  const here = `${root}edits/${edit.id}`;
  const ways = edit.ways.filter(({ act }) => mayApprove || act !== "approve");
  if (ways.length === 0) return null;
  return card({
    title: edit.state === "confirmed" ? null : say("editPage.actions"),
    body: html`${ways.map((way) =>
      way.act === "undo"
        ? html`<div class="way">${linkButton(way.label, `${here}/undo`)}<p class="hint">${asSentence(way.does)}</p></div>`
        : postForm({ action: `${here}/${way.act}`, formToken }, wayButton(way, { edit })),
    )}`,
  });
}

/** All edits made from one repeating item are undone together. */
function seriesCard({ id, series, state }: EditStory, frame: FormFrame): Markup | null {
  const isOver = state === "discarded" || state === "undone";
  if (series.length === 0 || isOver) return null;
  const count = series.length;
  return card({
    title: say("editPage.series"),
    body: html`<p>${say("editPage.seriesOf", { count })}</p>${seriesUndoForm({ id, count }, frame)}`,
  });
}

/** A button that undoes all edits of a repeating item. */
export const seriesUndoForm = (
  { id, count }: { readonly id: number; readonly count: number },
  { root, formToken }: FormFrame,
): Markup =>
  postForm(
    { action: `${root}edits/${id}/undo-series`, formToken },
    button(say("editPage.undoSeries", { count })),
  );

function choiceCard(edit: EditDescription, options: EditPageOptions): Markup {
  const { id, choice, ways } = edit;
  const { formToken, root } = options;
  const here = `${root}edits/${id}`;
  const does = (act: string) => ways.find((way) => way.act === act);
  const quick = (["keep-mine", "keep-theirs"] as const).flatMap((act) => {
    const way = does(act);
    if (!way || !choice) return [];
    return [
      postForm(
        { action: `${here}/preview`, formToken },
        html`<input type="hidden" name="version" value="${choice.version}"><input type="hidden" name="keep" value="${act === "keep-mine" ? "mine" : "theirs"}">
<div class="way">${button(`${way.label}…`)}<p class="hint">${asSentence(way.does)} ${say("editPage.seeFirst")}</p></div>`,
      ),
    ];
  });
  const discard = does("discard");
  const drop =
    discard && postForm({ action: `${here}/discard`, formToken }, wayButton(discard, { edit }));
  return card({
    title: choiceTitle(edit),
    aside: badge(say("edit.conflict"), "wait"),
    id: "choice",
    body: html`${choice?.kind === "fields" ? fieldForm(edit, options) : newsTable(edit)}
<div id="preview" role="status"></div>
<h3>${choice?.kind === "fields" ? say("editPage.allFields") : say("editPage.resolve")}</h3>
${quick}${drop ?? null}`,
  });
}

function choiceTitle({ choice }: EditDescription): string {
  if (choice?.kind === "deletion") return say("editPage.conflictDeletion");
  if (choice?.kind === "revival") return say("editPage.conflictRevival");
  return choice?.fields.length === 0 ? say("editPage.noConflict") : say("editPage.conflictFields");
}

/** What someone else changed in an item to be deleted. */
function newsTable({ choice }: EditDescription): Markup | null {
  if (!choice || choice.fields.length === 0) return null;
  return table({
    caption: say("editPage.othersChanges"),
    columns: [say("word.field"), say("editPage.before"), say("editPage.nowInWorkspace")],
    rows: choice.fields.map(({ name, before, theirs }) => [name, bdi(before), bdi(theirs)]),
  });
}

/**
 * Shows each field side by side: as it was, in the service, and in the edit. The person chooses one of them; texts can be
 * combined.
 */
function fieldForm(
  { id, choice, words }: EditDescription,
  { formToken, root, zone }: FormFrame,
): Markup | null {
  if (!choice || choice.fields.length === 0) return null;
  const { changed } = choice;
  const theirs = html`${say("editPage.inService")}${
    changed &&
    html`<span class="quiet small">${changed.by === null ? null : html`<bdi>${changed.by}</bdi>, `}${timeTag(changed.at, zone)}</span>`
  }`;
  const mine = html`<span>${sayHtml("editPage.editOf", { who: html`<bdi>${words.who}</bdi>` })}</span>${words.by === null ? null : html`<span class="quiet small">${words.by}</span>`}`;
  const fields = choice.fields.map((one) => {
    const { field, name, before, texts } = one;
    const radio = (value: string, label: Markup | string, said: Markup) =>
      side(field, value, html`<span class="head-of-side">${label}</span>${said}`);
    const combined =
      texts &&
      html`<div class="sides">${radio("text", say("way.combine"), html`<span class="quiet small">${say("editPage.enterBelow")}</span>`)}</div>
<label class="unseen" for="text-${field}">${say("editPage.combined", { field: name })}</label>${
        field === "title"
          ? html`<input id="text-${field}" name="text-${field}" value="${`${texts.theirs} / ${texts.mine}`}" maxlength="500">`
          : html`<textarea id="text-${field}" name="text-${field}" rows="6">\n${[texts.theirs, texts.mine].filter((text) => text !== "").join("\n\n")}</textarea>`
      }`;
    return html`<fieldset class="clash"><legend>${name}</legend>
<div class="sides"><div class="side was"><span class="head-of-side">${say("editPage.before")}</span>${bdi(before)}</div>
${radio("theirs", theirs, bdi(one.theirs))}
${radio("mine", mine, bdi(one.mine))}</div>${combined}</fieldset>`;
  });
  const besides =
    choice.besides.length === 0
      ? null
      : html`<p>${sayHtml("editPage.besides", {
          changes: html`${choice.besides.map(
            ({ name, to }, index) => html`${index > 0 ? "; " : ""}${name} <bdi>${to}</bdi>`,
          )}`,
        })}</p>`;
  return html`${postForm(
    { action: `${root}edits/${id}/preview`, formToken },
    html`<input type="hidden" name="version" value="${choice.version}">${fields}${besides}
<p>${button(say("action.preview"), { tone: "main" })}</p>`,
  )}`;
}

const side = (field: string, value: string, label: Markup): Markup =>
  html`<div class="side"><input type="radio" name="pick-${field}" id="pick-${field}-${value}" value="${value}" required><label for="pick-${field}-${value}">${label}</label></div>`;

function storyCard(edit: EditStory, { zone }: EditPageOptions): Markup {
  const { story } = edit;
  const steps = story.map(({ at, until, times, what }) => {
    const again =
      until === null
        ? null
        : html` <span class="quiet">${sayHtml("editPage.times", { count: times, at: timeTag(until, zone) })}</span>`;
    return html`<li><span class="quiet small">${timeTag(at, zone)}<span class="clock">${secondsOf(at, zone)}</span></span><p><bdi>${what}</bdi>${again}</p></li>`;
  });
  return card({
    title: say("editPage.history"),
    aside: stateBadge(edit),
    body: html`<ol class="plain-list story">${steps}</ol>`,
  });
}

/** With seconds, which distinguish the steps. */
const secondsOf = (at: Temporal.Instant, zone: string): string =>
  `:${at.toZonedDateTimeISO(zone).toPlainTime().toString({ smallestUnit: "millisecond" }).slice(6, 10)}`;

interface PreviewPageData {
  readonly preview: ResolutionPreview;
  /** The decision's form fields. */
  readonly carried: readonly (readonly [string, string])[];
}

/** The effect of a decision, with the button that carries it out. */
export function previewPage(
  edit: EditDescription,
  { preview, carried }: PreviewPageData,
  { formToken, root }: FormFrame,
): Page {
  const { kind, sentence: said, fields, losses } = preview;
  const here = `${root}edits/${edit.id}`;

  return {
    title: edit.item.title,
    current: "edits",
    lead: say("editPage.previewLead", { id: edit.id }),
    body: html`${card({
      title: said,
      body: html`${
        fields.length === 0
          ? null
          : table({
              caption: say("editPage.resultCaption"),
              columns: [
                say("word.field"),
                say("editPage.nowInWorkspace"),
                say("editPage.result"),
                say("word.from"),
              ],
              rows: fields.map(({ name, now, result, whose: of }) => [
                name,
                bdi(now),
                html`<strong><bdi>${result}</bdi></strong>`,
                say(`editPage.whose.${of}`),
              ]),
            })
      }
${
  losses.length === 0
    ? null
    : html`<h3>${say("editPage.replaced")}</h3><ul>${losses.map(
        ({ name, value, whose: of }) =>
          html`<li>${name} <bdi>${value}</bdi> (${say(`editPage.whose.${of}`)})</li>`,
      )}</ul><p class="quiet">${say("editPage.lossesKept")}</p>`
}
${postForm(
  { action: `${here}/resolve`, formToken, inRow: true },
  html`${hiddenInputs(carried)}${button(say(`editPage.confirm.${kind}`), { tone: kind === "deletes" ? "bad" : "main" })}${linkButton(say("editPage.backOtherwise"), here)}`,
)}`,
    })}`,
  };
}

interface UndoPageData {
  readonly edit: EditDescription;
  readonly preview: UndoPreview;
  /** True if the decided state has changed since, so that it is shown again. */
  readonly isAnew: boolean;
}

/** What an undo would restore, what has changed since, and the button: `/edits/ID/undo`. */
export function undoPage(
  { edit, preview, isAnew }: UndoPageData,
  { formToken, root }: FormFrame,
): Page {
  const here = `${root}edits/${edit.id}`;
  return {
    title: say("editPage.undoTitle", { title: edit.item.title }),
    current: "edits",
    lead: sayHtml("editPage.lead", { id: edit.id, sentence: spoken(edit.words.sentence) }),
    body: html`${isAnew ? notice("wait", say("editPage.isNew")) : null}
${card({
  title: preview.kind === "possible" ? preview.sentence : say("editPage.cannotUndo"),
  body:
    preview.kind === "impossible"
      ? html`<p>${asSentence(preview.reason)}</p><p>${linkButton(say("editPage.backToEdit"), here)}</p>`
      : undoBody(preview, { here, formToken }),
})}`,
  };
}

type PossibleUndo = Extract<UndoPreview, { kind: "possible" }>;

/** A later change is overwritten only if chosen. */
function undoPick(
  { field, name, now }: PossibleUndo["changedSince"][number],
  fields: PossibleUndo["fields"],
): Markup {
  const back = fields.find((each) => each.name === name)?.back ?? "";
  const radio = (value: string, label: string, said: string) =>
    side(field, value, html`<strong>${label}</strong><br>${bdi(said)}`);
  return html`<fieldset class="clash"><legend>${name}</legend>
<div class="sides">${radio("leave", say("editPage.keep"), now)}${radio("back", say("editPage.restoreAnyway"), back)}</div></fieldset>`;
}

function undoBody(
  { fields, changedSince, loss, version }: PossibleUndo,
  { here, formToken }: { readonly here: string; readonly formToken: string },
): Markup {
  const picks = fields.length === 0 ? [] : changedSince;
  return html`${
    fields.length === 0
      ? null
      : table({
          caption: say("editPage.restoredFields"),
          columns: [say("word.field"), say("word.now"), say("editPage.restored")],
          rows: fields.map(({ name, now, back }) => [name, bdi(now), bdi(back)]),
        })
  }
${
  changedSince.length === 0
    ? html`<p>${say("editPage.noChangesSince")}</p>`
    : notice(
        "wait",
        html`<p>${say("editPage.changedSince")}</p><ul>${changedSince.map(
          ({ name, was, now, by }) =>
            html`<li>${name}: <bdi>${was}</bdi> → <bdi>${now}</bdi>${by === null ? null : sayHtml("editPage.byWhom", { who: html`<bdi>${by}</bdi>` })}</li>`,
        )}</ul>${picks.length > 0 ? null : html`<p>${say("editPage.asksOther")}</p>`}`,
      )
}
${loss === null ? null : notice("wait", asSentence(loss))}
${postForm(
  { action: `${here}/undo`, formToken, inRow: picks.length === 0 },
  html`<input type="hidden" name="version" value="${version}">${picks.map((change) => undoPick(change, fields))}${button(say("action.undo"), { tone: "main" })}${linkButton(say("action.back"), here)}`,
)}`;
}
