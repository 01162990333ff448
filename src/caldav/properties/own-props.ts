import { splitText } from "../../ics/lines/tokens.ts";
import { apple, caldav, dav, keyOf } from "../xml/names.ts";

/** A property of a calendar that programs may set, for their person alone; until then it is what the project says. */
export interface OwnProp {
  /** Why a text cannot be its value; null when it can. */
  readonly faultOf: (text: string) => string | null;
}

const longestName = 500;

/** By `keyOf` of their names. All hold text. */
export const ownProps: ReadonlyMap<string, OwnProp> = new Map([
  [
    keyOf(dav("displayname")),
    {
      faultOf: (text) =>
        text.trim() === "" || text.length > longestName
          ? `a name has 1 to ${longestName} characters`
          : null,
    },
  ],
  [
    keyOf(apple("calendar-color")),
    {
      faultOf: (text) =>
        /^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text.trim())
          ? null
          : "a colour is written as #RRGGBB or #RRGGBBAA",
    },
  ],
  [
    keyOf(apple("calendar-order")),
    {
      faultOf: (text) => (/^-?\d{1,9}$/.test(text.trim()) ? null : "an order is a whole number"),
    },
  ],
  [keyOf(caldav("calendar-description")), { faultOf: () => null }],
  [keyOf(caldav("calendar-timezone")), { faultOf: faultOfTimeZone }],
]);

/** Source: RFC 4791 5.2.2. */
function faultOfTimeZone(text: string): string | null {
  const calendar = splitText(text);
  const zones = calendar.ok
    ? calendar.value.components.filter(({ name }) => name === "VTIMEZONE")
    : [];
  return zones.length === 1 ? null : "a time zone is a VCALENDAR with exactly one VTIMEZONE";
}
