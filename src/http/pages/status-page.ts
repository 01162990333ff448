import type { KeptBackup } from "../../backups/snapshots.ts";
import type { EffectiveSetting } from "../../config/effective.ts";
import { say } from "../../texts/say.ts";
import { retold } from "../../texts/stored.ts";
import type { Status } from "../status.ts";
import {
  badge,
  button,
  card,
  emptyState,
  facts,
  notice,
  postForm,
  type Tone,
  table,
} from "./components.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup, sayHtml, type TemplatePart } from "./markup-template.ts";
import { ago, length, pageTimeOf } from "./page-times.ts";
import { diagnostics } from "./status-diagnostics.ts";

/** The result of one check; doubtful and broken ones say what helps. */
export interface StatusFinding {
  readonly verdict: "fine" | "doubtful" | "broken";
  readonly subject: string;
  readonly what: string;
  readonly remedy: string | null;
}

interface StatusPageOptions {
  /** Results of the full check; null if it was not requested. */
  readonly findings: readonly StatusFinding[] | null;
  /** Empty if there is nothing to set up. */
  readonly settings: readonly EffectiveSetting[];
  /** True if a test message can be sent to the operator. */
  readonly canTest: boolean;
  /** Newest first; null if none are made. */
  readonly backups: readonly KeptBackup[] | null;
  /** How many webhooks for events; null if nothing is sent. */
  readonly hooks: number | null;
}

/** The daemon's state and settings; at `/status`. */
export function statusPage(
  status: Status,
  { findings, settings, canTest, backups, hooks }: StatusPageOptions,
  frame: FormFrame,
): Page {
  const { version, startedAt, now, timeZone: zone } = status;
  return {
    title: say("layout.status"),
    current: "status",
    lead: sayHtml("status.lead", { version, at: pageTimeOf(startedAt, { zone, now }) }),
    actions: postForm(
      { action: `${frame.root}status/check`, formToken: frame.formToken, inRow: true },
      html`${button(say("status.checkAll"), { tone: "main" })}${canTest ? button(say("status.sendTest"), { to: `${frame.root}status/test` }) : null}`,
    ),
    body: html`${copyCard(status)}
${findings && findingsCard(findings)}
${troublesCard(status)}
${failing(status)}
<div class="halves">
${sync(status)}
${edits(status)}
${mail(status, settings)}
${waysIn(status)}
${backups && backupsCard(backups, status, frame)}
${hooks === null ? null : hooksCard(hooks, frame.root)}
</div>
${diagnostics(status, settings)}`,
  };
}

const hooksCard = (hooks: number, root: string): Markup =>
  card({
    title: say("hooks.title"),
    id: "webhooks",
    body: html`<p>${say("hooks.count", { count: hooks })}</p><p><a href="${root}webhooks">${say("hooks.link")}</a></p>`,
  });

const verdictTones: Readonly<Record<StatusFinding["verdict"], Tone>> = {
  fine: "good",
  doubtful: "wait",
  broken: "bad",
};

const rank: readonly StatusFinding["verdict"][] = ["broken", "doubtful", "fine"];

const okBadge = (isOk: boolean, text: string): Markup => badge(text, isOk ? "good" : "wait");

function findingsCard(findings: readonly StatusFinding[]): Markup {
  const rows = findings
    .toSorted((a, b) => rank.indexOf(a.verdict) - rank.indexOf(b.verdict))
    .map(({ verdict, subject, what, remedy }) => [
      subject,
      badge(say(`status.verdict.${verdict}`), verdictTones[verdict]),
      html`${what}${remedy === null ? null : html`<br><span class="quiet">${say("outage.remedy", { remedy })}</span>`}`,
    ]);
  const open = findings.filter(({ verdict }) => verdict !== "fine").length;
  return card({
    title: say("status.findings"),
    aside: okBadge(
      open === 0,
      open === 0 ? say("status.noProblems") : say("status.toCheck", { count: open }),
    ),
    body: table({
      caption: say("status.checksCaption"),
      columns: [say("status.check"), say("status.result"), say("action.details")],
      rows,
    }),
    id: "findings",
  });
}

