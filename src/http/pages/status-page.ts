import type { KeptBackup } from "../../backups/snapshots.ts";
import type { EffectiveSetting } from "../../config/effective.ts";
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
import type { Page } from "./layout.ts";
import { html, type Markup, type TemplatePart } from "./markup-template.ts";
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
  readonly formToken: string;
  readonly root: string;
}

/** The daemon's state and settings; at `/status`. */
export function statusPage(
  status: Status,
  { findings, settings, canTest, backups, formToken, root }: StatusPageOptions,
): Page {
  const { version, startedAt, now, timeZone: zone } = status;
  return {
    title: "Status",
    current: "status",
    lead: html`Dayferry ${version}, started ${pageTimeOf(startedAt, { zone, now })}.`,
    actions: postForm(
      { action: `${root}status/check`, formToken, inRow: true },
      html`${button("Check everything", { tone: "main" })}${canTest ? button("Send a test message", { to: `${root}status/test` }) : null}`,
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
${backups && backupsCard(backups, { status, root, formToken })}
</div>
${diagnostics(status, settings)}`,
  };
}

const verdicts: Readonly<Record<StatusFinding["verdict"], readonly [word: string, tone: Tone]>> = {
  fine: ["OK", "good"],
  doubtful: ["warning", "wait"],
  broken: ["broken", "bad"],
};

const rank: Readonly<Record<StatusFinding["verdict"], number>> = {
  broken: 0,
  doubtful: 1,
  fine: 2,
};

function findingsCard(findings: readonly StatusFinding[]): Markup {
  const rows = findings
    .toSorted((a, b) => rank[a.verdict] - rank[b.verdict])
    .map(({ verdict, subject, what, remedy }) => [
      subject,
      badge(...verdicts[verdict]),
      html`${what}${remedy === null ? null : html`<br><span class="quiet">What to do: ${remedy}.</span>`}`,
    ]);
  const open = findings.filter(({ verdict }) => verdict !== "fine").length;
  return card({
    title: "Findings",
    aside: badge(open === 0 ? "no problems" : `${open} to check`, open === 0 ? "good" : "wait"),
    body: table({
      caption: "Checks and their results",
      columns: [{ title: "Check" }, { title: "Result" }, { title: "Details" }],
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
    title: "Read-only",
    aside:
      problem === null
        ? badge(fresh ? "up to date" : "outdated", fresh ? "good" : "wait")
        : badge("last good copy", "bad"),
    body: html`<p>This server shows a copy of another server's database. You cannot change anything here. Edits, mails and quota below are those of the other server.</p>${facts(
      [
        [
          "Make edits at",
          primary === null
            ? "the other server; set http.primaryUrl to show it"
            : html`<a href="${primary}">${primary}</a>`,
        ],
        [
          "Last synced",
          readAt === null
            ? "nothing synced yet"
            : html`${pageTimeOf(readAt, { zone, now })} (${ago(readAt, now)})`,
        ],
        ["Copy written", pageTimeOf(fileAt, { zone, now })],
        ["Served since", html`${pageTimeOf(takenAt, { zone, now })}, as revision ${revision}`],
      ],
    )}${problem === null ? null : html`<p>The current file is not served: ${problem}.</p>`}`,
    id: "copy",
  });
}

/** The same sentences as in the log, in messages and in `doctor`. */
function troublesCard({ troubles, now, timeZone: zone }: Status): Markup | null {
  if (troubles.length === 0) return null;
  return card({
    title: "Problems",
    aside: badge(
      troubles.length === 1 ? "1 problem" : `${troubles.length} problems`,
      troubles.some(({ verdict }) => verdict === "broken") ? "bad" : "wait",
    ),
    body: html`<ul>${troubles.map(
      ({ title, sentence, since }) =>
        html`<li><p class="title">${title}</p><p>${sentence}</p><p class="quiet small">since ${pageTimeOf(since, { zone, now })}</p></li>`,
    )}</ul>`,
    id: "troubles",
    live: ["mirror", "edits", "mail"],
  });
}

/** Number of backups shown. */
const mostBackups = 5;

const reasonsInWords: Readonly<Record<KeptBackup["reason"], string>> = {
  daily: "daily",
  asked: "on request",
  "before-migration": "before an update",
};

function backupsCard(
  backups: readonly KeptBackup[],
  about: { readonly status: Status; readonly root: string; readonly formToken: string },
): Markup {
  const { status, root, formToken } = about;
  const { now, timeZone: zone } = status;
  const rows = backups
    .slice(0, mostBackups)
    .map(({ name, reason, madeAt, octets }) => [
      html`<a href="${root}status/backups/${encodeURIComponent(name)}" download>${pageTimeOf(madeAt, { zone, now })}</a>`,
      reasonsInWords[reason],
      `${(octets / 1e6).toFixed(1)} MB`,
    ]);
  return card({
    title: "Backups",
    aside: badge(
      backups.length === 0 ? "none yet" : `${backups.length} kept`,
      backups.length === 0 ? "wait" : "good",
    ),
    body: html`${
      rows.length === 0
        ? emptyState({
            title: "No backup yet",
            text: "One is made every day, and before an update changes the database.",
          })
        : table({
            caption: "The newest backups, to download",
            columns: [{ title: "Made" }, { title: "Why" }, { title: "Size" }],
            rows,
          })
    }${postForm({ action: `${root}status/backups`, formToken }, button("Back up now"))}`,
    id: "backups",
  });
}

function failing({ errors, now }: Status): Markup | null {
  const problems = errors.filter(({ severity }) => severity === "problem");
  if (problems.length === 0) return null;
  return notice(
    "wait",
    html`<p class="title">Cannot be read or stored</p><ul>${problems.map(
      ({ source, problem, failures, at }) =>
        html`<li>${source}: ${problem ?? ""} (${failures === 1 ? "once" : `${failures} times in a row`}${at ? `, last ${ago(at, now)}` : ""})</li>`,
    )}</ul>`,
  );
}

function sync({ mirror, fresh, polling }: Status): Markup {
  const { projects, todolists, people, labels } = mirror;
  return card({
    title: "Sync",
    aside: badge(fresh ? "up to date" : "syncing", fresh ? "good" : "info"),
    body: facts([
      ["Workspace", `${projects} projects, ${todolists} lists, ${people} people, ${labels} labels`],
      [
        "Items",
        `${mirror.event} events and milestones, ${mirror.task} tasks, ${mirror.subtask} subtasks`,
      ],
      [
        "Oldest data",
        mirror.oldestAgeSeconds === null
          ? "nothing synced yet"
          : `${length(mirror.oldestAgeSeconds)} old; limit ${length(polling.ceilingSeconds)}`,
      ],
    ]),
    id: "reading",
    live: ["mirror"],
  });
}

function edits({ journal, extras, frozen, twins }: Status): Markup {
  const count = (state: keyof typeof journal) => journal[state] ?? 0;
  const notes = [
    ...frozen.map(({ edit, title, problem }) => `Edit ${edit} of “${title}”: ${problem ?? ""}`),
    ...twins.map(({ edit, title, problem }) => `Edit ${edit} of “${title}”: ${problem}`),
  ];
  const waiting = count("parked") + count("held");
  const others = Object.values(extras).reduce((sum, each) => sum + (each ?? 0), 0);
  return card({
    title: "Edits",
    aside: badge(
      waiting === 0 ? "none waiting" : `${waiting} waiting`,
      waiting === 0 ? "good" : "wait",
    ),
    body: html`${facts([
      ["Pending", count("pending") + count("claimed")],
      ["Waiting for a decision", count("parked")],
      ["Waiting for approval", count("held")],
      ["Confirmed", count("confirmed")],
      ["Discarded or undone", count("discarded") + count("undone")],
      ["Comments and files", others === 0 ? null : others],
    ])}${notes.length === 0 ? null : html`<ul>${notes.map((text) => html`<li>${text}</li>`)}</ul>`}`,
    id: "edits",
    live: ["edits"],
  });
}

function mail({ mail: state }: Status, settings: readonly EffectiveSetting[]): Markup {
  const { sent, deferred, rejected, problem, turnedOff } = state;
  const isFine = deferred === 0 && problem === null;
  return card({
    title: "Mail",
    aside: badge(isFine ? "OK" : "warning", isFine ? "good" : "wait"),
    body: facts([
      ["Delivery", wayOfMails(settings)],
      ["Sent", sent],
      ["Waiting", deferred],
      ["Rejected", rejected],
      [
        "Turned off",
        turnedOff.length === 0
          ? null
          : `by ${new Set(turnedOff.map(({ person }) => person)).size} people`,
      ],
      ["Problem", problem],
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
    ? html`to files only: <code>mail.smtpUrl</code> is not set`
    : html`by <bdi>${server.value}</bdi>`;
}

function waysIn({ inbox, subscriptions, feeds, now }: Status): Markup {
  const rows = subscriptions.map(({ name, items, succeededAt, changedAt, problem }) => [
    name,
    problem !== null
      ? html`${badge("cannot be read", "wait")} ${problem}`
      : succeededAt
        ? `${items} items, read ${ago(succeededAt, now)}${changedAt ? `, changed ${ago(changedAt, now)}` : ""}`
        : "not read yet",
  ]);
  const folder = inbox && [
    `Folder ${inbox.folder}`,
    inbox.problem ??
      `${inbox.waiting} waiting${inbox.last ? `, the last file is ${inbox.last.target}` : ""}`,
  ];
  const all = [...(folder ? [folder] : []), ...rows];
  return card({
    title: "Feeds and imports",
    body: html`${facts([["Feeds", `${feeds} published`]])}${
      all.length === 0
        ? html`<p class="quiet">No watched folder and no subscribed calendars (edits.inbox, edits.subscriptions).</p>`
        : table({
            caption: "Watched folder and subscribed calendars",
            columns: [{ title: "From" }, { title: "Status" }],
            rows: all,
          })
    }`,
    id: "ways",
    live: ["feeds", "mirror"],
  });
}
