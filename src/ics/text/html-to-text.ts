import { createSheet, type Sheet } from "./html-sheet.ts";

const knownTags =
  "a|abbr|address|article|b|big|blockquote|body|br|center|code|dd|del|div|dl|dt|em|figure|font|footer|h[1-6]|" +
  "head|header|hr|html|i|img|ins|label|li|main|mark|ol|p|pre|s|section|small|span|strike|strong|style|sub|sup|table|" +
  "tbody|td|tfoot|th|thead|title|tr|u|ul";
const knownTag = new RegExp(`</?(?:${knownTags})(?:\\s[^<>]*)?/?>`, "i");

/** Whether a text is HTML: it has a tag that HTML knows. "a < b" and "<Ana>" are plain text. */
export function looksLikeHtml(text: string): boolean {
  return knownTag.test(text);
}

/** The text of an HTML fragment. What no browser shows (scripts, styles, comments) is left out. */
export function renderHtml(html: string): string {
  const sheet = createSheet();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    const tag = open < 0 ? null : readTag(html, open);
    if (open < 0 || tag === "unclosed") {
      sheet.write(decodeEntities(html.slice(at)));
      break;
    }
    // A "<" that opens no tag is a character of its own.
    sheet.write(decodeEntities(html.slice(at, tag ? open : open + 1)));
    at = tag ? tag.end : open + 1;
    if (tag) at = showTag(sheet, { tag, html });
  }
  return sheet.finish();
}

interface Tag {
  /** Lower case; "" for comments and declarations. */
  readonly name: string;
  readonly closing: boolean;
  readonly text: string;
  readonly end: number;
}

const tagStart = /^<(\/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})/;

/** Null where "<" opens no tag; "unclosed" when nothing after it can close it, so that nobody looks again. */
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

const hidden = /^(?:script|style|head|title|template|noscript|iframe|object|svg)$/;
const paragraph = /^(?:p|h[1-6]|blockquote|table|dl|figure|hr)$/;
const block =
  /^(?:div|section|article|header|footer|main|nav|aside|address|center|form|fieldset|tr|dt|dd|body|html)$/;

/** Where reading goes on. */
function showTag(sheet: Sheet, at: { readonly tag: Tag; readonly html: string }): number {
  const { tag, html } = at;
  const { name, closing } = tag;
  if (hidden.test(name)) return closing ? tag.end : endOfHidden(html, tag);
  if (name === "br") sheet.breakLine();
  else if (name === "ul" || name === "ol") {
    if (closing) sheet.endList();
    else sheet.startList(name === "ol");
  } else if (name === "li") {
    if (!closing) sheet.startEntry();
  } else if (name === "pre") sheet.keepSpaces(!closing);
  else if (name === "td" || name === "th") {
    if (!closing) sheet.startCell();
  } else if (name === "a") {
    if (closing) sheet.endLink();
    else sheet.startLink(attribute(tag.text, "href"));
  } else if (name === "img") sheet.write(attribute(tag.text, "alt"));
  else if (paragraph.test(name)) sheet.breakBlock(2);
  else if (block.test(name)) sheet.breakBlock(1);
  if (name === "tr" && !closing) sheet.startRow();
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

/** Unknown entities stay as they are written. */
function decodeEntities(text: string): string {
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
