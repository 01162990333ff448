/** A copy of a Latin 1 text in its own memory. A slice or a concatenation keeps the original strings alive. */
export const flatText = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
