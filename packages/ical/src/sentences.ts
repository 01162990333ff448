/**
 * Every sentence about a file, in English. `{name}` stands for a value, which may be a sentence as well. Another language has
 * the same ids and names.
 */
export const sentences = {
  // Lines and components.
  "ical.badParameter": 'the parameter {text} has no name or no "="',
  "ical.missingEnd": "{text} comes before END:{name}, which BEGIN:{name} of line {line} needs",
  "ical.noCalendar": "there is no BEGIN:VCALENDAR; the file starts with {text}",
  "ical.noColon": 'no ":" in the line {text}',
  "ical.noName": 'no property name before ":" in {text}',
  "ical.outside": "{text} is outside the calendar",
  "ical.secondCalendar": "a second VCALENDAR begins; an object is one calendar",
  "ical.tooDeep": "components are nested more than {most} deep",
  "ical.tooManyComponents": "it has more than {most} components",
  "ical.tooManyLines": "it has more than {most} lines",
  "ical.tooManyZones": "the calendar has more than {most} VTIMEZONE components",
  "ical.truncated": "the file ends inside {name}: END:{name} is missing",
  "ical.unmatchedEnd": "END:{name} does not match BEGIN:{open} of line {line}",

  "ical.inLine": "line {line}: {message}",

  // The file as a whole.
  "ical.empty": "the file is empty",
  "ical.method": "METHOD {value}: such a message is no edit; PUBLISH, REQUEST and CANCEL are",
  "ical.notUtf8": "the file is not UTF-8 text",
  "ical.scale": "CALSCALE {value}: only the Gregorian calendar is known",
  "ical.tooLarge": "the file has {bytes} bytes, more than the {most} allowed",
  "ical.tooMuchMemory":
    "the calendar cannot be read: it takes more memory than it may; send it in parts",
  "ical.tooSlow": "the calendar cannot be read: it takes longer than {seconds} s; send it in parts",
  "ical.utf16": "the file is UTF-16 text: save it as UTF-8",
  "ical.version": "VERSION {value}: only version 2.0 is read",
  "ical.webPage": "the file is a web page, not a calendar: perhaps a login or error page",

  // A calendar object of CalDAV.
  "ical.objectCharset": "objects are UTF-8, not {charset}",
  "ical.objectEmpty": "the calendar holds no event and no to-do",
  "ical.objectKind": "the service has nothing for a {name}: it keeps events and to-dos",
  "ical.objectMethod": "METHOD {value}: a stored object has none, as it is no message",
  "ical.objectMixed": "a {name} and a {other} cannot stand in one object",
  "ical.objectRepeated": "the UID {uid} stands in several components",
  "ical.objectSize": "an object may have {most} bytes at most",
  "ical.objectType": "objects are text/calendar, not {type}",
  "ical.objectSeveral": "an object holds one item, not several UIDs",

  // One item.
  "ical.badPercent": "PERCENT-COMPLETE {value} is no whole number from 0 to 100",
  "ical.badUid": "the UID {uid} has a line break or more than {most} characters",
  "ical.floating": "{name} has no time zone; it is read in {zone}, as X-WR-TIMEZONE says",
  "ical.ignored": "{name} is ignored: the service has nothing for it",
  "ical.itemTooLong": "the item has more than {lines} lines or {components} components",
  "ical.missingUid": "the {name} has no UID",
  "ical.noStart": "the VEVENT has no DTSTART",
  "ical.textTooLong": "{name} has {length} characters, and a text {most} at most",
  "ical.twice": "{name} stands twice, with different values",
  "ical.uidRepeated": "the UID {uid} is used more than once; the newest item is read",
  "ical.uidTwice": "the UID {uid} is used twice, and it is unclear which item is newer",

  // Times.
  "ical.badDuration": "DURATION {value} is no length such as PT30M or P1D",
  "ical.dateAndTime": "DTSTART is a date and {name} a time; both must be of one type",
  "ical.durationDays": "DURATION {value} of a date must be whole days",
  "ical.endBeforeStart": "{name} {value} is before DTSTART",
  "ical.endTwice": "{name} and DURATION both say when it ends; only one may",
  "ical.needsStart": "{name} needs a DTSTART",
  "ical.noSuchDay": "{name}: {value} is no day of the calendar",
  "ical.noSuchTime": "{name}: {value} is no time of the calendar",
  "ical.notDate": "{name}: {value} is no date or date with time",
  "ical.notOfType": "{name}: {value} is no {type}",
  "ical.oneZone":
    "of DTSTART and {name} one has a time zone and the other has none; both must have one, or neither",
  "ical.readersDisagree":
    "{text} is {ours} to one reader and {theirs} to another (node-ical): programs would show it at two times; write it in UTC, or in another form",
  "ical.timeAndDate": "DTSTART is a time and {name} a date; both must be of one type",
  "ical.unknownZone":
    "{name}: the time zone {zone} is not known; use an IANA name such as Europe/Berlin",
  "ical.unreadableZone":
    "{name}: the time zone {zone} is not known, and cannot be read from its definition ({why}); use an IANA name such as Europe/Berlin",

  // The definition of a time zone, as the end of a sentence.
  "ical.zoneDate": "an RDATE is no local time",
  "ical.zoneEmpty": "it holds no STANDARD and no DAYLIGHT",
  "ical.zoneMisplaced": "{name} has no place there",
  "ical.zoneNever": "RRULE {rule} names no day of any year",
  "ical.zoneNotYearly": "RRULE {rule} is no yearly rule",
  "ical.zoneOffset": "TZOFFSETFROM or TZOFFSETTO is no offset",
  "ical.zoneOnsets": "it has more than {most} onsets",
  "ical.zonePart": "{name} in line {line}: {why}",
  "ical.zoneRules": "its rules cannot be followed",
  "ical.zoneStart": "DTSTART is no local time",
  "ical.zoneTwice": "it is defined twice, in different ways",
  "ical.zoneTwoRules": "it has two RRULEs",
  "ical.zoneUntil": "RRULE {rule} has no UNTIL that can be read",

  // Repeating items.
  "ical.badOccurrence": "RECURRENCE-ID is no time of the series",
  "ical.badRule": "RRULE {rule} cannot be read",
  "ical.endless": "RRULE has no end; give it a COUNT or an UNTIL",
  "ical.exrule": "EXRULE is not read; use EXDATE",
  "ical.noOccurrence": "the series has no occurrence",
  "ical.noSuchOccurrence": "RECURRENCE-ID {value} is no occurrence of the series",
  "ical.notOfSeries": "{name} {value} is no time of the series",
  "ical.occurrenceRange": "RECURRENCE-ID with RANGE is not read",
  "ical.occurrencesUnreadable": "the occurrences of the series cannot be read",
  "ical.overridden":
    "RECURRENCE-ID of another item with this UID: the service has no repeating items",
  "ical.repeats": "{name}: the service has no repeating items",
  "ical.seriesStart": "the series has no DTSTART",
  "ical.severalRules": "the series has several RRULE; one is read",
  "ical.tooManyOccurrences":
    "the series has more than {most} occurrences; give RRULE a COUNT or an earlier UNTIL",

  // What the service cannot store of an item.
  "ical.alarmAction": "the service keeps reminders only; ACTION:{action} is none",
  "ical.alarmAfterStart": "the service cannot remind after the start",
  "ical.alarmAllDay": "an alarm at a fixed time has no place on an all-day item",
  "ical.alarmAtPlace": "the service cannot remind at a place",
  "ical.alarmOfTask": "the service has no reminders for tasks",
  "ical.alarmRepeats": "the service reminds once; this alarm repeats",
  "ical.alarmSecond": "the service keeps one reminder for an event; this is a second one",
  "ical.alarmSnoozed": "the service does not keep that a reminder was snoozed",
  "ical.alarmTooEarly": "nobody is reminded more than {days} days ahead",
  "ical.alarmTrigger": "TRIGGER:{value} cannot be read",
  "ical.alarmWithoutStart": "the alarm counts from a start that the item does not name",
  "ical.alarmWithoutTrigger": "the alarm has no TRIGGER",
  "ical.attachEmpty": "its content is empty or no Base64",
  "ical.attachLink": "the service takes files, and this is a link to one",
  "ical.attendeeAddress": "the service knows people by their e-mail address only",
  "ical.noContacts": "the service has no field for a contact",
  "ical.noField": "the service has no field for {name}",
  "ical.noLinks": "the service has no field for a link; put it into the description",
  "ical.noPlaces": "the service has no field for a place",
  "ical.noPriorities": "the service has no priorities",
  "ical.noResources": "the service has no field for resources",
} as const;

export type SentenceId = keyof typeof sentences;

/** A sentence for people, to be said in their language. */
export interface Sentence {
  readonly id: SentenceId;
  readonly values: Readonly<Record<string, string | number | Sentence>>;
}

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type ValuesOf<Id extends SentenceId> = [NamesIn<(typeof sentences)[Id]>] extends [never]
  ? []
  : [values: Readonly<Record<NamesIn<(typeof sentences)[Id]>, string | number | Sentence>>];

export const sentence = <Id extends SentenceId>(id: Id, ...[values]: ValuesOf<Id>): Sentence => ({
  id,
  values: values ?? {},
});

/** The sentence in English. */
export function inEnglish({ id, values }: Sentence): string {
  return sentences[id].replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "";
    return typeof value === "object" ? inEnglish(value) : String(value);
  });
}
