/**
 * Text as people write and read it: cleaned of invisible characters (`cleanText`), joined into one line (`oneLine`),
 * made safe for a terminal (`shownText`) or a page (`escapeHtml`), and rendered from HTML (`htmlToText`). All in linear
 * time, as anyone can write a description.
 */

import { cleanText } from "@dayferry/ical";
import { isHtml } from "./is-html.ts";

/** A description as calendars show it: HTML rendered, plain text cleaned, trailing white space removed; "" for none. */
export function plainDescription(description: string | null): string {
  if (description === null) return "";
  const text = isHtml(description) ? htmlToText(description) : cleanText(description);
  return text.trimEnd();
}

/** HTML as plain text with line breaks, and links after their words. Takes linear time. */
export function htmlToText(html: string): string {
  return cleanText(renderHtml(html));
}

/** The text with a capital letter at its beginning. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A clause as a sentence: "nothing is sent" becomes "Nothing is sent." */
export const asSentence = (clause: string): string =>
  /[.!?…]$/.test(clause) ? capital(clause) : `${capital(clause)}.`;

/** Escapes a text for the content and quoted attributes of HTML. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/**
 * Control characters steer a terminal. A lone CR overwrites its line, and bidirectional overrides make a text read as
 * another one. Source: UAX 9; CVE-2021-42574.
 */
const controlCharacters = /(?![\t\n\r])\p{Cc}|\r(?!\n)|[\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

/**
 * A text that is safe to print: control characters except tabs and line ends, and bidirectional overrides, become
 * `\u001b`, which JSON reads back.
 */
export const shownText = (text: string): string =>
  text.replace(
    controlCharacters,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** The text of an HTML fragment, without scripts, styles and comments. */
function renderHtml(html: string): string {
  const layout = createLayout();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    const tag = open < 0 ? null : readTag(html, open);
    if (open < 0 || tag === "unclosed") {
      layout.write(decodeEntities(html.slice(at)));
      break;
    }
    // A "<" that opens no tag is a literal character.
    layout.write(decodeEntities(html.slice(at, tag ? open : open + 1)));
    at = tag ? tag.end : open + 1;
    if (tag) at = renderTag(layout, { tag, html });
  }
  return layout.finish();
}

interface Tag {
  /** Lower case; "" for comments and declarations. */
  readonly name: string;
  readonly closing: boolean;
  readonly text: string;
  readonly end: number;
}

const tagStart = /^<(\/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})/;

/** Null if "<" opens no tag; "unclosed" if no ">" follows anywhere, which saves searching again. */
function readTag(html: string, open: number): Tag | "unclosed" | null {
  if (html.startsWith("<!--", open)) {
    const close = html.indexOf("-->", open + 4);
    const end = close < 0 ? html.length : close + 3;
    return { name: "", closing: false, text: "", end };
  }
  const match = tagStart.exec(html.slice(open, open + 48));
  const declaration = html.startsWith("<!", open) || html.startsWith("<?", open);
  if (!match && !declaration) return null;
  const end = tagEnd(html, open);
  if (end === null) return "unclosed";
  return {
    name: (match?.[2] ?? "").toLowerCase(),
    closing: match?.[1] === "/",
    text: html.slice(open, end),
    end,
  };
}

function tagEnd(html: string, open: number): number | null {
  let quote = "";
  for (let at = open + 1; at < html.length; at++) {
    const character = html.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") return at + 1;
    else if ((character === '"' || character === "'") && html[at - 1] === "=") quote = character;
  }
  return null;
}

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: "\u00a0",
    copy: "©",
    reg: "®",
    trade: "™",
    deg: "°",
    hellip: "…",
    ndash: "–",
    mdash: "—",
    lsquo: "‘",
    rsquo: "’",
    sbquo: "‚",
    ldquo: "“",
    rdquo: "”",
    bdquo: "„",
    laquo: "«",
    raquo: "»",
    bull: "•",
    middot: "·",
    times: "×",
    euro: "€",
    pound: "£",
    sect: "§",
    para: "¶",
    shy: "",
    zwj: "\u200d",
    zwnj: "\u200c",
    ensp: " ",
    emsp: " ",
    thinsp: " ",
    larr: "←",
    rarr: "→",
    auml: "ä",
    ouml: "ö",
    uuml: "ü",
    Auml: "Ä",
    Ouml: "Ö",
    Uuml: "Ü",
    szlig: "ß",
    eacute: "é",
    egrave: "è",
    agrave: "à",
    ccedil: "ç",
    ntilde: "ñ",
    check: "✓",
  }),
);

/** Decodes HTML entities. Unknown ones are left as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,15}));/gi,
    (written, hexadecimal?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities.get(name) ?? written;
      const code = Number.parseInt(hexadecimal ?? decimal ?? "", hexadecimal ? 16 : 10);
      return characterOf(code);
    },
  );
}

/** Source: HTML standard 13.2.5.80 (numeric character references): 128 to 159 mean Windows-1252. */
function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) {
    return new TextDecoder("windows-1252").decode(Uint8Array.of(code));
  }
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  return String.fromCodePoint(code);
}

const hiddenTags = /^(?:script|style|head|title|template|noscript|iframe|object|svg)$/;
const paragraphTags = /^(?:p|h[1-6]|blockquote|table|dl|figure|hr)$/;
const blockTags =
  /^(?:div|section|article|header|footer|main|nav|aside|address|center|form|fieldset|tr|dt|dd|body|html)$/;

