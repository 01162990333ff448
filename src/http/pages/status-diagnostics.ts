import type { EffectiveSetting } from "../../config/effective.ts";
import { asSentence } from "../../domain/text.ts";
import { longBlockInWords, quotaInWords } from "../../domain/wording.ts";
import { currentLocale } from "../../texts/dates.ts";
import { say } from "../../texts/say.ts";
import type { Status } from "../status.ts";
import { badge, card, emptyState, facts, folded, table } from "./components.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";
import { agoInWords, length, pageTimeOf } from "./page-times.ts";

/** Collapsed details about the daemon's inner state, for finding the cause of a problem. */
export const diagnostics = (status: Status, settings: readonly EffectiveSetting[]): Markup =>
  html`<details id="diagnostics"><summary>${say("diag.title")}</summary>
<div class="halves">
${polling(status)}
${quota(status)}
${answers(status)}
${lists(status)}
</div>
${configuration(settings)}</details>`;

function polling({ mirror, polling: plan, fastPath, clockAheadSeconds, zoneData }: Status): Markup {
  const { sources, sourcesNeverRead } = mirror;
  return card({
    title: say("diag.polling"),
    body: facts([
      [
        say("diag.sources"),
        sourcesNeverRead > 0
          ? say("diag.notSynced", { count: sources, unread: sourcesNeverRead })
          : sources,
      ],
      [
        say("diag.cycle"),
        [
          say("diag.cycleText", {
            age: length(plan.bestAgeSeconds),
            lists: plan.sources,
            pace: Math.round(plan.pace * 100) / 100,
          }),
          ...(plan.isMet ? [] : [say("diag.tooLong")]),
        ].join(", "),
      ],
      [say("diag.listOfAll"), fastPathInWords(fastPath)],
      [
        say("diag.clocks"),
        clockAheadSeconds === null
          ? say("diag.notKnown")
          : say("diag.apart", { seconds: Math.abs(clockAheadSeconds) }),
      ],
      [say("diag.zoneData"), zoneData.tz],
    ]),
    id: "polling",
    live: ["mirror"],
  });
}

function fastPathInWords(fastPath: Status["fastPath"]): string {
  switch (fastPath.kind) {
    case "used":
      return say("diag.used", { pages: fastPath.pages });
    case "checking":
      return say("diag.verified");
    case "off":
      return fastPath.reason === null
        ? say("diag.notUsed")
        : say("diag.notUsedWhy", { reason: fastPath.reason });
  }
}

function quota({ quota: gate, now, timeZone: zone }: Status): Markup {
  return card({
    title: say("diag.quota"),
    aside: gate.pausedUntil
      ? badge(say("diag.paused"), "wait")
      : badge(
          gate.rateLimited > 0 ? say("diag.limitReached") : say("word.ok"),
          gate.rateLimited > 0 ? "wait" : "good",
        ),
    body: facts([
      [say("diag.inUse"), quotaInWords(gate)],
      [
        say("diag.pausedRow"),
        gate.pausedUntil
          ? sayHtml("diag.until", { at: pageTimeOf(gate.pausedUntil, { zone, now }) })
          : null,
      ],
      [
        say("diag.share"),
        gate.share < gate.quota
          ? say("diag.shareText", { share: gate.share, quota: gate.quota })
          : null,
      ],
      [
        say("diag.sinceStart"),
        say("diag.requests", { sent: gate.sent, limited: gate.rateLimited }),
      ],
    ]),
    footer: say("diag.quotaFooter"),
    id: "quota",
    live: ["mirror"],
  });
}

