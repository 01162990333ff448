import {
  asksPrivacy,
  type IncomingItem,
  readItem,
  readTree,
  textOfRaw,
  todoDays,
  zonesOfFile,
} from "@dayferry/ical";
import { lineFields } from "../../domain/fields.ts";
import { untitled } from "../../domain/item.ts";
import { sameDay, sameText, sameWhen } from "../../domain/same-values.ts";
import { isMilestoneCategory, nameKey } from "../../domain/sameness.ts";

/**
 * The first properties of the groups whose meaning in the octets differs from `now`. Other notations, times of day of a to-do,
 * and properties that we never write make no difference. `VALARM` stands for the reminder. `zone`: the account's.
 */
export function differingReadings(
  octets: string,
  { now, zone }: { readonly now: string; readonly zone: string },
): Set<string> {
  const theirs = readFirst(octets, zone);
  const ours = readFirst(`BEGIN:VCALENDAR\n${now}\nEND:VCALENDAR\n`, zone);
  const isEvent = ours.component === "VEVENT";
  const differs: readonly (readonly [string, boolean])[] = [
    ["SUMMARY", !sameText(theirs.summary || untitled, ours.summary || untitled)],
    ["DESCRIPTION", !sameText(theirs.description ?? "", ours.description ?? "")],
    ["CATEGORIES", isEvent ? otherMilestone(theirs, ours) : otherNames(theirs, ours)],
    ["DTSTART", isEvent ? otherWhen(theirs, ours) : otherDates(theirs, { ours, zone })],
    ["STATUS", !isEvent && otherCompletion(theirs, ours)],
    ["RELATED-TO", !isEvent && theirs.relatedTo !== ours.relatedTo],
    ["CLASS", isEvent && asksPrivacy(theirs) !== asksPrivacy(ours)],
    ["VALARM", isEvent && leadOf(theirs) !== leadOf(ours)],
    ...lineFields(ours.component).map(({ property }) => {
      const [said, shown] = [theirs, ours].map(({ raw }) => textOfRaw(raw, property) ?? "");
      return [property, !sameText(said ?? "", shown ?? "")] as const;
    }),
  ];
  return new Set(differs.filter(([, isOther]) => isOther).map(([name]) => name));
}

/** True if `differingReadings` looks at a group of properties, by its first one. */
export const isReadable = (name: string): boolean => readableNames.has(name);

const readableNames: ReadonlySet<string> = new Set([
  "SUMMARY",
  "DESCRIPTION",
  "CATEGORIES",
  "DTSTART",
  "STATUS",
  "RELATED-TO",
  "CLASS",
  "VALARM",
  ...(["VEVENT", "VTODO"] as const).flatMap(lineFields).map(({ property }) => property),
]);

function readFirst(text: string, zone: string): IncomingItem {
  const calendar = readTree(text);
  const component = calendar.components.find(({ name }) => name === "VEVENT" || name === "VTODO");
  if (!component) throw new Error("a calendar object without an item was read");
  const context = { zoneOf: zonesOfFile(calendar, zone) };
  return readItem(component, context);
}

const namesOf = ({ categories }: IncomingItem): ReadonlySet<string> =>
  new Set((categories ?? []).map(nameKey));

const otherNames = (a: IncomingItem, b: IncomingItem): boolean =>
  namesOf(a).symmetricDifference(namesOf(b)).size > 0;

const isMilestone = ({ categories }: IncomingItem): boolean =>
  (categories ?? []).some(isMilestoneCategory);

const otherMilestone = (a: IncomingItem, b: IncomingItem): boolean =>
  isMilestone(a) !== isMilestone(b);

const otherWhen = (a: IncomingItem, b: IncomingItem): boolean =>
  !(a.when && b.when && sameWhen(a.when, b.when));

/** A start that is not before the due date is omitted. */
function otherDates(
  { start, due }: IncomingItem,
  { ours, zone }: { readonly ours: IncomingItem; readonly zone: string },
): boolean {
  const said = todoDays({ start, due }, zone);
  const now = todoDays({ start: ours.start, due: ours.due }, zone);
  const isLeftOut = !now.start && sameDay(said.start, said.due);
  return !sameDay(isLeftOut ? undefined : said.start, now.start) || !sameDay(said.due, now.due);
}

const isCompleted = ({ status, completedAt, percent }: IncomingItem): boolean =>
  status === "COMPLETED" || completedAt !== undefined || percent === 100;

function otherCompletion(theirs: IncomingItem, ours: IncomingItem): boolean {
  if (isCompleted(theirs) !== isCompleted(ours)) return true;
  const [a, b] = [theirs.completedAt, ours.completedAt];
  return a !== undefined && b !== undefined && !a.equals(b);
}

/** In seconds; null for no reminder. */
const leadOf = ({ alarm }: IncomingItem): number | null => alarm?.total("seconds") ?? null;
