import type { AgendaListing } from "../../calendars/agenda.ts";
import { unreachable } from "../../domain/result.ts";
import { enumerated } from "../../domain/wording.ts";
import type { EditDescription } from "../../edits/actions/describe.ts";
import { editStateLabels, parkReasonLabels } from "../../edits/actions/state-labels.ts";
import type { FirstStep, ProjectToday, SyncStanding, Today } from "../today.ts";
import { agendaDay } from "./agenda-list.ts";
import {
  badge,
  button,
  card,
  emptyState,
  linkButton,
  postForm,
  type Tone,
  table,
} from "./components.ts";
import { spoken, stateTones, wayButton } from "./edit-parts.ts";
import { type Page, pathOf } from "./layout.ts";
import { html, type Markup, type TemplatePart } from "./markup-template.ts";
import { keptMeanwhile } from "./outage-notice.ts";
import { ago, length, pageTimeOf } from "./page-times.ts";

/** Shows at a glance whether everything is up to date, and what needs a decision; at `/`. */
export function todayPage(
  today: Today & { readonly week: AgendaListing },
  formToken: string,
): Page {
  return {
    title: "Today",
    current: "today",
    body: html`${standingCard(today)}
<section id="waiting" class="stack" data-live="edits mirror">${waiting(today, formToken)}</section>
${firstSteps(today.firstSteps)}
${nextDays(today.week, today.viewer.zone)}
<div class="split">
${recentEdits(today)}
${projectAges(today)}
</div>`,
  };
}

/** The one sentence. */
function standingCard({ standing, now, underWay, needed, countedTo }: Today): Markup {
  const { tone, word, rest } = standingInWords(standing, now);
  const edits = editsInWords({ underWay, needed, countedTo });
  const progress =
    standing.kind === "first-reading"
      ? html`<progress aria-label="First sync" max="${Math.max(1, standing.lists)}" value="${standing.read}"></progress>
`
      : null;
  return html`<section class="card standing ${tone}" id="standing" data-live="mirror edits age"><p class="lede"><span class="dot" aria-hidden="true"></span><strong>${word}</strong>${rest}</p>
${progress}<p>${edits}</p></section>`;
}

interface Words {
  readonly tone: Tone;
  readonly word: string;
  readonly rest: string;
}

function standingInWords(standing: SyncStanding, now: Temporal.Instant): Words {
  switch (standing.kind) {
    case "in-step":
      return {
        tone: "good",
        word: "Up to date",
        rest: ` · last synced ${ago(standing.readAt, now)}`,
      };
    case "behind":
      return {
        tone: "wait",
        word: "Behind",
        rest: ` · some lists were last synced ${ago(standing.readAt, now)}`,
      };
    case "catching-up":
      return {
        tone: "info",
        word: "Syncing",
        rest: ` · checking every list after a start${
          standing.doneBy
            ? `, at most ${length(Math.ceil(now.until(standing.doneBy).total("seconds")))} left`
            : ""
        }${standing.readAt ? ` · the oldest was last synced ${ago(standing.readAt, now)}` : ""}`,
      };
    case "first-reading":
      return {
        tone: "info",
        word: "First sync",
        rest: ` · ${standing.read} of ${standing.lists} lists, about ${length(Math.ceil((standing.lists - standing.read) / standing.pace))} left. A calendar appears when it is complete.`,
      };
    case "cut-off":
      return {
        tone: "bad",
        word: "Not syncing",
        rest: ` · ${standing.why}. ${keptMeanwhile(standing.readAt, now)}${
          standing.remedy === null ? "" : ` What to do: ${standing.remedy}.`
        }`,
      };
    case "cannot-store":
      return { tone: "bad", word: "Storage failing", rest: ` · ${standing.why}` };
    default:
      return unreachable(standing);
  }
}

function editsInWords({
  underWay,
  needed,
  countedTo,
}: Pick<Today, "underWay" | "needed" | "countedTo">): string {
  const orMore = (count: number) => (count >= countedTo ? " or more" : "");
  if (underWay === 0 && needed === 0) return "No edits waiting.";
  const way = underWay === 0 ? null : `${counted(underWay, "pending edit")}${orMore(underWay)}`;
  const person =
    needed === 0
      ? null
      : `${way === null ? counted(needed, "edit") : needed}${orMore(needed)} ${needed === 1 ? "needs" : "need"} a decision`;
  return `${[way, person].filter((part) => part !== null).join(", ")}.`;
}

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

