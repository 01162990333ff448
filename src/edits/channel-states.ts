import type { InboxState } from "./inbox/inbox.ts";
import type { SubscriptionState } from "./subscription/subscription.ts";

/** How the ways in for edits fare that nobody calls: the watched folder and the subscribed calendars. */
export interface ChannelStates {
  /** Null where none is configured. */
  readonly inbox: InboxState | null;
  readonly subscriptions: readonly SubscriptionState[];
}
