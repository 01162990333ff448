import type { EditDescription } from "../../edits/desk/describe.ts";
import { html, type Markup } from "./html.ts";
import type { Page } from "./layout.ts";

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
  const wish = isDeletion ? null : html`<th>In the edit</th>`;
  return html`<div class="wide"><table><thead><tr><td></td><th>Before</th><th>In the workspace now</th>${wish}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
