import { english } from "./english.ts";
import { isMessageId, type MessageId, say, sayIn, type ValuesOf } from "./say.ts";

/** Ids of messages that are stored with an edit and logged: in English, whoever reads them. */
type StoredId = Extract<MessageId, `problem.${string}`>;

/** A message to be stored or logged. `retold` gives it in a reader's language. */
export const stored = <Id extends StoredId>(
  id: Id,
  ...values: ValuesOf<Id, string | number>
): string => sayIn("en", id, ...values);

interface Pattern {
  readonly id: MessageId;
  readonly names: readonly string[];
  readonly matches: RegExp;
  /** Number of characters besides the values. */
  readonly literal: number;
}

/**
 * A stored text in the reader's language: as the message of the catalogue that it was made from, with its values retold the
 * same way. A text of anything else, such as the service's own words, stays as it is.
 */
export function retold(text: string): string {
  for (const { id, names, matches } of patterns()) {
    const found = matches.exec(text);
    if (!found) continue;
    const values = names.map((name, at) => [name, retold(found[at + 1] ?? "")]);
    return Reflect.apply(say, null, [id, Object.fromEntries(values)]);
  }
  return text;
}

let known: readonly Pattern[] | null = null;

/** The most specific first. */
function patterns(): readonly Pattern[] {
  known ??= Object.entries(english)
    .flatMap(([id, text]) =>
      isMessageId(id) && id.startsWith("problem.") ? [pattern(id, text)] : [],
    )
    .toSorted((a, b) => b.literal - a.literal);
  return known;
}

function pattern(id: MessageId, text: string): Pattern {
  const [names, parts] = [[...text.matchAll(/\{(\w+)\}/g)], text.split(/\{\w+\}/)];
  const spoken = parts.map((part) => part.replaceAll("''", "'"));
  return {
    id,
    names: names.map(([, name]) => name ?? ""),
    matches: new RegExp(`^${spoken.map((part) => RegExp.escape(part)).join("(.*?)")}$`, "s"),
    literal: spoken.join("").length,
  };
}
