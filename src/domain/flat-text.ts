/** The same text, of Latin 1 letters, in memory of its own: one that was cut out of another, or put together, keeps that as well. */
export const flatText = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
