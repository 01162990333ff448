/** `npm run verify` sets it: random tests then run in full. */
const isThorough = process.env["THOROUGH"] === "1";

/** How often a random test runs: a quarter of the full count in a check. The seed is the same, so that these are its first runs. */
export const runs = (full: number): number => (isThorough ? full : Math.ceil(full / 4));
