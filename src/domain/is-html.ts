/**
 * Decides whether a text of the service is HTML. Treating plain text as HTML silently loses what looks like a tag;
 * treating HTML as text is only ugly. So a text is HTML only if nothing contradicts it.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Tags that make a text HTML. */
const certain = words(
  "a abbr address article b big blockquote body br center code dd del div dl dt em figure font footer h1 h2 h3 h4 h5 h6 " +
    "header hr html i img ins label li main mark ol p pre s section small span strike strong sub sup table tbody td tfoot th " +
    "thead tr u ul",
);
/** Tags that may appear besides those. */
const others = words(
  "acronym aside audio base bdi bdo button caption cite col colgroup details dfn embed fieldset figcaption form head iframe " +
    "input kbd legend link map area menu meta nav noscript object option param picture q rp rt ruby samp script select source " +
    "style summary svg template textarea time title track tt var video wbr",
);
/** Prefixed names, as office programs write them. */
const officeTag = /^(?:o|v|w|m|st1):[a-z]+$/;
const withoutEnd = words("area base br col embed hr img input link meta param source track wbr");
/** Elements whose end tag may be omitted inside their parent. */
const endLeftOut = words("li td th tr tbody thead tfoot dt dd option colgroup");
/** A line break inside or next to these is only layout. */
const block = words(
  "address article aside blockquote body br caption center col colgroup dd details div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 head header hr html li link main menu meta nav ol p pre script section style summary table tbody td " +
    "tfoot th thead title tr ul",
);
const withoutValue = words(
  "allowfullscreen async autofocus checked compact contenteditable controls defer disabled hidden itemscope loop multiple muted " +
    "noshade nowrap open readonly required reversed selected",
);

const name = `[a-z][a-z0-9]*(?::[a-z]+)?`;
const attributes = String.raw`(?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>\x60]+))?)*`;
const markup = new RegExp(
  String.raw`<!--[^]*?-->|<![a-z\[][^<>]*>|<(?<end>/)(?<closed>${name})\s*>|<(?<opened>${name})(?<attached>${attributes})\s*/?>`,
  "giy",
);
const attribute = /([^\s"'<>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g;

/**
 * True if the text has a known HTML tag, every "<" starts a well-formed and closed tag, and no line break would be
 * lost.
 */
export function isHtml(text: string): boolean {
  if (!text.includes("<")) return false;
  const open = new Map<string, number>();
  let openBlocks = 0;
  let isCertain = false;
  let isBesideBlock = true;
  let from = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", from)) {
    const tag = readTag(text, at);
    if (!tag || !isKnown(tag.name)) return false;
    const isBlock = tag.name === "" || block.has(tag.name);
    const edges = { start: isBesideBlock, end: isBlock };
    if (openBlocks === 0 && breaksLine(text.slice(from, at), edges)) return false;
    if (isMentioned(text, tag)) return false;
    if (tag.name !== "" && !withoutEnd.has(tag.name)) {
      const count = (open.get(tag.name) ?? 0) + (tag.isEnd ? -1 : 1);
      if (count < 0) return false;
      open.set(tag.name, count);
      if (isBlock) openBlocks += tag.isEnd ? -1 : 1;
    }
    isCertain ||= certain.has(tag.name);
    isBesideBlock = isBlock;
    from = tag.after;
  }
  const isUnclosed = [...open].some(([name, count]) => count > 0 && !endLeftOut.has(name));
  if (isUnclosed || !isCertain) return false;
  return openBlocks > 0 || !breaksLine(text.slice(from), { start: isBesideBlock, end: true });
}

interface Tag {
  /** Lower case; "" for comments and declarations, which need no end tag. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly at: number;
  readonly after: number;
}

/** The tag at an offset, including the contents of a script or style; null if it is not well formed. */
function readTag(text: string, at: number): Tag | null {
  markup.lastIndex = at;
  const match = markup.exec(text);
  if (!match) return null;
  const { end, closed, opened, attached = "" } = match.groups ?? {};
  const name = (closed ?? opened ?? "").toLowerCase();
  if (!hasUsualAttributes(attached)) return null;
  const tag = { name, isEnd: end !== undefined, at, after: markup.lastIndex };
  if (!raw.test(name) || tag.isEnd) return tag;
  const close = text.toLowerCase().indexOf(`</${name}`, tag.after);
  return close < 0 ? null : { ...tag, after: close };
}

const raw = /^(?:script|style)$/;

const isKnown = (name: string): boolean =>
  name === "" || certain.has(name) || others.has(name) || officeTag.test(name);

/** Bare words in a tag, as in "a<b and c>d", must be known HTML attributes. */
const hasUsualAttributes = (attached: string): boolean =>
  [...attached.matchAll(attribute)].every(
    ([, name = "", value]) => value !== undefined || withoutValue.has(name.toLowerCase()),
  );

/** True if HTML would join two lines of this text. White space next to a block is only layout. */
function breaksLine(
  between: string,
  edges: { readonly start: boolean; readonly end: boolean },
): boolean {
  const rest = edges.start ? between.trimStart() : between;
  return (edges.end ? rest.trimEnd() : rest).includes("\n");
}

/** True if a sentence mentions the tag: "Use <br> to break lines". */
const isMentioned = (text: string, { name, at, after }: Tag): boolean =>
  withoutEnd.has(name) && text[at - 1] === " " && text[after] === " ";
