import { type Acceptance, countEdits, type PlannedItem } from "../../edits/intake/plan-answer.ts";
import { badge, button, card, linkButton, notice, selectField, type Tone } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** Where new items of a file can go. */
export interface FilePlaces {
  readonly projects: readonly { readonly id: number; readonly title: string }[];
  readonly lists: readonly {
    readonly id: number;
    readonly title: string;
    readonly project: string;
  }[];
}

interface FileFormOptions {
  readonly places: FilePlaces;
  readonly formToken: string;
  readonly root: string;
  /** As entered. */
  readonly project?: string;
  readonly list?: string;
  readonly problem?: string | null;
}

/** Asks for a calendar file and a place for its new items: `/edits/file`. */
export function fileFormPage(options: FileFormOptions): Page {
  const { places, formToken, root, project = "", list = "", problem = null } = options;
  const body = html`${problem === null ? null : notice("bad", problem)}
<form method="post" enctype="multipart/form-data" action="${root}edits/file" class="card">
<input type="hidden" name="form" value="${formToken}">
<div class="field"><label for="file">Calendar file (.ics)</label>
<input id="file" name="file" type="file" accept=".ics,text/calendar" required class="drop" aria-describedby="file-hint">
<p class="hint" id="file-hint">Choose a file or drop it here. You can use a downloaded feed: only differences become edits.</p></div>
${selectField({
  name: "project",
  label: "Project of new items",
  value: project,
  choices: places.projects.map(({ id, title }) => ({ value: String(id), label: title })),
  hint: "Existing items stay in their projects.",
})}
${selectField({
  name: "list",
  label: "List of new tasks",
  value: list,
  choices: [
    { value: "", label: "None (new tasks are rejected)" },
    ...places.lists.map(({ id, title, project: of }) => ({
      value: String(id),
      label: `${of}: ${title}`,
    })),
  ],
})}
${button("Preview", { tone: "main" })}
</form>`;
  return {
    title: "Apply a calendar file",
    current: "edits",
    lead: "You see the plan before anything is stored or sent.",
    body,
  };
}

/** What a file would do, or has done, item by item. `carried`: applies it; null if it was applied. */
export function filePlanPage(
  about: {
    readonly name: string;
    readonly acceptance: Acceptance;
    readonly carried: Readonly<Record<string, string>> | null;
  },
  { formToken, root }: { readonly formToken: string; readonly root: string },
): Page {
  const { name, acceptance, carried } = about;
  const again = linkButton("Another file", `${root}edits/file`);
  if (acceptance.kind === "refused") {
    return {
      title: "The file cannot be read",
      current: "edits",
      lead: html`<bdi>${name}</bdi>: nothing of it was stored.`,
      body: card({
        title: null,
        body: html`<ul>${acceptance.errors.map(({ line, message }) => html`<li>${lineOf(line)}<bdi>${message}</bdi></li>`)}</ul>`,
        footer: again,
      }),
    };
  }
  const { items, errors, more } = acceptance;
  const { unchanged, refused } = acceptance.summary;
  const wanted = countEdits(acceptance);
  const known = new Set(items.map(({ uid }) => uid));
  const others = errors.filter(({ uid }) => uid === null || !known.has(uid));
  const listed = items.filter(({ action }) => action !== "unchanged");
  const unlisted = wanted + refused - listed.length;
  const isDone = carried === null;
  const apply =
    carried && wanted > 0
      ? html`<form method="post" enctype="multipart/form-data" action="${root}edits/file/apply" class="row"><input type="hidden" name="form" value="${formToken}">${Object.entries(
          carried,
        ).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}
${button(wanted === 1 ? "Apply it" : `Apply these ${wanted}`, { tone: "main" })}${again}</form>`
      : html`<div class="row">${linkButton("To the edits", `${root}edits`, { isMain: isDone })}${again}</div>`;
  return {
    title: isDone ? "The file was applied" : "What the file would do",
    current: "edits",
    lead: html`<bdi>${name}</bdi>: ${summary({ wanted, unchanged, refused: refused + others.length + more.errors })}`,
    body: html`${card({
      title: null,
      body: html`<ul class="plain-list">${listed.map((item) => planItem(item, { root, isDone }))}${others.map(
        ({ line, message }) =>
          html`<li>${badge("refused", "bad")} ${lineOf(line)}<bdi>${message}</bdi></li>`,
      )}</ul>${unlisted > 0 ? html`<p>And ${unlisted} more.</p>` : null}${wanted + refused + others.length === 0 ? html`<p>No differences from the workspace.</p>` : null}`,
      footer: apply,
    })}`,
  };
}

function summary(counts: {
  readonly wanted: number;
  readonly unchanged: number;
  readonly refused: number;
}): string {
  const { wanted, unchanged, refused } = counts;
  const parts = [
    `${wanted} ${wanted === 1 ? "change" : "changes"}`,
    ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ];
  return `${parts.join(", ")}.`;
}

const tones: Readonly<Record<string, Tone>> = { refused: "bad", delete: "wait" };

function planItem(
  { title, kind, action, did, words, problems, editId }: PlannedItem,
  { root, isDone }: { readonly root: string; readonly isDone: boolean },
): Markup {
  const isNew = action === "create";
  const said = did === null ? html`${kind} <bdi>${title}</bdi>` : html`<bdi>${capital(did)}</bdi>`;
  const changes = words.map(({ name, from, to }) =>
    isNew
      ? html`<li>${name}: <bdi>${to}</bdi></li>`
      : html`<li>${name}: <bdi>${from}</bdi> → <bdi>${to}</bdi></li>`,
  );
  return html`<li><p>${badge(action, tones[action] ?? "info")} ${said}${
    editId === null || !isDone ? null : html` (<a href="${root}edits/${editId}">edit ${editId}</a>)`
  }</p>
${changes.length > 0 ? html`<ul class="changes">${changes}</ul>` : null}
${problems.map(({ line, message }) => html`<p class="${action === "refused" ? "problem" : "hint"}">${lineOf(line)}<bdi>${message}</bdi></p>`)}</li>`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const lineOf = (line: number | null): string => (line === null ? "" : `Line ${line}: `);
