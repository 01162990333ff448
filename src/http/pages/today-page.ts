import type { AgendaListing } from "../../calendars/agenda.ts";
import { unreachable } from "../../domain/result.ts";
import { enumerated } from "../../domain/wording.ts";
import type { EditDescription } from "../../edits/actions/describe.ts";
import { editStateLabel, parkReasonLabel } from "../../edits/actions/state-labels.ts";
import { say } from "../../texts/say.ts";
import type { FirstStep, ProjectToday, SyncStanding, Today } from "../today.ts";
import { agendaDay } from "./agenda-list.ts";
import { badge, card, emptyState, linkButton, postForm, type Tone, table } from "./components.ts";
import { spoken, stateTones, wayButton } from "./edit-parts.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";
import { keptMeanwhile } from "./outage-notice.ts";
import { ago, length, pageTimeOf } from "./page-times.ts";

/** Shows at a glance whether everything is up to date, and what needs a decision; at `/`. */
export function todayPage(
  today: Today & { readonly week: AgendaListing },
  formToken: string,
): Page {
  return {
    title: say("layout.today"),
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

/** The card with one sentence about the state of everything. */
function standingCard({ standing, now, underWay, needed, countedTo }: Today): Markup {
  const { tone, word, rest } = standingInWords(standing, now);
  const edits = editsInWords({ underWay, needed, countedTo });
  const progress =
    standing.kind === "first-reading"
      ? html`<progress aria-label="${say("standing.firstSync")}" max="${Math.max(1, standing.lists)}" value="${standing.read}"></progress>
`
      : null;
  return html`<section class="card standing ${tone}" id="standing" data-live="mirror edits age"><p class="lede"><strong>${word}</strong> · ${rest}</p>
${progress}<p>${edits}</p></section>`;
}

interface Words {
  readonly tone: Tone;
  readonly word: string;
  readonly rest: string;
}

/** How up to date calendars are, in words. */
export function standingInWords(standing: SyncStanding, now: Temporal.Instant): Words {
  switch (standing.kind) {
    case "in-step":
      return {
        tone: "good",
        word: say("standing.inStep"),
        rest: say("today.synced", { ago: ago(standing.readAt, now) }),
      };
    case "behind":
      return {
        tone: "wait",
        word: say("standing.behind"),
        rest: say("today.someSynced", { ago: ago(standing.readAt, now) }),
      };
    case "catching-up":
      return {
        tone: "info",
        word: say("standing.catchingUp"),
        rest: catchingUp(standing, now),
      };
    case "first-reading":
      return {
        tone: "info",
        word: say("standing.firstSync"),
        rest: say("today.firstSync", {
          read: standing.read,
          lists: standing.lists,
          length: length(Math.ceil((standing.lists - standing.read) / standing.pace)),
        }),
      };
    case "cut-off":
      return {
        tone: "bad",
        word: say("outage.title"),
        rest: `${standing.why}. ${keptMeanwhile(standing.readAt, now)}${
          standing.remedy === null ? "" : ` ${say("outage.remedy", { remedy: standing.remedy })}`
        }`,
      };
    case "cannot-store":
      return { tone: "bad", word: say("standing.cannotStore"), rest: standing.why };
    default:
      return unreachable(standing);
  }
}

function catchingUp(
  { doneBy, readAt }: Extract<SyncStanding, { kind: "catching-up" }>,
  now: Temporal.Instant,
): string {
  const left = doneBy && length(Math.ceil(now.until(doneBy).total("seconds")));
  const work = [
    say("today.catchingUp"),
    ...(left === null ? [] : [say("today.atMostLeft", { length: left })]),
  ].join(", ");
  return readAt === null
    ? work
    : `${work} · ${say("today.oldestSynced", { ago: ago(readAt, now) })}`;
}

function editsInWords({
  underWay,
  needed,
  countedTo,
}: Pick<Today, "underWay" | "needed" | "countedTo">): string {
  if (underWay === 0 && needed === 0) return say("today.noneWaiting");
  const counts = [
    underWay > 0 &&
      say(underWay >= countedTo ? "today.pendingOrMore" : "today.pending", { count: underWay }),
    needed > 0 &&
      say(needed >= countedTo ? "today.needDecisionOrMore" : "today.needDecision", {
        count: needed,
      }),
  ];
  return `${counts.filter((count) => count !== false).join(", ")}.`;
}

function waiting(
  { needs, needed, countedTo, brakes, troubles, now, viewer }: Today,
  formToken: string,
): Markup {
  const more = needed - needs.length;
  return html`${
    needs.length + brakes.length === 0
      ? null
      : html`<h2>${say("today.needs")}</h2><div class="cards">${needs.map((edit) =>
          waitingEdit(edit, { formToken, now, viewer }),
        )}${brakes.map((brake) => waitingBrake(brake))}</div>`
  }${
    more > 0
      ? html`<p>${say(needed >= countedTo ? "today.atLeastMoreWait" : "today.moreWait", { count: more })}: <a href="edits?state=waiting">${say("today.allWaiting")}</a>.</p>`
      : null
  }${
    troubles.length === 0
      ? null
      : html`<div class="notice wait"><h2>${say("today.warnings")}</h2><ul>${troubles.map((text) => html`<li>${text}</li>`)}</ul></div>`
  }`;
}

function waitingEdit(
  edit: EditDescription,
  { formToken, now, viewer }: Pick<Today, "now" | "viewer"> & { readonly formToken: string },
): Markup {
  const { id, words, reason, state, createdAt, ways, choice } = edit;
  const why = reason === null ? editStateLabel(state) : parkReasonLabel(reason);
  const own = choice === null ? ways.filter(({ act }) => isPressed(act, edit, viewer)) : [];
  const settle = choice && linkButton(say("action.resolve"), `edits/${id}`, { isMain: true });
  return card({
    title: null,
    body: html`<p>${badge(why, state === "held" ? "info" : "wait")}</p>
<p class="title"><bdi>${words.who}</bdi> ${spoken(words.did)}</p>
<p class="quiet small">${pageTimeOf(createdAt, { zone: viewer.zone, now })}${words.by === null ? null : html`, ${words.by}`} · <a href="edits/${id}">${say("action.details")}</a></p>
${whatIsWrong(edit)}
${postForm(
  { action: null, formToken },
  html`${settle}${own.map((way) => wayButton(way, { edit, to: `edits/${id}/${way.act}` }))}`,
)}`,
  });
}

/** A conflict is described in one sentence, because its page shows the fields; other edits have the text of their state. */
function whatIsWrong({ choice, problem }: EditDescription): Markup | null {
  if (choice && choice.fields.length > 0) {
    const names = enumerated(choice.fields.map(({ name }) => name));
    return html`<p class="small">${say("today.conflictIn", { fields: names })}</p>`;
  }
  return problem === null ? null : html`<p class="small"><bdi>${problem}</bdi></p>`;
}

/** Actions done by one click; others are shown on a page first. Only the admin approves. */
const isPressed = (
  act: string,
  { proposed }: EditDescription,
  { kind }: Today["viewer"],
): boolean =>
  act === "retry" || act === "discard" || (act === "approve" && (proposed || kind === "admin"));

function waitingBrake({
  missing,
  total,
  needsPerson,
  releasedAt,
}: Today["brakes"][number]): Markup {
  const asks = needsPerson && !releasedAt;
  return card({
    title: null,
    body: html`<p>${badge(say("today.removalsOnHold"), "wait")}</p>
<p class="title">${say("today.disappeared", { missing, total })}</p>
<p class="small">${asks ? say("today.removalsAsk") : say("today.removalsWait")}</p>
${asks ? html`<p>${linkButton(say("action.review"), "edits", { isMain: true })}</p>` : null}`,
  });
}

function nextDays({ days, next }: AgendaListing, zone: string): Markup {
  const link = (text: string) => html`<a href="calendar">${text}</a>`;
  return card({
    title: say("today.next7"),
    aside: link(say("layout.calendar")),
    body:
      days.length > 0
        ? days.map((day) => agendaDay(day, zone))
        : emptyState(say("today.nothingDue"), say("today.nothingDueText")),
    footer: next && link(say("today.moreInCalendar")),
    id: "week",
    live: ["mirror", "edits"],
  });
}

/** The page on which each step is done. */
const stepPages: Readonly<Record<FirstStep["id"], string | null>> = {
  subscribe: "feeds",
  connect: "connect",
  edit: "calendar",
  account: null,
  mail: "people",
  address: "status",
};

const stepText = (id: FirstStep["id"]): Markup | string =>
  id === "account"
    ? sayHtml("today.accountText", {
        code: (command) => html`<code class="nowrap">${command}</code>`,
      })
    : say(`today.${id}Text`);

function firstSteps(steps: readonly FirstStep[]): Markup | null {
  if (steps.length === 0) return null;
  const items = steps.map(({ id, isDone }) => {
    const [title, path] = [say(`today.${id}`), stepPages[id]];
    return html`<li class="${isDone ? "done" : "open"}"><div><p class="title">${
      path === null || isDone ? title : html`<a href="${path}">${title}</a>`
    }<span class="unseen"> (${say(isDone ? "today.stepDone" : "today.stepOpen")})</span></p><p class="quiet small">${stepText(id)}</p></div></li>`;
  });
  const done = steps.filter(({ isDone }) => isDone).length;
  return card({
    title: say("today.firstSteps"),
    aside: html`<span class="quiet small">${say("today.stepsDone", { done, steps: steps.length })}</span>`,
    body: html`<ol class="steps">${items}</ol>`,
    id: "first-steps",
    live: ["feeds", "mail", "edits", "age"],
  });
}

function recentEdits({ recent, now, viewer }: Today): Markup {
  const items = recent.map((edit) => {
    const { id, words, createdAt, state } = edit;
    const moment = pageTimeOf(createdAt, { zone: viewer.zone, now });
    return html`<li class="with-action"><div><p><strong><bdi>${words.who}</bdi></strong> ${spoken(words.did)}${words.by === null ? null : `, ${words.by}`}</p><p class="quiet small">${badge(words.standing, stateTones[state])} <a href="edits/${id}">${moment}</a></p></div>${undoLink(edit)}</li>`;
  });
  return card({
    title: say("today.recent"),
    aside: html`<a href="edits">${say("today.allEdits")}</a>`,
    body:
      items.length > 0
        ? html`<ul class="plain-list">${items}</ul>`
        : emptyState(say("today.noEdit"), say("today.noEditText")),
    id: "recent",
    live: ["edits"],
  });
}

/** Link to what undoing the edit would change; null if it cannot be undone. */
function undoLink({ id, ways, words }: EditDescription): Markup | null {
  if (!ways.some(({ act }) => act === "undo")) return null;
  const name = say("today.undoEdit", { change: `${words.who} ${words.did}` });
  return html`<a class="button" href="edits/${id}/undo" aria-label="${name}">${say("action.undoEllipsis")}</a>`;
}

function projectAges({ projects, now }: Today): Markup {
  const rows = projects.map((project) => [
    html`<bdi>${project.title}</bdi>`,
    ageInWords(project, now),
  ]);
  return card({
    title: say("word.projects"),
    body:
      rows.length > 0
        ? table({
            caption: say("today.lastSyncOfProjects"),
            columns: [say("word.project"), say("today.lastSynced")],
            rows,
          })
        : emptyState(say("today.noProject"), say("today.noProjectText")),
    footer: say("today.agesFooter"),
    id: "projects",
    live: ["mirror", "age"],
  });
}

function ageInWords(
  { readAt, unread, lists, failing }: ProjectToday,
  now: Temporal.Instant,
): Markup {
  if (readAt === null) return badge(say("today.notSynced"), "info");
  const said = html`<span class="nowrap">${ago(readAt, now)}</span>`;
  if (failing > 0) {
    return html`${said} ${badge(failing === lists ? say("today.cannotRead") : say("today.someCannotRead", { failing, lists }), "wait")}`;
  }
  return unread > 0
    ? html`${said} ${badge(say("today.listsSoFar", { read: lists - unread, lists }), "info")}`
    : said;
}
