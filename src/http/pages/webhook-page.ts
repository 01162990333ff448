import type { PersonDescription } from "../../people/people.ts";
import type { WebhookDescription } from "../../people/webhook-settings.ts";
import { say } from "../../texts/say.ts";
import { retold } from "../../texts/stored.ts";
import {
  button,
  card,
  checkbox,
  facts,
  field,
  postForm,
  type Said,
  saidNotice,
  selectField,
} from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

interface WebhookPlace {
  readonly person: Pick<PersonDescription, "id" | "name" | "email">;
  /** True if the viewer is that person. */
  readonly isOwn: boolean;
  readonly webhook: WebhookDescription;
  readonly said: Said | null;
}

/** One person's webhook for reminders, digests and notices: at `/me/webhook` and `/people/ID/webhook`. */
export function webhookPage(
  { person, isOwn, webhook, said }: WebhookPlace,
  { root, formToken, zone }: FormFrame,
): Page {
  const { current } = webhook;
  const own = current?.by === "person" ? current : null;
  const back = `${root}${isOwn ? "me" : `people#person-${person.id}`}`;
  return {
    title: say("webhook.title"),
    current: isOwn ? "me" : "people",
    width: "narrow",
    lead: html`${sayHtml("webhook.for", { name: html`<bdi>${person.name}</bdi>` })} <a href="${back}">${say("action.back")}</a>`,
    body: html`${saidNotice(said)}
${card({
  title: say("webhook.atPresent"),
  body: html`${facts([
    [
      say("webhook.byMail"),
      current?.withMail === false
        ? say("value.no")
        : html`<bdi>${person.email ?? say("me.noAddress")}</bdi>`,
    ],
    [
      say("webhook.byHttp"),
      current === null
        ? say("value.no")
        : html`<bdi>${current.host}</bdi>, ${say(`webhook.format.${current.format}`)}${current.hasToken ? say("webhook.withToken") : null}`,
    ],
    [
      say("webhook.setBy"),
      current === null
        ? null
        : current.by === "person"
          ? say("webhook.thisPage")
          : say("webhook.configuration"),
    ],
    [say("webhook.last"), lastMessage(webhook, zone)],
  ])}${
    current === null
      ? null
      : postForm(
          { action: null, formToken, inRow: true },
          html`${button(say("webhook.test"), { name: "do", value: "test" })}${own && button(say("webhook.mailOnly"), { name: "do", value: "remove", tone: "bad" })}`,
        )
  }`,
})}
${card({
  title: own ? say("action.edit") : say("webhook.also"),
  body: postForm(
    { action: null, formToken },
    html`${field({
      name: "url",
      label: say("webhook.address"),
      type: "url",
      isRequired: true,
      autocomplete: "off",
      hint: say("webhook.addressHint"),
    })}${selectField({
      name: "format",
      label: say("webhook.receiver"),
      value: own?.format ?? "ntfy",
      choices: [
        { value: "ntfy", label: say("webhook.format.ntfy") },
        { value: "json", label: say("webhook.format.json") },
      ],
    })}${field({
      name: "token",
      label: say("webhook.token"),
      type: "password",
      autocomplete: "off",
      hint: say("webhook.tokenHint"),
    })}${checkbox({ name: "mail", label: say("webhook.alsoMail"), isOn: own?.withMail ?? true })}${button(say("preview.agree.change"), { name: "do", value: "save", tone: "main" })}`,
  ),
})}`,
  };
}

function lastMessage({ fate }: WebhookDescription, zone: string): Markup | string {
  if (!fate) return say("webhook.noneSoFar");
  return html`${say(`webhook.state.${fate.state}`)}, ${timeTag(fate.at, zone)}${fate.problem === null || fate.state === "sent" ? null : html`: ${retold(fate.problem)}`}`;
}

/** Its summary among a person's other settings. */
export const webhookSummary = ({ current }: WebhookDescription, href: string): Markup =>
  html`<p>${
    current === null
      ? say("webhook.mailAlone")
      : sayHtml(current.withMail ? "webhook.toAndMail" : "webhook.toOnly", {
          host: html`<bdi>${current.host}</bdi>`,
        })
  }</p><p><a href="${href}">${say("webhook.link")}</a></p>`;
