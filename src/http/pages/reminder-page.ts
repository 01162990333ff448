import type { ReminderTimes } from "../../domain/reminder-times.ts";
import { lengthInWords } from "../../domain/wording.ts";
import { inDays } from "../../reminders/reminder.ts";
import { say } from "../../texts/say.ts";
import { type PersonPlace, settingsOf } from "../person-place.ts";
import { button, card, checkbox, field, postForm, type Said, saidNotice } from "./components.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

interface ReminderPlace extends PersonPlace {
  readonly configured: ReminderTimes;
  /** Null if the person is reminded as configured. */
  readonly chosen: ReminderTimes | null;
  readonly said: Said | null;
}

/** When a person is reminded: at `/me/reminders` and `/people/ID/reminders`. */
export function reminderPage(
  { configured, chosen, said, ...place }: ReminderPlace,
  { root, formToken }: FormFrame,
): Page {
  const times = chosen ?? configured;
  const boxes = (name: "milestones" | "tasks"): Markup => {
    const isOn = new Set(times[name].map(nameOf));
    const choices = new Map(
      [...usualLeads, ...configured[name], ...times[name]].map((lead) => [nameOf(lead), lead]),
    );
    return html`<fieldset class="boxes"><legend>${say(`reminderTimes.${name}`)}</legend>${[
      ...choices,
    ]
      .toSorted(([, a], [, b]) => Temporal.Duration.compare(a, b, { relativeTo: someDay }))
      .map(([value, lead]) =>
        checkbox({ name, value, label: leadInWords(lead), isOn: isOn.has(value) }),
      )}</fieldset>`;
  };
  const clock = (name: "at" | "digestAt", time: Temporal.PlainTime): Markup =>
    field({
      name,
      label: say(`reminderTimes.${name}`),
      type: "time",
      value: time.toString({ smallestUnit: "minute" }),
      isRequired: true,
    });
  return {
    title: say("reminderTimes.title"),
    current: place.isOwn ? "me" : "people",
    width: "narrow",
    lead: html`${sayHtml("reminderTimes.for", { name: html`<bdi>${place.person.name}</bdi>` })} <a href="${root}${settingsOf(place, "mails")}">${say("action.back")}</a>`,
    body: html`${saidNotice(said)}
${card({
  title: null,
  body: postForm(
    { action: null, formToken },
    html`${boxes("milestones")}${boxes("tasks")}${clock("at", times.at)}${
      configured.digestAt && clock("digestAt", times.digestAt ?? configured.digestAt)
    }<p class="quiet">${chosen ? say("reminderTimes.own") : say("reminderTimes.asConfigured")}</p>
<p class="row">${button(say("reminderTimes.save"), { name: "do", value: "save", tone: "main" })}${
      chosen && button(say("reminderTimes.forget"), { name: "do", value: "forget" })
    }</p>`,
  ),
})}`,
  };
}

const usualLeads = ["PT0S", "P1D", "P2D", "P3D", "P7D", "P14D"].map((text) =>
  Temporal.Duration.from(text),
);

/**
 * The day from which reminder times are counted when they are compared and put into words. Any day without a clock change will
 * do.
 */
const someDay = Temporal.ZonedDateTime.from("2026-01-01T00:00[UTC]");

const nameOf = (lead: Temporal.Duration): string => inDays(lead).toString();

const leadInWords = (lead: Temporal.Duration): string =>
  lead.blank ? say("reminderTimes.onDay") : lengthInWords(inDays(lead), someDay);
