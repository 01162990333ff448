import { asSentence, capital } from "../../domain/text.ts";
import { type Acceptance, countEdits, type PlannedItem } from "../../edits/intake/plan-answer.ts";
import { say } from "../../texts/say.ts";
import {
  badge,
  button,
  card,
  hiddenInputs,
  linkButton,
  notice,
  optionsOf,
  selectField,
  type Tone,
} from "./components.ts";
import { seriesUndoForm } from "./edit-page.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** A place for the new items of a file. */
export interface FilePlaces {
  readonly projects: readonly { readonly id: number; readonly title: string }[];
  readonly lists: readonly {
    readonly id: number;
    readonly title: string;
    readonly project: string;
  }[];
}

interface FileFormOptions extends FormFrame {
  readonly places: FilePlaces;
  /** As entered. */
  readonly project?: string;
  readonly list?: string;
  readonly problem?: string | null;
}

/** Asks for a calendar file and a place for its new items: `/edits/file`. */
export function fileFormPage(options: FileFormOptions): Page {
  const { places, formToken, root, project = "", list = "", problem = null } = options;
  const body = html`${problem === null ? null : notice("bad", asSentence(problem))}
<form method="post" enctype="multipart/form-data" action="${root}edits/file" class="card">
<input type="hidden" name="form" value="${formToken}">
<div class="field"><label for="file">${say("file.calendarFile")}</label>
<input id="file" name="file" type="file" accept=".ics,text/calendar" required class="drop" aria-describedby="file-hint">
<p class="hint" id="file-hint">${say("file.hint")}</p></div>
${selectField({
  name: "project",
  label: say("file.projectOfNew"),
  value: project,
  choices: optionsOf(places.projects),
  hint: say("file.stay"),
})}
${selectField({
  name: "list",
  label: say("file.listOfNew"),
  value: list,
  choices: [
    { value: "", label: say("file.noList") },
    ...places.lists.map(({ id, title, project: of }) => ({
      value: String(id),
      label: `${of}: ${title}`,
    })),
  ],
})}
${button(say("action.preview"), { tone: "main" })}
</form>`;
  return {
    title: say("file.title"),
    current: "edits",
    lead: say("file.lead"),
    body,
  };
}

/** What a file would do, or has done, item by item. `carried`: the form that applies it; null once it was applied. */
export function filePlanPage(
  about: {
    readonly name: string;
    readonly acceptance: Acceptance;
    readonly carried: Readonly<Record<string, string>> | null;
  },
  frame: FormFrame,
): Page {
  const { name, acceptance, carried } = about;
  const { formToken, root } = frame;
  const again = linkButton(say("file.another"), `${root}edits/file`);
  if (acceptance.kind === "refused") {
    return {
      title: say("file.unreadable"),
      current: "edits",
      lead: html`<bdi>${name}</bdi>: ${say("file.nothingStored")}`,
      body: card({
        title: null,
        body: html`<ul>${acceptance.errors.map(({ line, message }) => html`<li>${lineOf(line)}<bdi>${asSentence(message)}</bdi></li>`)}</ul>`,
        footer: again,
      }),
    };
  }
  const { items, errors, more, sendingSeconds } = acceptance;
  const { unchanged, refused } = acceptance.summary;
  const wanted = countEdits(acceptance);
  const known = new Set(items.map(({ uid }) => uid));
  const others = errors.filter(({ uid }) => uid === null || !known.has(uid));
  const listed = items.filter(({ action }) => action !== "unchanged");
  const unlisted = wanted + refused - listed.length;
  const isDone = carried === null;
  const apply =
    carried && wanted > 0
      ? html`<form method="post" enctype="multipart/form-data" action="${root}edits/file/apply" class="row"><input type="hidden" name="form" value="${formToken}">${hiddenInputs(Object.entries(carried))}
${button(say("file.applyCount", { count: wanted }), { tone: "main" })}${again}</form>`
      : html`<div class="row">${linkButton(say("file.toEdits"), `${root}edits`, { isMain: isDone })}${again}</div>`;
  return {
    title: say(isDone ? "file.applied" : "file.wouldDo"),
    current: "edits",
    lead: html`<bdi>${name}</bdi>: ${summary({ wanted, unchanged, refused: refused + others.length + more.errors })}`,
    body: html`${card({
      title: null,
      body: html`<ul class="plain-list">${listed.map((item) => planItem(item, { root, isDone }))}${others.map(
        ({ line, message }) =>
          html`<li>${badge(say("file.refused"), "bad")} ${lineOf(line)}<bdi>${asSentence(message)}</bdi></li>`,
      )}</ul>${sendingSeconds > 0 ? html`<p>${say("file.sending", { count: sendingSeconds })}</p>` : null}${unlisted > 0 ? html`<p>${say("file.andMore", { count: unlisted })}</p>` : null}${wanted + refused + others.length === 0 ? html`<p>${say("file.noDifference")}</p>` : null}`,
      footer: apply,
    })}${isDone ? seriesOf(items).map((series) => seriesUndoForm(series, frame)) : null}`,
  };
}

/** The repeating items that were stored, each with its first edit. */
function seriesOf(items: readonly PlannedItem[]) {
  const byUid = Map.groupBy(
    items.filter(({ series, editId }) => series !== null && editId !== null),
    ({ series }) => series,
  );
  return [...byUid.values()].flatMap((made) => {
    const id = made[0]?.editId;
    return id && made.length > 1 ? [{ id, count: made.length }] : [];
  });
}

function summary(counts: {
  readonly wanted: number;
  readonly unchanged: number;
  readonly refused: number;
}): string {
  const { wanted, unchanged, refused } = counts;
  const parts = [
    say("file.changes", { count: wanted }),
    ...(unchanged > 0 ? [say("file.unchangedCount", { count: unchanged })] : []),
    ...(refused > 0 ? [say("file.refusedCount", { count: refused })] : []),
  ];
  return `${parts.join(", ")}.`;
}

const tones: Readonly<Record<string, Tone>> = { refused: "bad", delete: "wait" };

function planItem(
  { title, kind, action, did, words, problems, editId }: PlannedItem,
  { root, isDone }: { readonly root: string; readonly isDone: boolean },
): Markup {
  const isNew = action === "create";
  const said =
    did === null
      ? html`${say(`kind.${kind}`)} <bdi>${title}</bdi>`
      : html`<bdi>${capital(did)}</bdi>`;
  const changes = words.map(({ name, from, to }) =>
    isNew
      ? html`<li>${name}: <bdi>${to}</bdi></li>`
      : html`<li>${name}: <bdi>${from}</bdi> → <bdi>${to}</bdi></li>`,
  );
  return html`<li><p>${badge(say(`file.action.${action}`), tones[action] ?? "info")} ${said}${
    editId === null || !isDone
      ? null
      : html` (<a href="${root}edits/${editId}">${say("file.edit", { id: editId })}</a>)`
  }</p>
${changes.length > 0 ? html`<ul class="changes">${changes}</ul>` : null}
${problems.map(({ line, message }) => html`<p class="${action === "refused" ? "problem" : "hint"}">${lineOf(line)}<bdi>${asSentence(message)}</bdi></p>`)}</li>`;
}

const lineOf = (line: number | null): string =>
  line === null ? "" : `${say("file.line", { line })} `;
