/** One content line of a text. */
export interface Unfolded {
  /** Without folds and line end. */
  readonly raw: string;
  /** 1-based line of the text where it starts. */
  readonly line: number;
  /** Where it stands in the text, its folds and its line end included. */
  readonly from: number;
  readonly to: number;
}

/**
 * The content lines of a text in order, blank ones too; together they are the whole text. Lines end with CRLF or LF.
 * Source: RFC 5545 3.1.
 */
export function* unfold(text: string): Generator<Unfolded> {
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const first = line;
    let end = lineEnd(text, at);
    line++;
    while (isBlank(text.charCodeAt(end + 1))) {
      end = lineEnd(text, end + 1);
      line++;
    }
    const written = text.slice(at, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
    const raw = line - first > 1 ? written.replace(/\r?\n[ \t]/g, "") : written;
    yield { raw, line: first, from: at, to: Math.min(end + 1, text.length) };
    at = end + 1;
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

const isBlank = (code: number): boolean => code === 32 || code === 9;
