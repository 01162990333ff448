import type { NamedLink } from "../domain/link-actions.ts";
import { unreachable } from "../domain/result.ts";
import { letterHtml } from "./letter-html.ts";
import type { Stop } from "./post-office.ts";

/** What a mail says, before it is plain text or HTML. Nothing in it is markup. */
export interface Letter {
  /** One line, whatever the titles in it hold. */
  readonly subject: string;
  /** The fact in one line: phones show it under the subject. */
  readonly lede: string;
  readonly heading: string;
  /** What the page says under its heading where the lede is not seen; null = its parts say all. */
  readonly fact: string | null;
  readonly parts: readonly Part[];
  /** Why the reader gets it. */
  readonly reason: string;
  readonly stop: Stop | null;
}

export type Part =
  /** The first one stands out. */
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | {
      readonly kind: "facts";
      readonly facts: readonly { readonly name: string; readonly value: string }[];
    }
  /** What people have written, with its line breaks. */
  | { readonly kind: "prose"; readonly text: string }
  | { readonly kind: "links"; readonly links: readonly NamedLink[] }
  | Section;

/** A list of items under a heading. */
export interface Section {
  readonly kind: "section";
  readonly heading: string;
  readonly entries: readonly Entry[];
  /** How many there are besides. */
  readonly more: number;
}

export interface Entry {
  readonly title: string;
  /** When, where, what kind; "" for nothing. */
  readonly about: string;
  readonly url: string | null;
}

export interface RenderedLetter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Both forms of a mail. */
export function renderLetter(letter: Letter): RenderedLetter {
  return { subject: letter.subject, text: letterText(letter), html: letterHtml(letter) };
}

function letterText({ lede, parts, reason, stop }: Letter): string {
  const blocks = [
    [lede, ...parts.slice(0, 1).flatMap((part) => (part.kind === "lines" ? part.lines : []))],
    ...parts.flatMap((part, index) =>
      index === 0 && part.kind === "lines" ? [] : [linesOf(part)],
    ),
    // The usual mark before what is no part of the message.
    ["-- ", reason, ...(stop ? [`${stop.label}: ${stop.url}`] : [])],
  ];
  const shown = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${shown.join("\n\n")}\n`;
}

function linesOf(part: Part): readonly string[] {
  switch (part.kind) {
    case "lines":
      return part.lines;
    case "facts":
      return part.facts.map(({ name, value }) => `${name}: ${value}`);
    case "prose":
      return part.text === "" ? [] : [part.text];
    case "links":
      return part.links.map(({ label, url }) => `${label}: ${url}`);
    case "section":
      return [
        part.heading,
        ...part.entries.flatMap(entryLines),
        ...(part.more > 0 ? [`  … and ${part.more} more`] : []),
      ];
    default:
      return unreachable(part);
  }
}

function entryLines({ title, about, url }: Entry): readonly string[] {
  return [
    `- ${title}`,
    ...(about === "" ? [] : [`  ${about}`]),
    ...(url === null ? [] : [`  ${url}`]),
  ];
}
