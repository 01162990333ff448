import type { Turns } from "../../../src/turns.ts";

/** Turns that are over after the first step of each; others have theirs whenever one is asked for. */
export const shortTurns = (others: () => void): Turns => ({
  isOver: () => true,
  share: async () => others(),
});
