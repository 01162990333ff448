import { configureGlobal } from "fast-check";

const given = process.env["FUZZ_SEED"];

/** Random runs are the same on each machine; `FUZZ_SEED` with another number, or `new`, uses others. */
configureGlobal(given === "new" ? {} : { seed: Number(given ?? 20_261_123) });