/** State of a read-only server; null for an own database. */
function copyCard({ copy, fresh, now, timeZone: zone }: Status): Markup | null {
  if (copy === null) return null;
  const { readAt, fileAt, takenAt, revision, problem, primary } = copy;
  return card({
    title: say("status.copyTitle"),
    aside:
      problem === null
        ? okBadge(fresh, say(fresh ? "status.upToDate" : "status.outdated"))
        : badge(say("status.lastGood"), "bad"),
    body: html`<p>${say("status.copyText")}</p>${facts([
      [
        say("status.makeEditsAt"),
        primary === null ? say("status.otherServer") : html`<a href="${primary}">${primary}</a>`,
      ],
      [
        say("today.lastSynced"),
        readAt === null
          ? say("status.nothingSynced")
          : html`${pageTimeOf(readAt, { zone, now })} (${ago(readAt, now)})`,
      ],
      [say("status.copyWritten"), pageTimeOf(fileAt, { zone, now })],
      [
        say("status.servedSince"),
        sayHtml("status.asRevision", { at: pageTimeOf(takenAt, { zone, now }), revision }),
      ],
    ])}${problem === null ? null : html`<p>${say("status.notServed", { problem: retold(problem) })}</p>`}`,
    id: "copy",
  });
}

/** The same sentences as in the log, in messages and in `doctor`. */
function troublesCard({ troubles, now, timeZone: zone }: Status): Markup | null {
  if (troubles.length === 0) return null;
  return card({
    title: say("status.problems"),
    aside: badge(
      say("status.problemCount", { count: troubles.length }),
      troubles.some(({ verdict }) => verdict === "broken") ? "bad" : "wait",
    ),
    body: html`<ul>${troubles.map(
      ({ title, sentence, since }) =>
        html`<li><p class="title">${title}</p><p>${sentence}</p><p class="quiet small">${sayHtml("status.since", { at: pageTimeOf(since, { zone, now }) })}</p></li>`,
    )}</ul>`,
    id: "troubles",
    live: ["mirror", "edits", "mail"],
  });
}

/** Number of backups shown. */
const mostBackups = 5;

function backupsCard(
  backups: readonly KeptBackup[],
  { now, timeZone: zone }: Status,
  { root, formToken }: FormFrame,
): Markup {
  const rows = backups
    .slice(0, mostBackups)
    .map(({ name, reason, madeAt, octets }) => [
      html`<a href="${root}status/backups/${encodeURIComponent(name)}" download>${pageTimeOf(madeAt, { zone, now })}</a>`,
      say(`status.backup.${reason}`),
      `${(octets / 1e6).toFixed(1)} MB`,
    ]);
  return card({
    title: say("status.backups"),
    aside: okBadge(
      rows.length > 0,
      rows.length > 0 ? say("status.kept", { count: backups.length }) : say("status.noneYet"),
    ),
    body: html`${
      rows.length === 0
        ? emptyState(say("status.noBackup"), say("status.noBackupText"))
        : table({
            caption: say("status.backupsCaption"),
            columns: [say("status.made"), say("status.why"), say("status.size")],
            rows,
          })
    }${postForm({ action: `${root}status/backups`, formToken }, button(say("status.backUpNow")))}`,
    id: "backups",
  });
}

function failing({ errors, now }: Status): Markup | null {
  const problems = errors.filter(({ severity }) => severity === "problem");
  if (problems.length === 0) return null;
  return notice(
    "wait",
    html`<p class="title">${say("status.cannotReadTitle")}</p><ul>${problems.map(
      ({ source, problem, failures, at }) =>
        html`<li>${source}: ${retold(problem ?? "")} (${say("status.failures", { count: failures })}${at ? `, ${say("status.lastFailure", { ago: ago(at, now) })}` : ""})</li>`,
    )}</ul>`,
  );
}

function sync({ mirror, fresh, polling }: Status): Markup {
  const { projects, todolists, people, labels } = mirror;
  return card({
    title: say("status.sync"),
    aside: badge(say(fresh ? "status.upToDate" : "status.syncing"), fresh ? "good" : "info"),
    body: facts([
      [
        say("status.workspace"),
        say("status.workspaceText", { projects, lists: todolists, people, labels }),
      ],
      [
        say("word.items"),
        say("status.itemsText", {
          events: mirror.event,
          tasks: mirror.task,
          subtasks: mirror.subtask,
        }),
      ],
      [
        say("status.oldestData"),
        mirror.oldestAgeSeconds === null
          ? say("status.nothingSynced")
          : say("status.oldText", {
              age: length(mirror.oldestAgeSeconds),
              limit: length(polling.ceilingSeconds),
            }),
      ],
    ]),
    id: "reading",
    live: ["mirror"],
  });
}

