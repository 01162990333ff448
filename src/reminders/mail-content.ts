import { unreachable } from "../domain/result.ts";
import type { NamedLink } from "../domain/signed-links.ts";
import { escapeHtml } from "../domain/text.ts";
import { momentInWords } from "../domain/wording.ts";
import type { Store } from "../store/store.ts";
import { currentLanguage, say } from "../texts/say.ts";
import type { UnsubscribeLink } from "./recipients.ts";

/** Content of a mail, before it becomes plain text or HTML. Contains no markup. */
export interface MailContent {
  /** One line, whatever the titles contain. */
  readonly subject: string;
  /** The main fact in one line; phones show it under the subject. */
  readonly preview: string;
  readonly heading: string;
  /** Shown under the heading, for programs without a preview; null if the parts contain everything. */
  readonly fact: string | null;
  readonly parts: readonly MailPart[];
  /** Why the recipient gets this mail. */
  readonly reason: string;
  readonly unsubscribe: UnsubscribeLink | null;
}

export type MailPart =
  /** The first line is emphasized. */
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | {
      readonly kind: "facts";
      readonly facts: readonly { readonly name: string; readonly value: string }[];
    }
  /** Values side by side under two column names; "" for a missing value. */
  | {
      readonly kind: "comparison";
      readonly sides: readonly [left: string, right: string];
      readonly rows: readonly {
        readonly name: string;
        readonly values: readonly [left: string, right: string];
      }[];
    }
  /** Text written by people, with its line breaks. */
  | { readonly kind: "prose"; readonly text: string }
  | { readonly kind: "links"; readonly links: readonly NamedLink[] }
  | Section;

/** A list of items with a heading. */
export interface Section {
  readonly kind: "section";
  readonly heading: string;
  readonly entries: readonly SectionEntry[];
  /** Number of items that are not listed. */
  readonly more: number;
}

export interface SectionEntry {
  readonly title: string;
  /** When, where, what kind; "" for nothing. */
  readonly about: string;
  readonly url: string | null;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sources are polled every few seconds: without a response for this long, the service is down. */
const freshFor = Temporal.Duration.from({ minutes: 3 });

/** A warning that the content may be outdated; empty if the service was read recently. */
export function staleWords({
  store,
  now,
  zone,
}: {
  readonly store: { readonly sources: Pick<Store["sources"], "lastReadAt"> };
  readonly now: Temporal.Instant;
  readonly zone: string;
}): readonly string[] {
  const readAt = store.sources.lastReadAt();
  if (!readAt || Temporal.Instant.compare(now, readAt.add(freshFor)) <= 0) return [];
  return [say("mailFrame.stale", { moment: momentInWords(readAt, zone) })];
}

/** Renders plain text and HTML. */
export function renderMail(content: MailContent): RenderedMail {
  return { subject: content.subject, text: textOfMail(content), html: htmlOfMail(content) };
}

function textOfMail({ preview, parts, reason, unsubscribe }: MailContent): string {
  const blocks = [
    [preview, ...parts.slice(0, 1).flatMap((part) => (part.kind === "lines" ? part.lines : []))],
    ...parts.flatMap((part, index) =>
      index === 0 && part.kind === "lines" ? [] : [linesOf(part)],
    ),
    // The usual marker before a signature.
    ["-- ", reason, ...(unsubscribe ? [`${unsubscribe.label}: ${unsubscribe.url}`] : [])],
  ];
  const shown = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${shown.join("\n\n")}\n`;
}

function linesOf(part: MailPart): readonly string[] {
  switch (part.kind) {
    case "lines":
      return part.lines;
    case "facts":
      return part.facts.map(({ name, value }) => `${name}: ${value}`);
    case "comparison":
      return part.rows.flatMap(({ name, values }) => [
        name,
        ...part.sides.flatMap((side, at) => (values[at] ? [`  ${side}: ${values[at]}`] : [])),
      ]);
    case "prose":
      return part.text === "" ? [] : [part.text];
    case "links":
      return part.links.map(({ label, url }) => `${label}: ${url}`);
    case "section":
      return [
        part.heading,
        ...part.entries.flatMap(entryLines),
        ...(part.more > 0 ? [`  ${say("mailFrame.more", { count: part.more })}`] : []),
      ];
    default:
      return unreachable(part);
  }
}

function entryLines({ title, about, url }: SectionEntry): readonly string[] {
  return [
    `- ${title}`,
    ...(about === "" ? [] : [`  ${about}`]),
    ...(url === null ? [] : [`  ${url}`]),
  ];
}

/** The mail as a responsive page. It starts with the preview, which mail programs show under the subject. */
function htmlOfMail({ preview, heading, fact, parts, reason, unsubscribe }: MailContent): string {
  return htmlFrame({
    title: heading,
    preview,
    body: [
      `<h2 dir="auto" style="margin:0 0 .3em;font-size:1.25em;line-height:1.25">${escapeHtml(heading)}</h2>`,
      ...(fact === null ? [] : [`<p style="margin:0"><strong>${escapeHtml(fact)}</strong></p>`]),
      ...parts.flatMap(markupOf),
    ],
    footer: footerOf(reason, unsubscribe),
  });
}

/** The frame shared by all mails; `body` and `footer` are markup. */
function htmlFrame({
  title,
  preview,
  body,
  footer,
}: {
  readonly title: string;
  readonly preview: string;
  readonly body: readonly string[];
  readonly footer: readonly string[];
}): string {
  const lines = [
    `<!doctype html><html lang="${currentLanguage()}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title></head>`,
    '<body style="margin:0;padding:16px;font-family:sans-serif;font-size:16px;line-height:1.45;overflow-wrap:anywhere">',
    preheader(preview),
    '<div style="max-width:36em;margin:0 auto">',
    `<p style="${brandStyle}"><span style="${markStyle}">&nbsp;</span>Dayferry</p>`,
    // Borders and opacities alone fit a light and a dark background.
    '<div style="padding:20px 24px;border:1px solid #8885;border-radius:12px">',
    ...body,
    "</div>",
    '<div style="margin:1em 24px 0;opacity:.75;font-size:.85em">',
    ...footer,
    "</div></div></body></html>",
  ];
  return `${lines.join("\n")}\n`;
}

