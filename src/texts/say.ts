import { AsyncLocalStorage } from "node:async_hooks";
import { IntlMessageFormat } from "intl-messageformat";
import german from "./de.json" with { type: "json" };
import { type English, english } from "./english.ts";
import spanish from "./es.json" with { type: "json" };
import french from "./fr.json" with { type: "json" };

/**
 * Languages of pages, mails and feeds, by BCP 47 code, each in its own words. English comes first: it is the default. English of
 * the US differs in dates and times only.
 */
export const languages = {
  en: "English",
  "en-US": "English (US)",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
} as const;
export type Language = keyof typeof languages;

/** The language of commands, logs and stored texts. */
export const defaultLanguage: Language = "en";

export const languageCodes: readonly Language[] = ["en", "en-US", "de", "fr", "es"];

export const isLanguage = (code: unknown): code is Language =>
  languageCodes.some((known) => known === code);

/** Identifies a message: its page or subject, a dot, and its name. */
export type MessageId = keyof English;

export const isMessageId = (id: string): id is MessageId => Object.hasOwn(english, id);

/** The names of `{name}`, `{count, plural, …}` and `<tag>` in a message. */
type NamesIn<Message extends string> = PlaceholdersIn<Message> | TagsIn<Message>;

type PlaceholdersIn<Message extends string> = Message extends `${infer Before}{${infer Rest}`
  ?
      | (Before extends `${string}${"one " | "other " | "yes "}` ? never : NameOf<Rest>)
      | PlaceholdersIn<Rest>
  : never;

/** What stands before the first comma or brace, if it is a name. */
type NameOf<Rest extends string> = Rest extends `${infer Head}}${string}`
  ? Head extends `${infer Name},${string}`
    ? OneWord<Name>
    : OneWord<Head>
  : never;

type OneWord<Text extends string> = Text extends "" | `${string}${" " | "#" | "{"}${string}`
  ? never
  : Text;

type TagsIn<Message extends string> = Message extends `${string}<${infer Tag}>${infer Rest}`
  ? (Tag extends `/${string}` ? never : Tag) | TagsIn<Rest>
  : never;

/** The values of a message as the remaining parameters: none for a message without placeholders. */
export type ValuesOf<Id extends MessageId, Value> = [NamesIn<English[Id]>] extends [never]
  ? []
  : [values: Readonly<Record<NamesIn<English[Id]>, Value>>];

const catalogues: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: english,
  "en-US": english,
  de: german,
  fr: french,
  es: spanish,
};

const reader = new AsyncLocalStorage<() => Language>();

/** Runs `work`, and everything it starts, in a reader's language. `language` is called only if something is said. */
export const inLanguage = <Result>(language: () => Language, work: () => Result): Result =>
  reader.run(language, work);

/** The language of the present reader; English outside `inLanguage`. */
export const currentLanguage = (): Language => reader.getStore()?.() ?? defaultLanguage;

/** A message in the reader's language, as plain text. */
export function say<Id extends MessageId>(
  id: Id,
  ...[values]: ValuesOf<Id, string | number>
): string {
  const text = textOf(id);
  if (values === undefined && !text.includes("'")) return text;
  return String(formatOf(id).format(values));
}

/**
 * A message with marked-up values and tags, as the parts of a template: texts to be escaped, and whatever `values` has.
 * A tag's value is called with the text between its ends.
 */
export function sayParts<Part extends object>(
  id: MessageId,
  values: Readonly<Record<string, string | number | Part | ((text: string) => Part)>>,
): readonly (string | Part)[] {
  const wrapped = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "function"
        ? (chunks: readonly (string | Part)[]) => value(chunks.filter(isText).join(""))
        : value,
    ]),
  );
  return formatOf(id)
    .formatToParts<Part>(wrapped)
    .map(({ value }) => (typeof value === "object" ? value : String(value)));
}

/** A message in a language, whoever reads. */
export const sayIn = <Id extends MessageId>(
  language: Language,
  id: Id,
  ...values: ValuesOf<Id, string | number>
): string =>
  inLanguage(
    () => language,
    () => say(id, ...values),
  );

const isText = (chunk: unknown): chunk is string => typeof chunk === "string";

const textOf = (id: MessageId): string => catalogues[currentLanguage()][id] ?? english[id];

const formats = new Map<string, IntlMessageFormat>();

/** Parsing takes longer than the rest, and the messages are few. */
function formatOf(id: MessageId): IntlMessageFormat {
  const language = currentLanguage();
  const key = `${language} ${id}`;
  const known = formats.get(key);
  if (known) return known;
  const format = new IntlMessageFormat(textOf(id), language);
  formats.set(key, format);
  return format;
}
