import type { EventLoopBudget } from "@dayferry/event-loop";

/** Turns that are over after the first step of each; others have theirs whenever one is asked for. */
export const shortBudget = (others: () => void): EventLoopBudget => ({
  isOver: () => true,
  share: async () => others(),
});
