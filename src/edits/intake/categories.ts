import type { LabelId } from "../../domain/ids.ts";
import type { EventItem, TaskItem } from "../../domain/item.ts";
import { sameField } from "../../domain/merge.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import { type KnownNames, labelKey } from "./known-names.ts";
import { joinParts, type Part, quote, refuse, remark, silent, wish } from "./part.ts";

/** The category by which a feed shows that an event is a milestone. */
const milestoneKey = labelKey("Milestone");

/** Whether the categories name the event a milestone; undefined when they say nothing about it. */
function saysMilestone({ categories, component }: IncomingItem): boolean | undefined {
  const isNamed = categories?.some((name) => labelKey(name) === milestoneKey);
  // The to-do of a milestone is shown without the category, as its list says what it is.
  return component === "VTODO" && !isNamed ? undefined : isNamed;
}

/** The wish to make an event a milestone or an ordinary one; other categories cannot be kept. */
export function milestonePart(
  incoming: IncomingItem,
  { base, marked }: { readonly base: EventItem; readonly marked: boolean },
): Part {
  const wished = marked || saysMilestone(incoming);
  const change =
    wished === undefined || wished === base.milestone ? silent : wish({ milestone: wished });
  const others = (incoming.categories ?? []).filter((name) => labelKey(name) !== milestoneKey);
  if (others.length === 0) return change;
  const message = `the categories ${others.map(quote).join(", ")} cannot be stored: events of the service have no labels`;
  return joinParts([change, remark({ line: incoming.line, code: "event-labels", message })]);
}

/**
 * The wish for a task's labels: the set of categories, by name. Labels that calendars cannot be shown stay. A name that
 * no label has is refused, or becomes a new label, as `unknown` says.
 */
export function labelsPart(
  incoming: IncomingItem,
  about: {
    readonly base: TaskItem;
    readonly names: KnownNames;
    readonly unknown: "known" | "create";
  },
): Part {
  const { base, names, unknown } = about;
  if (!incoming.categories) return silent;
  const said = [...new Map(incoming.categories.map((name) => [labelKey(name), name])).values()];
  const found = said.map((name) => ({ name, ids: labelsFor(name, about) }));
  const missing = found.filter(({ ids }) => ids.length === 0).map(({ name }) => name);
  const hidden = base.labels.filter((id) => !names.isNamed(id));
  const labels = [...hidden, ...found.flatMap(({ ids }) => ids)];
  if (missing.length === 0) {
    return sameField("labels", { labels }, { labels: base.labels }) ? silent : wish({ labels });
  }
  if (unknown === "create") return { ...silent, patch: { labels }, newLabels: missing };
  const message = `the workspace has no label ${missing.map(quote).join(", ")}`;
  return refuse({ line: incoming.line, code: "unknown-label", message });
}

/** The item's own labels of this name, else the first one that can be given. */
function labelsFor(
  name: string,
  { base, names }: { readonly base: TaskItem; readonly names: KnownNames },
): readonly LabelId[] {
  const all = names.labelsNamed(name);
  const own = all.filter((id) => base.labels.includes(id));
  return own.length > 0 ? own : all.filter((id) => names.isGiven(id)).slice(0, 1);
}