function waiting(
  { needs, needed, countedTo, brakes, troubles, now, viewer }: Today,
  formToken: string,
): Markup {
  const more = needed - needs.length;
  const path = pathOf("edits");
  return html`${
    needs.length + brakes.length === 0
      ? null
      : html`<h2>Needs a decision</h2><div class="cards">${needs.map((edit) =>
          waitingEdit(edit, { formToken, now, viewer }),
        )}${brakes.map((brake) => waitingBrake(brake))}</div>`
  }${
    more > 0
      ? html`<p>${needed >= countedTo ? "At least " : null}${counted(more, "more edit")} ${more === 1 ? "waits" : "wait"}${path === null ? "." : html`: <a href="${path}?state=waiting">all waiting edits</a>.`}</p>`
      : null
  }${
    troubles.length === 0
      ? null
      : html`<div class="notice wait"><h2>Warnings</h2><ul>${troubles.map((text) => html`<li>${text}</li>`)}</ul></div>`
  }`;
}

function waitingEdit(
  edit: EditDescription,
  { formToken, now, viewer }: Pick<Today, "now" | "viewer"> & { readonly formToken: string },
): Markup {
  const { id, words, reason, state, createdAt, ways, choice } = edit;
  const why = reason === null ? editStateLabels[state] : parkReasonLabels[reason];
  const page = pathOf("edits");
  const own = choice === null ? ways.filter(({ act }) => isPressed(act, viewer)) : [];
  const settle =
    page === null
      ? button("Resolve…", { to: `edits/${id}/retry`, tone: "main" })
      : linkButton("Resolve…", `${page}/${id}`, { isMain: true });
  return card({
    title: null,
    body: html`<p>${badge(why, state === "held" ? "info" : "wait")}</p>
<p class="title"><bdi>${words.who}</bdi> ${spoken(words.did)}</p>
<p class="quiet small">${pageTimeOf(createdAt, { zone: viewer.zone, now })}${words.by === null ? null : html`, ${words.by}`}${
      page === null ? null : html` · <a href="${page}/${id}">Details</a>`
    }</p>
${whatIsWrong(edit)}
${postForm(
  { action: null, formToken },
  html`${choice === null ? null : settle}${own.map((way) =>
    wayButton(way, { edit, to: `edits/${id}/${way.act}` }),
  )}`,
)}`,
  });
}

/** A conflict in one sentence, as its page has the fields; anything else as reported. */
function whatIsWrong({ choice, problem }: EditDescription): Markup | null {
  if (choice && choice.fields.length > 0) {
    const names = enumerated(choice.fields.map(({ name }) => name));
    return html`<p class="small">Conflict in ${names}.</p>`;
  }
  return problem === null ? null : html`<p class="small"><bdi>${problem}</bdi></p>`;
}

/** Actions done by one click; others are shown on a page first. Only the admin approves. */
const isPressed = (act: string, { kind }: Today["viewer"]): boolean =>
  act === "retry" || act === "discard" || (act === "approve" && kind === "admin");

function waitingBrake({
  missing,
  total,
  needsPerson,
  releasedAt,
}: Today["brakes"][number]): Markup {
  const asks = needsPerson && !releasedAt;
  const path = pathOf("edits");
  return card({
    title: null,
    body: html`<p>${badge("removals on hold", "wait")}</p>
<p class="title">${missing} of ${total} items of one list disappeared at once</p>
<p class="small">${
      asks
        ? "Nothing is removed from calendars until you confirm. Check the workspace first."
        : "Nothing is removed until the service has confirmed each of them. There is nothing to do."
    }</p>
${asks && path !== null ? html`<p>${linkButton("Review…", path, { isMain: true })}</p>` : null}`,
  });
}

function nextDays({ days, next }: AgendaListing, zone: string): Markup {
  const page = pathOf("calendar");
  const link = (text: string) => (page === null ? null : html`<a href="${page}">${text}</a>`);
  return card({
    title: "Next 7 days",
    aside: link("Calendar"),
    body:
      days.length > 0
        ? days.map((day) => agendaDay(day, zone))
        : emptyState({
            title: "Nothing due",
            text: "Events and open tasks of the next 7 days appear here.",
          }),
    footer: next && link("More in the calendar"),
    id: "week",
    live: ["mirror", "edits"],
  });
}

