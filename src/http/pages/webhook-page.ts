import type { PersonDescription } from "../../people/people.ts";
import type { WebhookDescription } from "../../people/webhook-settings.ts";
import {
  button,
  card,
  checkbox,
  facts,
  field,
  notice,
  postForm,
  selectField,
} from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** State of one person's webhook. */
interface WebhookPlace {
  readonly person: Pick<PersonDescription, "id" | "name" | "email">;
  readonly webhook: WebhookDescription;
  /** Result of the last action; null if none. */
  readonly said: { readonly isGood: boolean; readonly text: string } | null;
}

interface Frame {
  readonly formToken: string;
  readonly zone: string;
  /** The navigation entry. */
  readonly current: "me" | "people";
  /** Where Back leads. */
  readonly back: string;
}

const formatWords = { ntfy: "ntfy", json: "JSON, for a program" } as const;

/** One person's webhook for reminders, digests and notices: at `/me/webhook` and `/people/ID/webhook`. */
export function webhookPage({ person, webhook, said }: WebhookPlace, frame: Frame): Page {
  const { current } = webhook;
  const { formToken, zone } = frame;
  const own = current?.by === "person" ? current : null;
  return {
    title: "Reminder delivery",
    current: frame.current,
    width: "narrow",
    lead: html`For <bdi>${person.name}</bdi>. <a href="${frame.back}">Back</a>`,
    body: html`${said && notice(said.isGood ? "good" : "bad", said.text)}
${card({
  title: "At present",
  body: html`${facts([
    [
      "By mail",
      current?.withMail === false ? "no" : html`<bdi>${person.email ?? "no address"}</bdi>`,
    ],
    [
      "By HTTP",
      current === null
        ? "no"
        : html`<bdi>${current.host}</bdi>, ${formatWords[current.format]}${current.hasToken ? ", with a token" : null}`,
    ],
    [
      "Set by",
      current === null ? null : current.by === "person" ? "this page" : "the configuration",
    ],
    ["Last message", lastMessage(webhook, zone)],
  ])}${
    current === null
      ? null
      : postForm(
          { action: null, formToken, inRow: true },
          html`${button("Send a test", { name: "do", value: "test" })}${own && button("Send by mail only", { name: "do", value: "remove", tone: "bad" })}`,
        )
  }`,
})}
${card({
  title: own ? "Edit" : "Also send reminders by HTTP",
  body: postForm(
    { action: null, formToken },
    html`${field({
      name: "url",
      label: "Address",
      type: "url",
      isRequired: true,
      autocomplete: "off",
      hint: "For ntfy, use a topic that is hard to guess. The address is stored encrypted and not shown again.",
    })}${selectField({
      name: "format",
      label: "Receiver",
      value: own?.format ?? "ntfy",
      choices: [
        { value: "ntfy", label: formatWords.ntfy },
        { value: "json", label: formatWords.json },
      ],
    })}${field({
      name: "token",
      label: "Token",
      type: "password",
      autocomplete: "off",
      hint: "If the receiver requires one.",
    })}${checkbox({ name: "mail", label: "Also by mail", isOn: own?.withMail ?? true })}${button("Save", { name: "do", value: "save", tone: "main" })}`,
  ),
})}`,
  };
}

function lastMessage({ fate }: WebhookDescription, zone: string): Markup | string {
  if (!fate) return "none so far";
  const words = { sent: "arrived", deferred: "waits for another try", rejected: "was not taken" };
  return html`${words[fate.state]}, ${timeTag(fate.at, zone)}${fate.problem === null || fate.state === "sent" ? null : html`: ${fate.problem}`}`;
}

/** Its summary among a person's other settings. */
export const webhookSummary = ({ current }: WebhookDescription, href: string): Markup =>
  html`<p>${
    current === null
      ? "Reminders, digests and notices go by mail alone."
      : html`Reminders, digests and notices go to <bdi>${current.host}</bdi>${current.withMail ? " and by mail" : ", and not by mail"}.`
  }</p><p><a href="${href}">Reminder delivery…</a></p>`;
