import type { InboxState } from "./inbox/inbox.ts";
import type { SubscriptionState } from "./subscription/subscription.ts";

/** State of the channels that poll: the watched folder and subscribed calendars. */
export interface ChannelStates {
  /** Null if none is configured. */
  readonly inbox: InboxState | null;
  readonly subscriptions: readonly SubscriptionState[];
}
