/** Ends a switch over a union: a forgotten case fails to compile, and throws at run time. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