/** Renders one tag. Returns the offset in `html` to continue from. */
function renderTag(layout: Layout, at: { readonly tag: Tag; readonly html: string }): number {
  const { tag, html } = at;
  const { name, closing } = tag;
  if (hiddenTags.test(name)) return closing ? tag.end : endOfHidden(html, tag);
  if (name === "br") layout.breakLine();
  else if (name === "ul" || name === "ol") {
    if (closing) layout.endList();
    else layout.startList(name === "ol");
  } else if (name === "li") {
    if (!closing) layout.startEntry();
  } else if (name === "pre") layout.keepSpaces(!closing);
  else if (name === "td" || name === "th") {
    if (!closing) layout.startCell();
  } else if (name === "a") {
    if (closing) layout.endLink();
    else layout.startLink(attribute(tag.text, "href"));
  } else if (name === "img") layout.write(attribute(tag.text, "alt"));
  else if (paragraphTags.test(name)) layout.breakBlock(2);
  else if (blockTags.test(name)) layout.breakBlock(1);
  if (name === "tr" && !closing) layout.startRow();
  return tag.end;
}

function endOfHidden(html: string, tag: Tag): number {
  const closing = new RegExp(`</${tag.name}\\s*>`, "gi");
  closing.lastIndex = tag.end;
  return closing.exec(html) ? closing.lastIndex : html.length;
}

function attribute(tag: string, name: string): string {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(
    tag,
  );
  return decodeEntities(match?.[1] ?? match?.[2] ?? match?.[3] ?? "").trim();
}

/** Collects rendered HTML: joins white space and breaks lines like a browser. */
type Layout = ReturnType<typeof createLayout>;

interface LayoutState {
  /** Finished pieces, joined once, so that long texts take linear time. */
  readonly pieces: string[];
  readonly lists: { readonly numbered: boolean; count: number }[];
  link: { readonly href: string; readonly words: string[] } | null;
  /** Line breaks before the next text. */
  breaks: number;
  space: boolean;
  lineStart: boolean;
  kept: boolean;
  firstCell: boolean;
  /** True if a list marker was written and no text after it. */
  marked: boolean;
}

const deepestIndent = 8;

function createLayout() {
  const state: LayoutState = {
    pieces: [],
    lists: [],
    link: null,
    breaks: 0,
    space: false,
    lineStart: true,
    kept: false,
    firstCell: true,
    marked: false,
  };
  return {
    write: (text: string): void => write(state, text),
    breakLine: (): void => breakLine(state),
    /** Ends a block: the next text starts on a new line (1) or after a blank one (2). */
    breakBlock: (lines: 1 | 2): void => breakBlock(state, lines),
    startList: (numbered: boolean): void => {
      breakBlock(state, state.lists.length === 0 ? 2 : 1);
      state.lists.push({ numbered, count: 0 });
    },
    endList: (): void => {
      state.lists.pop();
      breakBlock(state, state.lists.length === 0 ? 2 : 1);
    },
    startEntry: (): void => startEntry(state),
    startRow: (): void => {
      state.firstCell = true;
    },
    startCell: (): void => startCell(state),
    /** Starts or ends preformatted text. */
    keepSpaces: (kept: boolean): void => {
      breakBlock(state, 2);
      state.kept = kept;
    },
    startLink: (href: string): void => {
      state.link = /^(?:https?|mailto|tel):/i.test(href) ? { href, words: [] } : null;
    },
    endLink: (): void => endLink(state),
    finish: (): string => finish(state),
  };
}

function write(state: LayoutState, text: string): void {
  if (text === "") return;
  state.link?.words.push(text);
  if (state.kept) {
    append(state, text.replace(/\r\n?/g, "\n"));
    return;
  }
  const words = text.replace(/[ \t\r\n\f]+/g, " ");
  const startsWithSpace = words.startsWith(" ");
  const inner = words.slice(startsWithSpace ? 1 : 0, words.endsWith(" ") ? -1 : undefined);
  if (startsWithSpace && !state.lineStart) state.space = true;
  if (inner === "") return;
  append(state, inner);
  state.space = words.endsWith(" ");
}

function append(state: LayoutState, text: string): void {
  if (state.breaks > 0 && state.pieces.length > 0) state.pieces.push("\n".repeat(state.breaks));
  else if (state.space) state.pieces.push(" ");
  state.breaks = 0;
  state.space = false;
  state.lineStart = false;
  state.marked = false;
  state.pieces.push(text);
}

function breakLine(state: LayoutState): void {
  state.breaks = Math.min(state.breaks + 1, 2);
  state.space = false;
  state.lineStart = true;
}

function breakBlock(state: LayoutState, lines: 1 | 2): void {
  if (state.marked) return;
  state.breaks = Math.max(state.breaks, lines);
  state.space = false;
  state.lineStart = true;
}

function startEntry(state: LayoutState): void {
  state.marked = false;
  breakBlock(state, 1);
  const list = state.lists.at(-1);
  if (list) list.count++;
  const indent = "  ".repeat(Math.min(Math.max(state.lists.length - 1, 0), deepestIndent));
  append(state, `${indent}${list?.numbered ? `${list.count}. ` : "- "}`);
  state.lineStart = true;
  state.marked = true;
}

function startCell(state: LayoutState): void {
  state.space = false;
  if (!state.firstCell) append(state, " | ");
  state.firstCell = false;
  state.lineStart = true;
}

function endLink(state: LayoutState): void {
  const link = state.link;
  state.link = null;
  if (!link) return;
  const words = link.words.join("").replace(/\s+/g, " ").trim();
  const address = link.href.replace(/^(?:mailto|tel):/i, "");
  const shown = [link.href, address, address.replace(/\/$/, ""), withoutScheme(address)];
  if (words === "") append(state, address);
  else if (!shown.includes(words)) append(state, ` (${address})`);
}

const withoutScheme = (address: string): string =>
  address.replace(/^https?:\/\//i, "").replace(/\/$/, "");

function finish(state: LayoutState): string {
  return state.pieces
    .join("")
    .replaceAll("\u00a0", " ")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
