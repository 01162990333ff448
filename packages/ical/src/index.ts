export { baseMark } from "./base-mark.ts";
export type { Colour } from "./colour.ts";
export { type IcsProblem, quotedValue } from "./ics-problem.ts";
export {
  type ContentLine,
  decodeList,
  decodeText,
  encodeUrl,
  escapeText,
  foldLine,
  foldLines,
  param,
  propertyName,
  readContentLine,
  unfold,
  writeDate,
  writeStamp,
} from "./lines/content-line.ts";
export {
  findLines,
  nameOfLine,
  type ObjectLines,
  type ObjectPart,
  positionsOf,
  StrayOctetsError,
  withUid,
} from "./lines/object-lines.ts";
export { decodeOctets, largestFile } from "./lines/octets.ts";
export { textOfRaw } from "./lines/raw-text.ts";
export {
  type Component,
  firstLine,
  mendOctets,
  readTree,
  splitText,
  textOf,
  wordOf,
} from "./lines/tokens.ts";
export {
  type CalendarFile,
  type IncomingObject,
  type ObjectFault,
  type ObjectPrecondition,
  readCalendar,
  readCalendarObject,
} from "./read/calendar-object.ts";
export { expandSeries } from "./read/expand-series.ts";
export type { IncomingCalendar } from "./read/incoming.ts";
export {
  asksPrivacy,
  type IncomingAttachment,
  type IncomingItem,
  underUid,
} from "./read/incoming.ts";
export { missingProperties } from "./read/missing-properties.ts";
export { itemOfPlain, type PlainIncomingItem, plainItemOf } from "./read/plain-calendar.ts";
export { isReminder, isRepeating } from "./read/read-alarm.ts";
export { findUnstorable, readItem } from "./read/read-item.ts";
export { readSpan } from "./read/read-span.ts";
export { timesOfRule, type Written } from "./read/series-times.ts";
export { fail, ok, type Result } from "./result.ts";
export { inEnglish, type Sentence, type SentenceId, sentence } from "./sentences.ts";
export { cleanText, longestText, oneLine } from "./text.ts";
export {
  matchesPropertyRange,
  matchesTimeRange,
  type TimeRange,
  type TimeRangeContext,
} from "./time-range.ts";
export {
  type IncomingTime,
  readDuration,
  readStamp,
  readTime,
  type ZoneOf,
} from "./time-values.ts";
export { asWritten, todoDays } from "./todo-days.ts";
export {
  defaultLength,
  endsAt,
  inZone,
  isLead,
  isReadTwice,
  isZone,
  longestLead,
  startsAt,
  type When,
  wallClock,
  wholeDay,
  wholeMinutes,
} from "./when.ts";
export { calendarEnd, productId, writeHeader } from "./write/write-calendar.ts";
export { type EventCard, writeEvent } from "./write/write-event.ts";
export { type Period, writeFreeBusy } from "./write/write-free-busy.ts";
export { writeObject } from "./write/write-object.ts";
export { type TodoCard, writeTodo } from "./write/write-todo.ts";
export { floatingZone, zonesOfFile } from "./zones/file-zones.ts";
export { createZoneWriter } from "./zones/object-zones.ts";
export { isUtc, resolveZone, writeTimeZone } from "./zones/zones.ts";
