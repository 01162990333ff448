import { currentLanguage, type Language } from "./say.ts";

/** `day`: "Tue 24 Nov 2026"; `dayWithoutYear`: "Tue 24 Nov"; `longDay`: "Tuesday, 24 November 2026". */
const forms = {
  day: { weekday: "short", day: "numeric", month: "short", year: "numeric" },
  dayWithoutYear: { weekday: "short", day: "numeric", month: "short" },
  longDay: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
  weekday: { weekday: "long" },
  month: { month: "long", year: "numeric" },
  clock: { hour: "numeric", minute: "2-digit" },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;
export type DayForm = Exclude<keyof typeof forms, "clock">;

/** Outside the US, readers of English expect the day before the month and a clock of 24 hours. */
const locales: Readonly<Record<Language, string>> = {
  en: "en-GB",
  "en-US": "en-US",
  de: "de",
  fr: "fr",
  es: "es",
};

/** The locale of dates and numbers in the reader's language. */
export const currentLocale = (): string => locales[currentLanguage()];

const formats = new Map<string, Intl.DateTimeFormat>();

/** Made at first use: Intl takes 12 MB of memory, which a daemon without readers does not need. */
function dateFormat(locale: string, form: keyof typeof forms): Intl.DateTimeFormat {
  const key = `${locale} ${form}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, forms[form]);
  formats.set(key, format);
  return format;
}

const lists = new Map<string, Intl.ListFormat>();

/** A list in a sentence: "A, B and C". */
export const formatList = (
  words: readonly string[],
  type: "conjunction" | "disjunction" = "conjunction",
): string => listFormat(type).format(words);

/** The same as parts, of which `element` is one of the words. */
export const listParts = (words: readonly string[]) =>
  listFormat("conjunction").formatToParts(words);

function listFormat(type: "conjunction" | "disjunction"): Intl.ListFormat {
  const locale = currentLocale();
  const key = `${locale} ${type}`;
  const format = lists.get(key) ?? new Intl.ListFormat(locale, { type });
  lists.set(key, format);
  return format;
}

/** A time of day: "09:00", in the US "9:00 AM". */
export const formatClock = (time: Temporal.PlainTime): string =>
  currentLanguage() === "en-US"
    ? dateFormat("en-US", "clock").format(time).replace("\u202f", " ")
    : time.toString({ smallestUnit: "minute" });

/** A day in the reader's language. English has no comma after a short weekday. */
export function formatDay(day: Temporal.PlainDate, form: DayForm): string {
  const locale = currentLocale();
  const text = dateFormat(locale, form).format(day);
  return locale === "en-GB" && form !== "longDay"
    ? text.replace(",", "").replace("Sept", "Sep")
    : text;
}
