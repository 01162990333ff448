import type { EventLoopBudget } from "@dayferry/event-loop";

/** Turns that are over after the first step of each; others get a turn whenever they ask for one. */
export const shortBudget = (others: () => void): EventLoopBudget => ({
  isOver: () => true,
  share: async () => others(),
});
