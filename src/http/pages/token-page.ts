import { asSentence } from "../../domain/text.ts";
import { type AccessToken, tokenScopes } from "../../store/calendars/token-table.ts";
import { say } from "../../texts/say.ts";
import { button, card, copyField, field, notice, postForm, selectField } from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, sayHtml } from "./markup-template.ts";

/** A person's access tokens. */
export interface TokenPlace {
  readonly list: readonly AccessToken[];
  /** URL of the MCP server. */
  readonly url: string;
  /** A token that was just made, shown once. */
  readonly issued: string | null;
  readonly problem: string | null;
}

/** Access tokens of agents: `/me/tokens`. */
export function tokenPage(
  { list, url, issued, problem }: TokenPlace,
  { root, formToken, zone }: FormFrame,
): Page {
  const rows = list.map(
    ({ id, name, scope, createdAt, usedAt }) =>
      html`<li><p><bdi>${name}</bdi>: ${say(`token.scope.${scope}`)}</p>
<p class="quiet">${sayHtml("token.since", { created: timeTag(createdAt, zone), used: usedAt ? timeTag(usedAt, zone) : say("token.unused") })}</p>
${postForm({ action: null, formToken, inRow: true }, button(say("token.revoke"), { name: "revoke", value: String(id) }))}</li>`,
  );
  return {
    title: say("token.title"),
    current: "me",
    width: "narrow",
    lead: html`${say("token.lead")} <a href="${root}me#tokens">${say("action.back")}</a>`,
    body: html`${problem === null ? null : notice("bad", asSentence(problem))}
${
  issued === null
    ? null
    : card({
        title: say("token.made"),
        body: html`${notice("good", say("token.once"))}${copyField({ id: "token", label: say("token.token"), value: issued })}`,
      })
}
${card({
  title: say("token.yours"),
  body: html`${copyField({ id: "server", label: say("token.server"), value: url })}${rows.length > 0 ? html`<ul class="plain-list">${rows}</ul>` : html`<p class="quiet">${say("token.none")}</p>`}`,
})}
${card({
  title: say("token.new"),
  body: postForm(
    { action: null, formToken },
    html`${field({ name: "name", label: say("word.name"), isRequired: true, hint: say("token.nameHint") })}
${selectField({
  name: "scope",
  label: say("token.may"),
  value: "propose",
  choices: tokenScopes.map((scope) => ({ value: scope, label: say(`token.scope.${scope}`) })),
})}
${button(say("token.create"), { tone: "main" })}`,
  ),
})}`,
  };
}
