import { browserName } from "../../domain/program-name.ts";
import type { PersonDescription } from "../../people/people.ts";
import type { WebhookDescription } from "../../people/webhook-settings.ts";
import type { LogIn } from "../../store/calendars/sign-ins.ts";
import { badge, button, card, facts, linkButton, postForm } from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import type { Page } from "./layout.ts";
import { html } from "./markup-template.ts";
import { keyInWords, type MailSwitches, mailSwitches, zoneInWords } from "./people-mail-page.ts";
import { webhookSummary } from "./webhook-page.ts";

export interface OwnPlace {
  readonly person: PersonDescription;
  readonly mails: MailSwitches;
  readonly logIns: readonly LogIn[];
  /** Null if reminders are sent by mail only. */
  readonly webhook: WebhookDescription | null;
  /** The current session; null if a proxy names the user. */
  readonly current: number | null;
}

const ways = { token: "by token", password: "by app password", link: "by a link by mail" } as const;

/** A person's own settings: app password, mails, and signed-in browsers. */
export function mePage(
  { person, mails, logIns, webhook, current }: OwnPlace,
  frame: { readonly root: string; readonly formToken: string; readonly zone: string },
): Page {
  const { root, formToken, zone } = frame;
  const { hasPassword, hasOwnKey, login, email, timeZone } = person;
  const rows = logIns.map(
    ({ id, agent, way, beganAt, usedAt }) =>
      html`<li><p><bdi>${browserName(agent) ?? "An unnamed browser"}</bdi> ${id === current ? badge("this browser", "good") : null}</p>
<p class="quiet">${ways[way]}, since ${timeTag(beganAt, zone)}, last used ${timeTag(usedAt, zone)}</p>
${postForm({ action: `${root}me/log-ins`, formToken, inRow: true }, button("End it", { name: "end", value: String(id) }))}</li>`,
  );
  const others = logIns.filter(({ id }) => id !== current);
  return {
    title: "You",
    current: "me",
    body: html`${card({
      title: null,
      body: facts([
        ["Name", html`<bdi>${person.name}</bdi>`],
        ["User name", html`<bdi>${login}</bdi>`],
        ["Mail to", html`<bdi>${email ?? "no address"}</bdi>`],
        ["Time zone", zoneInWords(timeZone, zone)],
        ["Edits sent with", keyInWords(hasOwnKey)],
      ]),
    })}
${card({
  title: "App password",
  id: "password",
  body: html`<p>${
    hasPassword
      ? "Your calendar programs log in with it, and so can you. Changing or removing it takes effect at once: your programs need the new password, and other browsers are logged out."
      : "With an app password your calendar programs can show and change your calendars, and you can log in here."
  }</p>${postForm(
    { action: null, formToken, inRow: true },
    html`${button(hasPassword ? "New app password" : "Create app password", { to: `${root}me/password`, tone: hasPassword ? null : "main" })}${
      hasPassword
        ? button("Remove app password", { to: `${root}me/password/clear`, tone: "bad" })
        : null
    }${linkButton("Apple profile", `${root}people/${person.id}/dayferry.mobileconfig`)}`,
  )}`,
})}
${card({ title: "Mails", id: "mails", live: ["mail"], body: mailSwitches(mails, { action: `${root}me/mails`, formToken }) })}
${webhook && card({ title: "Reminder delivery", id: "webhook", body: webhookSummary(webhook, `${root}me/webhook`) })}
${card({
  title: "Sessions",
  id: "log-ins",
  body: html`${rows.length > 0 ? html`<ul class="plain-list">${rows}</ul>` : html`<p class="quiet">In no browser, but for what lets you in here.</p>`}${
    others.length > 0
      ? postForm(
          { action: `${root}me/log-ins`, formToken },
          button("End all others", { name: "end", value: "others" }),
        )
      : null
  }`,
})}`,
  };
}