const brandStyle = "margin:0 0 .7em;font-size:.85em;font-weight:bold;opacity:.85";
const markStyle =
  "display:inline-block;width:1em;line-height:1;margin:0 .5em 0 0;border-radius:.25em;background:#1559b7";

function footerOf(reason: string, unsubscribe: UnsubscribeLink | null): readonly string[] {
  return [
    `<p style="margin:0">${escapeHtml(reason)}</p>`,
    ...(unsubscribe
      ? [
          `<p style="margin:.6em 0 0"><a style="color:inherit" href="${escapeHtml(unsubscribe.url)}">${escapeHtml(unsubscribe.label)}</a></p>`,
        ]
      : []),
  ];
}

/** Shown only in the message list. The spaces behind it keep the body out of the preview. */
function preheader(preview: string): string {
  const blanks = "&#8199;&#65279;&#847; ".repeat(40).trimEnd();
  return `<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all">${escapeHtml(preview)} ${blanks}</div>`;
}

function markupOf(part: MailPart): readonly string[] {
  switch (part.kind) {
    case "lines": {
      const [first, ...rest] = part.lines;
      if (first === undefined) return [];
      return [
        `<p style="margin:0"><strong>${escapeHtml(first)}</strong></p>`,
        ...rest.map((line) => `<p style="margin:0">${escapeHtml(line)}</p>`),
      ];
    }
    case "facts":
      if (part.facts.length === 0) return [];
      return [
        '<div style="margin:1em 0 0">',
        ...part.facts.map(
          ({ name, value }) => `<p style="margin:0">${name}: <bdi>${escapeHtml(value)}</bdi></p>`,
        ),
        "</div>",
      ];
    case "comparison":
      return comparisonMarkup(part);
    case "prose":
      return part.text === ""
        ? []
        : [
            `<p dir="auto" style="margin:1em 0 0;white-space:pre-wrap">${escapeHtml(part.text)}</p>`,
          ];
    case "links":
      return part.links.length === 0
        ? []
        : [
            `<p style="margin:1.2em 0 0">${part.links.map((link, index) => buttonOf(link, index === 0)).join("\n")}</p>`,
          ];
    case "section":
      return [
        `<h3 style="margin:1.4em 0 .3em;font-size:1em">${escapeHtml(part.heading)}</h3>`,
        '<ul style="margin:0;padding:0 0 0 1.1em">',
        ...part.entries.map(entryMarkup),
        "</ul>",
        ...(part.more > 0
          ? [
              `<p style="margin:.3em 0 0;opacity:.75">${escapeHtml(say("mailFrame.more", { count: part.more }))}</p>`,
            ]
          : []),
      ];
    default:
      return unreachable(part);
  }
}

/** Row names never wrap; a side without values gets no column. */
function comparisonMarkup({
  sides,
  rows,
}: Extract<MailPart, { kind: "comparison" }>): readonly string[] {
  if (rows.length === 0) return [];
  const shown = ([0, 1] as const).filter((at) => rows.some(({ values }) => values[at] !== ""));
  const cell = (text: string, style = "") =>
    `<td style="padding:.2em 1em .2em 0;vertical-align:top${style}"><bdi>${escapeHtml(text)}</bdi></td>`;
  const row = (name: string, values: readonly [string, string]) =>
    `<tr>${cell(name, ";white-space:nowrap;overflow-wrap:normal;opacity:.75")}${shown.map((at) => cell(values[at])).join("")}</tr>`;
  const body = rows.map(({ name, values }) => row(name, values)).join("");
  return [`<table style="margin:1em 0 0;border-spacing:0">${row("", sides)}${body}</table>`];
}

/** Large enough for touch. The first is the most common choice. */
function buttonOf({ label, url }: NamedLink, isFirst: boolean): string {
  const look = isFirst
    ? "background:#1559b7;border:1px solid #1559b7;color:#ffffff"
    : "border:1px solid #8888;color:inherit";
  const style = `display:inline-block;margin:0 .4em .5em 0;padding:.6em 1.1em;border-radius:.5em;font-weight:bold;text-decoration:none;${look}`;
  return `<a style="${style}" href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
}

function entryMarkup({ title, about, url }: SectionEntry): string {
  const shown = `<bdi>${escapeHtml(title)}</bdi>`;
  const named =
    url === null ? shown : `<a style="color:inherit" href="${escapeHtml(url)}">${shown}</a>`;
  const below = about === "" ? "" : `<br><span style="opacity:.75">${escapeHtml(about)}</span>`;
  return `<li style="margin:0 0 .4em">${named}${below}</li>`;
}
