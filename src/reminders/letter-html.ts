import type { NamedLink } from "../domain/link-actions.ts";
import { unreachable } from "../domain/result.ts";
import type { Entry, Letter, Part } from "./letter.ts";
import { escapeHtml } from "./mail-text.ts";
import type { Stop } from "./post-office.ts";

/** The letter as a page that fits a phone; its first words, which mail programs preview, are the lede. */
export function letterHtml({ lede, heading, fact, parts, reason, stop }: Letter): string {
  return htmlFrame({
    title: heading,
    lede,
    body: [
      `<h2 dir="auto" style="margin:0 0 .3em;font-size:1.25em;line-height:1.25">${escapeHtml(heading)}</h2>`,
      ...(fact === null ? [] : [`<p style="margin:0"><strong>${escapeHtml(fact)}</strong></p>`]),
      ...parts.flatMap(markupOf),
    ],
    footer: footerOf(reason, stop),
  });
}

/** What mails have in common around their content; `body` and `footer` are markup. */
export function htmlFrame({
  title,
  lede,
  body,
  footer,
}: {
  readonly title: string;
  readonly lede: string;
  readonly body: readonly string[];
  readonly footer: readonly string[];
}): string {
  const lines = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title></head>`,
    '<body style="margin:0;padding:16px;font-family:sans-serif;font-size:16px;line-height:1.45;overflow-wrap:anywhere">',
    preheader(lede),
    '<div style="max-width:36em;margin:0 auto">',
    ...body,
    '<div style="margin:2em 0 0;padding:.6em 0 0;border-top:1px solid #8886;opacity:.75;font-size:.85em">',
    ...footer,
    "</div></div></body></html>",
  ];
  return `${lines.join("\n")}\n`;
}

export function footerOf(reason: string, stop: Stop | null): readonly string[] {
  return [
    `<p style="margin:0">${escapeHtml(reason)}</p>`,
    ...(stop
      ? [
          `<p style="margin:.6em 0 0"><a style="color:inherit" href="${escapeHtml(stop.url)}">${escapeHtml(stop.label)}</a></p>`,
        ]
      : []),
  ];
}

/** Shown in lists of mails and nowhere else. The blanks behind it keep the mail's own first words out of the preview. */
function preheader(lede: string): string {
  const blanks = "&#8199;&#65279;&#847; ".repeat(40).trimEnd();
  return `<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all">${escapeHtml(lede)} ${blanks}</div>`;
}

function markupOf(part: Part): readonly string[] {
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
    case "prose":
      return part.text === ""
        ? []
        : [
            `<p dir="auto" style="margin:1em 0 0;white-space:pre-wrap">${escapeHtml(part.text)}</p>`,
          ];
    case "links":
      return part.links.length === 0
        ? []
        : [`<p style="margin:1.2em 0 0">${part.links.map(buttonOf).join("\n")}</p>`];
    case "section":
      return [
        `<h3 style="margin:1.4em 0 .3em;font-size:1em">${escapeHtml(part.heading)}</h3>`,
        '<ul style="margin:0;padding:0 0 0 1.1em">',
        ...part.entries.map(entryMarkup),
        "</ul>",
        ...(part.more > 0
          ? [`<p style="margin:.3em 0 0;opacity:.75">… and ${part.more} more</p>`]
          : []),
      ];
    default:
      return unreachable(part);
  }
}

/** Large enough for a thumb. */
function buttonOf({ label, url }: NamedLink): string {
  const style =
    "display:inline-block;margin:0 .4em .5em 0;padding:.55em 1em;border:1px solid #8888;border-radius:.4em;color:inherit;text-decoration:none";
  return `<a style="${style}" href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
}

function entryMarkup({ title, about, url }: Entry): string {
  const shown = `<bdi>${escapeHtml(title)}</bdi>`;
  const named =
    url === null ? shown : `<a style="color:inherit" href="${escapeHtml(url)}">${shown}</a>`;
  const below = about === "" ? "" : `<br><span style="opacity:.75">${escapeHtml(about)}</span>`;
  return `<li style="margin:0 0 .4em">${named}${below}</li>`;
}
