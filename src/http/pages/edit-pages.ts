import type { PersonId } from "../../domain/ids.ts";
import type { EditDescription } from "../../edits/actions/describe.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";
import { moment } from "./page-times.ts";

interface EditListOptions {
  readonly names: ReadonlyMap<PersonId, string>;
  /** The account's zone. */
  readonly zone: string;
}

/** Parked and held edits: whose they are, what they change, why they wait, and what can be done about it; nothing where none waits. */
export function waitingList(
  edits: readonly EditDescription[],
  options: EditListOptions & { readonly formToken: string },
): Markup | null {
  if (edits.length === 0) return null;
  return html`<h2 id="waiting">Waiting for a person</h2>
<ul class="cards">${edits.map((edit) => waitingEdit(edit, options))}</ul>`;
}

/** The last edits, whatever became of them. */
export function editTable(
  edits: readonly EditDescription[],
  { names, zone }: EditListOptions,
): Markup {
  const rows = edits.map(
    (
      edit,
    ) => html`<tr><td class="number">${edit.id}</td><td>${moment(edit.createdAt, zone)}</td><td><bdi>${editorOf(edit, names)}</bdi></td><td>${edit.action}</td>
<td><bdi>${edit.item.title}</bdi>${changeList(edit)}</td><td class="state">${edit.state}${edit.reason ? ` (${edit.reason})` : ""}</td><td class="problem"><bdi>${edit.problem ?? ""}</bdi></td></tr>`,
  );
  const table = html`<div class="wide"><table><thead><tr><th>No.</th><th>Accepted</th><th>By</th><th>Action</th><th>Item</th><th>State</th><th>Problem</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<h2>Last edits</h2>${edits.length > 0 ? table : html`<p class="quiet">No edit has come in yet.</p>`}`;
}

function waitingEdit(
  edit: EditDescription,
  { names, zone, formToken }: EditListOptions & { readonly formToken: string },
): Markup {
  const { id, action, item, state, reason, channel, conflictVersion } = edit;
  const parked = conflictVersion === null ? parkedActs : conflictActs;
  const acts = state === "held" ? heldActs : parked;
  return html`<li><p class="title">${action} ${item.kind} <bdi>${item.title}</bdi></p>
<p class="quiet">Edit ${id} by <bdi>${editorOf(edit, names)}</bdi> through ${channel}, ${moment(edit.createdAt, zone)}</p>
${changeList(edit)}
<p class="problem"><strong>${reason ?? state}</strong>: <bdi>${edit.problem ?? "it waits for approval"}</bdi></p>
<form method="post" class="row"><input type="hidden" name="form" value="${formToken}">${acts.map(
    ([act, label]) => html`<button formaction="edits/${id}/${act}">${label}</button>`,
  )}</form></li>`;
}

/** What an edit changes, field by field; of a creation what it is to be. */
function changeList({ words: { changes }, action }: EditDescription): Markup | null {
  if (changes.length === 0) return null;
  const rows = changes.map(({ name, from, to }) =>
    action === "create"
      ? html`<li>${name}: <bdi>${to}</bdi></li>`
      : html`<li>${name}: <bdi>${from}</bdi> → <bdi>${to}</bdi></li>`,
  );
  return html`<ul class="changes">${rows}</ul>`;
}

type Act = readonly ["approve" | "retry" | "discard", string];
const heldActs: readonly Act[] = [
  ["approve", "Approve"],
  ["discard", "Discard"],
];
/** The page behind it shows both sides and asks. */
const conflictActs: readonly Act[] = [
  ["retry", "Try again…"],
  ["discard", "Discard"],
];
const parkedActs: readonly Act[] = [
  ["retry", "Try again"],
  ["discard", "Discard"],
];

function editorOf({ actor }: EditDescription, names: ReadonlyMap<PersonId, string>): string {
  return actor === null ? "the account" : (names.get(actor) ?? `person ${actor}`);
}

/** Shows both sides of a conflict side by side and asks which one is to stand: at `/edits/<id>/retry`. */
export function overwritePage(
  { edit, version }: { readonly edit: EditDescription; readonly version: string },
  { formToken, isAgain }: { readonly formToken: string; readonly isAgain: boolean },
): Page {
  const { id, item, action } = edit;
  const isDeletion = action === "delete";
  const news = isAgain
    ? html`<p class="problem" role="alert">It has changed again since you looked: this is how it is now.</p>`
    : null;
  return {
    title: `Dayferry: edit ${id}`,
    body: html`<main class="card wide-card"><h1>Overwrite what somebody else has changed?</h1>
<p class="title"><bdi>${item.title}</bdi></p>
<p class="quiet">Edit ${id}, to ${action} this ${item.kind}.</p>
${news}
${conflictTable(edit)}
<form method="post"><input type="hidden" name="form" value="${formToken}"><input type="hidden" name="version" value="${version}">
<button formaction="retry">${isDeletion ? "Delete it all the same" : "Overwrite with the edit"}</button></form>
<form method="post"><input type="hidden" name="form" value="${formToken}">
<button formaction="discard">Keep what the workspace has</button></form>
<p class="quiet"><a href="../../#waiting">Back</a>, and decide later</p></main>`,
  };
}

/** What both sides have changed: before, in the workspace, in the edit; nothing where nothing crossed. */
function conflictTable({ words: { conflicts }, action }: EditDescription): Markup | null {
  if (conflicts.length === 0) return null;
  const isDeletion = action === "delete";
  const rows = conflicts.map(
    ({ name, before, workspace, edit }) =>
      html`<tr><th scope="row">${name}</th><td><bdi>${before}</bdi></td><td><bdi>${workspace}</bdi></td>${
        isDeletion ? null : html`<td><bdi>${edit}</bdi></td>`
      }</tr>`,
  );
  const editColumn = isDeletion ? null : html`<th>In the edit</th>`;
  return html`<div class="wide"><table><thead><tr><td></td><th>Before</th><th>In the workspace now</th>${editColumn}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
