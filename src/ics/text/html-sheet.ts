/** Where rendered HTML is written: it joins white space and breaks lines as a browser would. */
export interface Sheet {
  write(text: string): void;
  breakLine(): void;
  /** Ends a block: the next text stands on a new line (1) or after a blank one (2). */
  breakBlock(lines: 1 | 2): void;
  startList(numbered: boolean): void;
  endList(): void;
  startEntry(): void;
  startRow(): void;
  startCell(): void;
  /** Inside: spaces and line breaks are shown as they are written. */
  keepSpaces(kept: boolean): void;
  startLink(href: string): void;
  endLink(): void;
  finish(): string;
}

interface State {
  /** Finished pieces; joined once, so that a long text takes linear time. */
  readonly pieces: string[];
  readonly lists: { readonly numbered: boolean; count: number }[];
  link: { readonly href: string; readonly words: string[] } | null;
  /** Line breaks that come before the next text. */
  breaks: number;
  space: boolean;
  lineStart: boolean;
  kept: boolean;
  firstCell: boolean;
  /** A list mark was written and nothing behind it yet. */
  marked: boolean;
}

const deepestIndent = 8;

export function createSheet(): Sheet {
  const state: State = {
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
    write: (text) => write(state, text),
    breakLine: () => breakLine(state),
    breakBlock: (lines) => breakBlock(state, lines),
    startList: (numbered) => {
      breakBlock(state, state.lists.length === 0 ? 2 : 1);
      state.lists.push({ numbered, count: 0 });
    },
    endList: () => {
      state.lists.pop();
      breakBlock(state, state.lists.length === 0 ? 2 : 1);
    },
    startEntry: () => startEntry(state),
    startRow: () => {
      state.firstCell = true;
    },
    startCell: () => startCell(state),
    keepSpaces: (kept) => {
      breakBlock(state, 2);
      state.kept = kept;
    },
    startLink: (href) => {
      state.link = /^(?:https?|mailto|tel):/i.test(href) ? { href, words: [] } : null;
    },
    endLink: () => endLink(state),
    finish: () => finish(state),
  };
}

function write(state: State, text: string): void {
  if (text === "") return;
  state.link?.words.push(text);
  if (state.kept) {
    put(state, text.replace(/\r\n?/g, "\n"));
    return;
  }
  const words = text.replace(/[ \t\r\n\f]+/g, " ");
  const startsWithSpace = words.startsWith(" ");
  const inner = words.slice(startsWithSpace ? 1 : 0, words.endsWith(" ") ? -1 : undefined);
  if (startsWithSpace && !state.lineStart) state.space = true;
  if (inner === "") return;
  put(state, inner);
  state.space = words.endsWith(" ");
}

function put(state: State, text: string): void {
  if (state.breaks > 0 && state.pieces.length > 0) state.pieces.push("\n".repeat(state.breaks));
  else if (state.space) state.pieces.push(" ");
  state.breaks = 0;
  state.space = false;
  state.lineStart = false;
  state.marked = false;
  state.pieces.push(text);
}

function breakLine(state: State): void {
  state.breaks = Math.min(state.breaks + 1, 2);
  state.space = false;
  state.lineStart = true;
}

function breakBlock(state: State, lines: 1 | 2): void {
  if (state.marked) return;
  state.breaks = Math.max(state.breaks, lines);
  state.space = false;
  state.lineStart = true;
}

function startCell(state: State): void {
  state.space = false;
  if (!state.firstCell) put(state, " | ");
  state.firstCell = false;
  state.lineStart = true;
}

function startEntry(state: State): void {
  state.marked = false;
  breakBlock(state, 1);
  const list = state.lists.at(-1);
  if (list) list.count++;
  const indent = "  ".repeat(Math.min(Math.max(state.lists.length - 1, 0), deepestIndent));
  put(state, `${indent}${list?.numbered ? `${list.count}. ` : "- "}`);
  state.lineStart = true;
  state.marked = true;
}

function endLink(state: State): void {
  const link = state.link;
  state.link = null;
  if (!link) return;
  const words = link.words.join("").replace(/\s+/g, " ").trim();
  const address = link.href.replace(/^(?:mailto|tel):/i, "");
  const shown = [link.href, address, address.replace(/\/$/, ""), bare(address)];
  if (words === "") put(state, address);
  else if (!shown.includes(words)) put(state, ` (${address})`);
}

const bare = (address: string): string => address.replace(/^https?:\/\//i, "").replace(/\/$/, "");

function finish(state: State): string {
  return state.pieces
    .join("")
    .replaceAll("\u00a0", " ")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
