/** Set by `npm run verify`: everything then runs in full, files named `*.long.test.ts` included. */
export const isThorough = process.env["THOROUGH"] === "1";

/** How often a random test runs: a sixteenth of the full count in a check. The seed is the same, so that these are its first runs. */
export const runs = (full: number): number => (isThorough ? full : Math.ceil(full / 16));

/** The rows of a table whose tests take long: in a check every `nth` of them, the first among these. */
export const rows = <Row>(all: readonly Row[], nth: number): readonly Row[] =>
  isThorough ? all : all.filter((_, at) => at % nth === 0);
