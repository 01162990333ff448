export { fail, ok, type Result } from "@dayferry/ical";

/** The message of a thrown error. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Ends a switch over a union: a forgotten case fails to compile, and throws at run time. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
