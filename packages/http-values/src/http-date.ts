const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const daySeconds = 86_400;
const eraDays = 146_097;

/**
 * An instant in HTTP's format, in whole seconds, for years 1 to 9999. Integer arithmetic is ten times as fast as
 * calendar objects, which matters in listings. Source: RFC 9110 5.6.7.
 */
export function httpDate(instant: Temporal.Instant): string {
  const seconds = Math.floor(instant.epochMilliseconds / 1000);
  const days = Math.floor(seconds / daySeconds);
  const clock = seconds - days * daySeconds;
  const { year, month, day } = civil(days);
  // 1 January 1970 was a Thursday.
  const weekday = weekdays[(((days + 4) % 7) + 7) % 7];
  const time = `${two(Math.floor(clock / 3600))}:${two(Math.floor(clock / 60) % 60)}:${two(clock % 60)}`;
  return `${weekday}, ${two(day)} ${months[month]} ${String(year).padStart(4, "0")} ${time} GMT`;
}

/**
 * The Gregorian date `days` after 1 January 1970; `month` from 0. Years start in March, so that the leap day is the
 * last day, and every era of 400 years is the same.
 */
function civil(days: number) {
  const since = days + 719_468;
  const era = Math.floor(since / eraDays);
  const ofEra = since - era * eraDays;
  const leaps = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const yearOfEra = Math.floor((ofEra - leaps) / 365);
  const century = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const ofYear = ofEra - (365 * yearOfEra + century);
  const monthOfYear = Math.floor((5 * ofYear + 2) / 153);
  const month = (monthOfYear + 2) % 12;
  const year = yearOfEra + era * 400 + (month < 2 ? 1 : 0);
  return { year, month, day: ofYear - Math.floor((153 * monthOfYear + 2) / 5) + 1 };
}

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

/**
 * Reads an HTTP date in any of the three formats; null if it is none, such as 31 November. Two-digit years are 1970 to
 * 2069. Source: RFC 9110 5.6.7.
 */
export function readHttpDate(header: string | undefined): Temporal.Instant | null {
  const text = header?.trim() ?? "";
  const parts = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return null;
  const { year = "", month = "", day = "", time = "" } = parts;
  const number = months.indexOf(month) + 1;
  try {
    return Temporal.Instant.from(
      `${wholeYear(year)}-${two(number)}-${day.replace(" ", "0")}T${time}Z`,
    );
  } catch {
    return null;
  }
}

const clockForm = String.raw`(?<time>\d{2}:\d{2}:\d{2})`;

/** The current format, RFC 850, and C's asctime. */
const forms: readonly RegExp[] = [
  String.raw`[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${clockForm} GMT`,
  String.raw`[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) ${clockForm} GMT`,
  String.raw`[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${clockForm} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`));

const wholeYear = (year: string): string =>
  year.length === 4 ? year : `${Number(year) < 70 ? 20 : 19}${year}`;