function edits({ journal, extras, frozen, twins }: Status): Markup {
  const count = (state: keyof typeof journal) => journal[state] ?? 0;
  const notes = [
    ...frozen.map((one) => ({ ...one, problem: retold(one.problem ?? "") })),
    ...twins,
  ].map(({ edit, title, problem }) => say("status.editOf", { id: edit, title, problem }));
  const waiting = count("parked") + count("held");
  const others = Object.values(extras).reduce((sum, each) => sum + (each ?? 0), 0);
  return card({
    title: say("layout.edits"),
    aside: okBadge(
      waiting === 0,
      waiting === 0 ? say("status.noneWaiting") : say("status.waiting", { count: waiting }),
    ),
    body: html`${facts([
      [say("status.pending"), count("pending") + count("claimed")],
      [say("status.waitingDecision"), count("parked")],
      [say("status.waitingApproval"), count("held")],
      [say("status.confirmed"), count("confirmed")],
      [say("status.discarded"), count("discarded") + count("undone")],
      [say("status.commentsFiles"), others === 0 ? null : others],
    ])}${notes.length === 0 ? null : html`<ul>${notes.map((text) => html`<li>${text}</li>`)}</ul>`}`,
    id: "edits",
    live: ["edits"],
  });
}

function mail({ mail: state }: Status, settings: readonly EffectiveSetting[]): Markup {
  const { sent, deferred, rejected, problem, turnedOff } = state;
  const isFine = deferred === 0 && problem === null;
  return card({
    title: say("status.mail"),
    aside: okBadge(isFine, say(isFine ? "word.ok" : "word.warning")),
    body: facts([
      [say("status.delivery"), wayOfMails(settings)],
      [say("people.sent"), sent],
      [say("status.mailWaiting"), deferred],
      [say("status.mailRejected"), rejected],
      [
        say("status.turnedOff"),
        turnedOff.length === 0
          ? null
          : say("status.byPeople", {
              count: new Set(turnedOff.map(({ person }) => person)).size,
            }),
      ],
      [say("status.problem"), problem && retold(problem)],
    ]),
    id: "mail",
    live: ["mail"],
  });
}

/** Null if no configuration is shown. */
function wayOfMails(settings: readonly EffectiveSetting[]): TemplatePart {
  const server = settings.find(({ path }) => path === "mail.smtpUrl");
  if (!server) return null;
  return server.value === "none"
    ? sayHtml("status.filesOnly", { code: (text) => html`<code>${text}</code>` })
    : sayHtml("status.byServer", { server: html`<bdi>${server.value}</bdi>` });
}

function waysIn({ inbox, subscriptions, feeds, now }: Status): Markup {
  const rows = subscriptions.map(({ name, items, succeededAt, changedAt, problem }) => [
    name,
    problem !== null
      ? html`${badge(say("today.cannotRead"), "wait")} ${retold(problem)}`
      : succeededAt
        ? changedAt
          ? say("status.subscribedChanged", {
              items,
              ago: ago(succeededAt, now),
              changed: ago(changedAt, now),
            })
          : say("status.subscribed", { items, ago: ago(succeededAt, now) })
        : say("status.notRead"),
  ]);
  const folder = inbox && [
    say("status.folder", { folder: inbox.folder }),
    (inbox.problem === null ? null : retold(inbox.problem)) ??
      [
        say("status.waiting", { count: inbox.waiting }),
        ...(inbox.last ? [say("status.lastFile", { file: inbox.last.target })] : []),
      ].join(", "),
  ];
  const all = [...(folder ? [folder] : []), ...rows];
  return card({
    title: say("status.ways"),
    body: html`${facts([[say("layout.feeds"), say("status.published", { count: feeds })]])}${
      all.length === 0
        ? html`<p class="quiet">${say("status.noWays")}</p>`
        : table({
            caption: say("status.waysCaption"),
            columns: [say("word.from"), say("layout.status")],
            rows: all,
          })
    }`,
    id: "ways",
    live: ["feeds", "mirror"],
  });
}