function answers({ eventLoop, storage, proxy, disk, metrics }: Status): Markup {
  const block = longBlockInWords(eventLoop);
  const { p50Ms, p99Ms, longestMs, minutes } = eventLoop;
  return card({
    title: say("diag.machine"),
    aside: badge(
      storage || block ? say("word.warning") : say("word.ok"),
      storage || block ? "wait" : "good",
    ),
    body: html`${facts([
      [say("diag.loop"), say("diag.loopText", { longest: longestMs, median: p50Ms, p99: p99Ms })],
      [say("diag.storage"), storage ? storage.problem : say("word.ok")],
      [
        say("diag.database"),
        disk &&
          say("diag.free", {
            size: octets(disk.databaseBytes + disk.walBytes),
            free: octets(disk.freeBytes),
          }),
      ],
      [
        say("diag.metrics"),
        metrics === null ? say("value.none") : html`<a href="${metrics}">${metrics}</a>`,
      ],
      [
        say("diag.proxy"),
        proxy.forwardedAt !== null
          ? say("diag.proxyUnknown")
          : proxy.trusted
            ? say("diag.trusted")
            : say("value.none"),
      ],
    ])}${block === null ? null : html`<p>${asSentence(block)}</p>`}`,
    footer: say("diag.lastMinutes", { minutes }),
    id: "answers",
  });
}

/** Whole mebibytes, or gibibytes for large numbers. */
function octets(count: number): string {
  const mebibytes = count / 2 ** 20;
  if (mebibytes < 2048) return `${Math.ceil(mebibytes).toLocaleString(currentLocale())} MiB`;
  return `${Math.floor(mebibytes / 1024).toLocaleString(currentLocale())} GiB`;
}

const kinds = [
  "events",
  "tasks",
  "names",
] as const satisfies readonly (keyof Status["mirror"]["ages"])[];

function lists({
  mirror: { ages, comments, historyEntries, files, openQuestions, revision },
}: Status): Markup {
  const rows = kinds.flatMap((kind) => {
    const age = ages[kind];
    return age === null
      ? []
      : [[say(`diag.kind.${kind}`), agoInWords(age.newestSeconds), agoInWords(age.oldestSeconds)]];
  });
  return card({
    title: say("diag.ages"),
    body: html`${
      rows.length === 0
        ? emptyState(say("diag.noData"), say("diag.noDataText"))
        : table({
            caption: say("diag.agesCaption"),
            columns: [
              say("diag.sources"),
              { title: say("diag.newest"), isNumber: true },
              { title: say("diag.oldest"), isNumber: true },
            ],
            rows,
          })
    }${folded(
      say("diag.more"),
      facts([
        [say("field.commentCount"), comments],
        [say("diag.history"), historyEntries],
        [say("diag.files"), files],
        [say("diag.checks"), openQuestions],
        [say("diag.revision"), revision],
      ]),
    )}`,
    id: "ages",
    live: ["mirror"],
  });
}

const byWords = (by: string): Markup =>
  by === "default"
    ? html`<span class="quiet">${say("diag.default")}</span>`
    : html`${by === "file" ? say("diag.file") : html`<code>${by}</code>`}`;

/** Text in backquotes is code. */
const withCode = (text: string): readonly Markup[] =>
  text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

function configuration(settings: readonly EffectiveSetting[]): Markup | null {
  if (settings.length === 0) return null;
  const row = ({ path, value, by, about }: EffectiveSetting) => [
    html`<code>${path}</code><span class="about quiet small">${withCode(about)}</span>`,
    html`<span class="value">${value}</span>`,
    byWords(by),
  ];
  const show = (caption: string, some: readonly EffectiveSetting[]) =>
    table({
      caption,
      columns: [say("diag.key"), say("diag.value"), say("word.from")],
      rows: some.map(row),
    });
  const set = settings.filter(({ by }) => by !== "default");
  const defaults = settings.filter(({ by }) => by === "default");
  return card({
    title: say("diag.configuration"),
    aside: html`<span class="quiet small">${say("diag.keys", { set: set.length, defaults: defaults.length })}</span>`,
    body: html`${show(say("diag.keysSet"), set)}
${folded(say("diag.defaults"), show(say("diag.defaults"), defaults))}`,
    footer: say("diag.configFooter"),
    id: "configuration",
  });
}
