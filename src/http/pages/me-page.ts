import { browserName } from "../../domain/program-name.ts";
import type { PersonDescription } from "../../people/people.ts";
import type { WebhookDescription } from "../../people/webhook-settings.ts";
import type { LogIn } from "../../store/calendars/sign-ins.ts";
import { say } from "../../texts/say.ts";
import { badge, button, card, facts, linkButton, postForm } from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, sayHtml } from "./markup-template.ts";
import { keyInWords, type MailSwitches, mailSwitches, zoneInWords } from "./people-mail-page.ts";
import { webhookSummary } from "./webhook-page.ts";

export interface OwnPlace {
  readonly person: PersonDescription;
  readonly mails: MailSwitches;
  readonly logIns: readonly LogIn[];
  /** Null if reminders are sent by mail only. */
  readonly webhook: WebhookDescription | null;
  /** How many agents have access. */
  readonly tokens: number;
  /** How many webhooks for events; null if nothing is sent. */
  readonly hooks: number | null;
  /** The current session; null if a proxy names the user. */
  readonly current: number | null;
}

/** A person's own settings: app password, mails, and signed-in browsers. */
export function mePage(
  { person, mails, logIns, webhook, tokens, hooks, current }: OwnPlace,
  { root, formToken, zone }: FormFrame,
): Page {
  const { hasPassword, hasOwnKey, login, email, timeZone } = person;
  const rows = logIns.map(
    ({ id, agent, way, beganAt, usedAt }) =>
      html`<li><p><bdi>${browserName(agent) ?? say("me.unnamedBrowser")}</bdi> ${id === current ? badge(say("me.thisBrowser"), "good") : null}</p>
<p class="quiet">${sayHtml("me.since", { way: say(`way.${way}`), began: timeTag(beganAt, zone), used: timeTag(usedAt, zone) })}</p>
${postForm({ action: `${root}me/log-ins`, formToken, inRow: true }, button(say("me.endIt"), { name: "end", value: String(id) }))}</li>`,
  );
  const others = logIns.filter(({ id }) => id !== current);
  return {
    title: say("layout.me"),
    current: "me",
    body: html`${card({
      title: null,
      body: facts([
        [say("word.name"), html`<bdi>${person.name}</bdi>`],
        [say("password.user"), html`<bdi>${login}</bdi>`],
        [say("me.mailTo"), html`<bdi>${email ?? say("me.noAddress")}</bdi>`],
        [say("me.timeZone"), zoneInWords(timeZone, zone)],
        [say("me.sentWith"), keyInWords(hasOwnKey)],
      ]),
    })}
${card({
  title: say("password.app"),
  id: "password",
  body: html`<p>${hasPassword ? say("me.hasPassword") : say("me.noPassword")}</p>${postForm(
    { action: null, formToken, inRow: true },
    html`${button(hasPassword ? say("password.newTitle") : say("password.create"), { to: `${root}me/password`, tone: hasPassword ? null : "main" })}${
      hasPassword
        ? button(say("password.remove"), { to: `${root}me/password/clear`, tone: "bad" })
        : null
    }${linkButton(say("password.profile"), `${root}people/${person.id}/dayferry.mobileconfig`)}`,
  )}`,
})}
${card({ title: say("word.mails"), id: "mails", live: ["mail"], body: html`${mailSwitches(mails, { action: `${root}me/mails`, formToken })}<p><a href="${root}me/reminders">${say("reminderTimes.link")}</a></p>` })}
${webhook && card({ title: say("webhook.title"), id: "webhook", body: webhookSummary(webhook, `${root}me/webhook`) })}
${card({
  title: say("token.title"),
  id: "tokens",
  body: html`<p>${say("token.count", { count: tokens })}</p><p><a href="${root}me/tokens">${say("token.link")}</a></p>`,
})}
${
  hooks === null
    ? null
    : card({
        title: say("hooks.title"),
        id: "webhooks",
        body: html`<p>${say("hooks.count", { count: hooks })}</p><p><a href="${root}webhooks">${say("hooks.link")}</a></p>`,
      })
}
${card({
  title: say("me.sessions"),
  id: "log-ins",
  body: html`${rows.length > 0 ? html`<ul class="plain-list">${rows}</ul>` : html`<p class="quiet">${say("me.noSession")}</p>`}${
    others.length > 0
      ? postForm(
          { action: `${root}me/log-ins`, formToken },
          button(say("me.endOthers"), { name: "end", value: "others" }),
        )
      : null
  }`,
})}`,
  };
}
