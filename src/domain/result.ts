export { fail, ok, type Result } from "@dayferry/ical";

/** What a thrown error says. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Ends every switch over a union: the compiler refuses a forgotten case, and so does the running program. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
