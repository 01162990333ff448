/** What feeds show, for all of them alike. */
export interface FeedOptions {
  /** The account's IANA zone: days begin in it, and times are written in it. */
  readonly zone: string;
  /** Items stay in a feed for this long after their last day. */
  readonly past: Temporal.Duration;
  /** Items enter a feed this long before their first day. */
  readonly future: Temporal.Duration;
  /** Completed items stay for this long after they were completed. */
  readonly completed: Temporal.Duration;
  /** What becomes of private items: left out, shown as "Busy", or shown whole. */
  readonly private: "omit" | "busy" | "show";
  /** Tasks on their due day, from their start to their due day, or not at all. */
  readonly tasks: "due" | "span" | "none";
  /** Whether a date in a custom field of a task is an entry of its own. */
  readonly customDates: boolean;
  /** Whether the names of the people in charge are added to the text. */
  readonly assignees: boolean;
  /** Address of an item, with {project}, {kind} and {id}; null for no links. */
  readonly webUrl: string | null;
}
