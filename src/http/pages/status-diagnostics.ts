import type { EffectiveSetting } from "../../config/effective.ts";
import { longBlockInWords, quotaInWords } from "../../domain/wording.ts";
import type { Status } from "../status.ts";
import { badge, card, emptyState, facts, folded, table } from "./components.ts";
import { html, type Markup } from "./markup-template.ts";
import { length, pageTimeOf } from "./page-times.ts";

/** How the daemon works inside, collapsed: for whoever looks for the cause of a problem. */
export const diagnostics = (status: Status, settings: readonly EffectiveSetting[]): Markup =>
  html`<details id="diagnostics"><summary>Diagnostics</summary>
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
    title: "Polling",
    body: facts([
      [
        "Sources",
        `${sources}${sourcesNeverRead > 0 ? `, ${sourcesNeverRead} not synced yet` : ""}`,
      ],
      [
        "Poll cycle",
        `${length(plan.bestAgeSeconds)} for ${plan.sources} lists at ${Math.round(plan.pace * 100) / 100} requests per second${
          plan.isMet ? "" : ", more than polling.maxAge allows"
        }`,
      ],
      ["List of all tasks", fastPathInWords(fastPath)],
      [
        "Clocks",
        clockAheadSeconds === null ? "not known yet" : `${Math.abs(clockAheadSeconds)} s apart`,
      ],
      ["Time zone data", zoneData.tz],
    ]),
    id: "polling",
    live: ["mirror"],
  });
}

function fastPathInWords(fastPath: Status["fastPath"]): string {
  switch (fastPath.kind) {
    case "used":
      return `used: ${fastPath.pages} pages`;
    case "checking":
      return "being verified";
    case "off":
      return fastPath.reason === null ? "not used" : `not used: ${fastPath.reason}`;
  }
}

function quota({ quota: gate, now, timeZone: zone }: Status): Markup {
  return card({
    title: "API quota",
    aside: gate.pausedUntil
      ? badge("paused", "wait")
      : badge(
          gate.rateLimited > 0 ? "limit reached" : "OK",
          gate.rateLimited > 0 ? "wait" : "good",
        ),
    body: facts([
      ["In use", quotaInWords(gate)],
      [
        "Paused",
        gate.pausedUntil ? html`until ${pageTimeOf(gate.pausedUntil, { zone, now })}` : null,
      ],
      ["Share", gate.share < gate.quota ? `${gate.share} of ${gate.quota} for now` : null],
      ["Since the start", `${gate.sent} requests, ${gate.rateLimited} rejected by the rate limit`],
    ]),
    footer: "Full use is normal: requests that edits do not need are used for syncing.",
    id: "quota",
    live: ["mirror"],
  });
}

function answers({ eventLoop, storage, proxy, disk, metrics }: Status): Markup {
  const block = longBlockInWords(eventLoop);
  const { p50Ms, p99Ms, longestMs, minutes } = eventLoop;
  return card({
    title: "This machine",
    aside: badge(storage || block ? "warning" : "OK", storage || block ? "wait" : "good"),
    body: html`${facts([
      ["Event loop delay", `${longestMs} ms at most, ${p50Ms} ms median, ${p99Ms} ms p99`],
      ["Storage", storage ? storage.problem : "OK"],
      [
        "Database",
        disk && `${octets(disk.databaseBytes + disk.walBytes)}, ${octets(disk.freeBytes)} free`,
      ],
      ["Metrics", metrics === null ? "none" : html`<a href="${metrics}">${metrics}</a>`],
      [
        "Proxy",
        proxy.forwardedAt !== null
          ? "requests come through a proxy that http.trustProxy does not name"
          : proxy.trusted
            ? "trusted"
            : "none",
      ],
    ])}${block === null ? null : html`<p>${block.charAt(0).toUpperCase()}${block.slice(1)}.</p>`}`,
    footer: `In the last ${minutes === 1 ? "minute" : `${minutes} minutes`}.`,
    id: "answers",
  });
}

/** Whole mebibytes, or gibibytes for large numbers. */
function octets(count: number): string {
  const mebibytes = count / 2 ** 20;
  if (mebibytes < 2048) return `${Math.ceil(mebibytes).toLocaleString("en")} MiB`;
  return `${Math.floor(mebibytes / 1024).toLocaleString("en")} GiB`;
}

const kindWords: readonly (readonly [keyof Status["mirror"]["ages"], string])[] = [
  ["events", "Events and milestones"],
  ["tasks", "Tasks and subtasks"],
  ["names", "Names of projects, lists, people, labels"],
];

function lists({
  mirror: { ages, comments, historyEntries, files, openQuestions, revision },
}: Status): Markup {
  const rows = kindWords.flatMap(([kind, words]) => {
    const age = ages[kind];
    return age === null
      ? []
      : [[words, `${length(age.newestSeconds)} ago`, `${length(age.oldestSeconds)} ago`]];
  });
  return card({
    title: "Data age",
    body: html`${
      rows.length === 0
        ? emptyState({
            title: "No data yet",
            text: "The first sync is running.",
          })
        : table({
            caption: "Last sync of sources, by kind",
            columns: [
              { title: "Sources" },
              { title: "Newest", isNumber: true },
              { title: "Oldest", isNumber: true },
            ],
            rows,
          })
    }${folded(
      "More figures",
      facts([
        ["Comments", comments],
        ["History entries", historyEntries],
        ["Files", files],
        ["Deletion checks", openQuestions],
        ["Revision", revision],
      ]),
    )}`,
    id: "ages",
    live: ["mirror"],
  });
}

const byWords = (by: string): Markup =>
  by === "default"
    ? html`<span class="quiet">default</span>`
    : html`${by === "file" ? "file" : html`<code>${by}</code>`}`;

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
      columns: [{ title: "Key" }, { title: "Value" }, { title: "From" }],
      rows: some.map(row),
    });
  const set = settings.filter(({ by }) => by !== "default");
  const defaults = settings.filter(({ by }) => by === "default");
  return card({
    title: "Configuration",
    aside: html`<span class="quiet small">${set.length} keys set, ${defaults.length} defaults</span>`,
    body: html`${show("Keys set", set)}
${folded("Defaults", show("Defaults", defaults))}`,
    footer: "Read at startup: restart Dayferry after a change. Secrets are never shown.",
    id: "configuration",
  });
}
