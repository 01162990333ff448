import { type HookEvent, hookEvents } from "../../domain/hook-event.ts";
import type { HookDescription } from "../../people/event-webhooks.ts";
import type { HookDelivery } from "../../store/mails/hook-cursors.ts";
import { say } from "../../texts/say.ts";
import {
  badge,
  button,
  card,
  checkbox,
  copyField,
  emptyState,
  field,
  folded,
  notice,
  postForm,
  selectField,
  type Tone,
  table,
} from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

/** The webhooks that a person may manage, and the result of their last action. */
export interface HookPlace {
  readonly list: readonly {
    readonly hook: HookDescription;
    readonly deliveries: readonly HookDelivery[];
  }[];
  /** Projects that a new webhook may be limited to. */
  readonly projects: readonly { readonly id: number; readonly title: string }[];
  /** The secret of a webhook that was just created, shown once. */
  readonly secret: string | null;
  readonly news: { readonly isGood: boolean; readonly text: string } | null;
}

const eventTexts = {
  "item.changed": "hooks.itemChanged",
  "milestone.slipped": "hooks.milestoneSlipped",
  "edit.parked": "hooks.editParked",
  "edit.conflict": "hooks.editConflict",
} as const satisfies Record<HookEvent, string>;

interface Frame extends FormFrame {
  readonly isAdmin: boolean;
}

/** Webhooks for events of the workspace: `/webhooks`. */
export function hookPage({ list, projects, secret, news }: HookPlace, frame: Frame): Page {
  const { formToken, root, isAdmin } = frame;
  const back = isAdmin ? "status" : "me";
  return {
    title: say("hooks.title"),
    current: isAdmin ? "status" : "me",
    lead: html`${say(isAdmin ? "hooks.leadAdmin" : "hooks.lead")} <a href="${root}${back}">${say("action.back")}</a>`,
    body: html`${news && notice(news.isGood ? "good" : "bad", news.text)}
${
  secret === null
    ? null
    : card({
        title: say("hooks.secret"),
        body: html`${notice("good", say("hooks.once"))}${copyField({ id: "secret", label: say("hooks.secret"), value: secret })}`,
      })
}
${list.length === 0 ? emptyState(say("hooks.none"), say("hooks.noneText")) : null}
${list.map((one) => hookCard(one, { ...frame, projects }))}
${card({
  title: say("hooks.new"),
  body: postForm(
    { action: null, formToken },
    html`${field({ name: "url", label: say("hooks.address"), type: "url", isRequired: true, autocomplete: "off", hint: say("hooks.addressHint") })}
${field({ name: "name", label: say("word.name"), hint: say("hooks.nameHint") })}
${hookEvents.map((event) => checkbox({ name: "events", value: event, label: say(eventTexts[event]), isOn: true }))}
${selectField({
  name: "project",
  label: say("word.project"),
  choices: [
    { value: "", label: say("hooks.allProjects") },
    ...projects.map(({ id, title }) => ({ value: String(id), label: title })),
  ],
})}
${button(say("hooks.create"), { name: "do", value: "create", tone: "main" })}`,
  ),
})}`,
  };
}

const tones: Readonly<Partial<Record<HookDelivery["state"], Tone>>> = {
  sent: "good",
  deferred: "wait",
  rejected: "bad",
};

function hookCard(
  { hook, deliveries }: HookPlace["list"][number],
  { formToken, zone, root, projects }: Frame & Pick<HookPlace, "projects">,
): Markup {
  const { id, name, host, events, project, by, last, skippedAt } = hook;
  const chosen =
    events.length === hookEvents.length
      ? say("hooks.allEvents")
      : events.map((event) => say(eventTexts[event])).join(" · ");
  const place = projects.find((one) => one.id === project)?.title ?? say("hooks.allProjects");
  return card({
    title: name,
    id: `webhook-${id}`,
    aside: last && badge(stateOf(last), tones[last.state] ?? null),
    body: html`<p><bdi>${host}</bdi>${by === "configuration" ? html` · ${say("webhook.configuration")}` : null}</p>
<p class="quiet"><bdi>${place}</bdi> · ${chosen}</p>
${skippedAt && notice("wait", sayHtml("hooks.skipped", { at: timeTag(skippedAt, zone) }))}
${
  deliveries.length === 0
    ? html`<p class="quiet">${say("hooks.noMessages")}</p>`
    : folded(
        say("hooks.messages", { count: deliveries.length }),
        deliveryTable(deliveries, { zone, root }),
      )
}
${postForm(
  { action: null, formToken, inRow: true },
  html`<input type="hidden" name="webhook" value="${id}">${button(say("webhook.test"), { name: "do", value: "test" })}${
    by === "configuration"
      ? null
      : button(say("action.delete"), { name: "do", value: "delete", tone: "bad" })
  }`,
)}`,
  });
}

const stateOf = ({ state }: HookDelivery): string =>
  say(`hooks.state.${state === "empty" ? "dropped" : state}`);

const deliveryTable = (
  deliveries: readonly HookDelivery[],
  { zone, root }: Pick<Frame, "zone" | "root">,
): Markup =>
  table({
    caption: say("hooks.title"),
    columns: [
      say("word.when"),
      say("hooks.about"),
      say("word.state"),
      { title: say("hooks.attempts"), isNumber: true },
      say("action.details"),
    ],
    rows: deliveries.map((one) => [
      timeTag(one.settledAt ?? one.claimedAt, zone),
      one.about === "item"
        ? html`<a href="${root}calendar/items/${one.subject}">${say("hooks.item")}</a>`
        : html`<a href="${root}edits/${one.subject}">${say("hooks.edit")}</a>`,
      stateOf(one),
      one.attempts,
      one.problem ?? "",
    ]),
  });
