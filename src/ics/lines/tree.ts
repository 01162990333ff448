import { type Component, readTokens, splitText } from "./tokens.ts";

export type { Component } from "./tokens.ts";

/** Thrown for octets that are no calendar: whoever kept them promised that they are one. */
export class UnreadableObjectError extends Error {
  override readonly name = "UnreadableObjectError";
}

/**
 * The VCALENDAR of a calendar object that was accepted or written here, for filters. Throws `UnreadableObjectError`.
 */
export function readTree(octets: string | Uint8Array): Component {
  const tree = typeof octets === "string" ? splitText(octets) : readTokens(octets);
  if (tree.ok) return tree.value;
  const reasons = tree.failure.map(({ message }) => message).join("; ");
  throw new UnreadableObjectError(`a calendar object cannot be read: ${reasons}`);
}