const stepWords: Readonly<
  Record<
    FirstStep["id"],
    { readonly title: string; readonly text: TemplatePart; readonly page: string | null }
  >
> = {
  subscribe: {
    title: "Subscribe to a calendar",
    text: "In Google, Outlook or Apple Calendar.",
    page: "feeds",
  },
  connect: {
    title: "Connect a calendar program",
    text: "To edit from your calendar.",
    page: "connect",
  },
  edit: {
    title: "Try an edit",
    text: "Drag an item in the calendar, or change it in your calendar program.",
    page: "calendar",
  },
  account: {
    title: "Use your own account",
    text: html`This is a demo with sample data. Stop it and run <code class="nowrap">npm run -s dayferry -- serve</code>.`,
    page: null,
  },
  mail: {
    title: "Set up mail",
    text: "Set mail.smtpUrl. Until then mails are files in the mail folder.",
    page: "people",
  },
  address: {
    title: "Set a public address",
    text: "Set http.publicUrl to an HTTPS address, so that Google and Outlook can fetch feeds.",
    page: "status",
  },
};

function firstSteps(steps: readonly FirstStep[]): Markup | null {
  if (steps.length === 0) return null;
  const items = steps.map(({ id, isDone }) => {
    const { title, text, page } = stepWords[id];
    const path = page === null ? null : pathOf(page);
    return html`<li class="${isDone ? "done" : "open"}"><div><p class="title">${
      path === null || isDone ? title : html`<a href="${path}">${title}</a>`
    }<span class="unseen">${isDone ? " (done)" : " (to do)"}</span></p><p class="quiet small">${text}</p></div></li>`;
  });
  const done = steps.filter(({ isDone }) => isDone).length;
  return card({
    title: "First steps",
    aside: html`<span class="quiet small">${done} of ${steps.length} done</span>`,
    body: html`<ol class="steps">${items}</ol>`,
    id: "first-steps",
    live: ["feeds", "mail", "edits", "age"],
  });
}

function recentEdits({ recent, now, viewer }: Today): Markup {
  const page = pathOf("edits");
  const items = recent.map(({ id, words, createdAt, state }) => {
    return html`<li><p><strong><bdi>${words.who}</bdi></strong> ${spoken(words.did)}${words.by === null ? null : `, ${words.by}`}</p><p class="quiet small">${badge(words.standing, stateTones[state])} ${
      page === null ? null : html`<a href="${page}/${id}">`
    }${pageTimeOf(createdAt, { zone: viewer.zone, now })}${page === null ? null : html`</a>`}</p></li>`;
  });
  return card({
    title: "Recent edits",
    aside: page === null ? null : html`<a href="${page}">All edits</a>`,
    body:
      items.length > 0
        ? html`<ul class="plain-list">${items}</ul>`
        : emptyState({
            title: "No edit yet",
            text: "Changes from connected calendars appear here.",
          }),
    id: "recent",
    live: ["edits"],
  });
}

function projectAges({ projects, now }: Today): Markup {
  const rows = projects.map((project) => [
    html`<bdi>${project.title}</bdi>`,
    ageInWords(project, now),
  ]);
  return card({
    title: "Projects",
    body:
      rows.length > 0
        ? table({
            caption: "Last sync of each project",
            columns: [{ title: "Project" }, { title: "Last synced" }],
            rows,
          })
        : emptyState({
            title: "No project yet",
            text: "Projects appear during the first sync.",
          }),
    footer:
      "Age of the oldest list with dates in the next two weeks. Busy lists are synced more often.",
    id: "projects",
    live: ["mirror", "age"],
  });
}

function ageInWords(
  { readAt, unread, lists, failing }: ProjectToday,
  now: Temporal.Instant,
): Markup {
  if (readAt === null) return badge("not synced yet", "info");
  const said = html`<span class="nowrap">${ago(readAt, now)}</span>`;
  if (failing > 0) {
    return html`${said} ${badge(failing === lists ? "cannot be read" : `${failing} of ${lists} lists cannot be read`, "wait")}`;
  }
  return unread > 0
    ? html`${said} ${badge(`${lists - unread} of ${lists} lists so far`, "info")}`
    : said;
}
