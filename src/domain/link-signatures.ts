/** Where a line of a calendar file may be folded, in the middle of an address. Source: RFC 5545 3.1. */
const fold = "(?:\\r?\\n[ \\t])?";
const folded = (text: string): string => text.split("").join(fold);
/** Signed texts begin with the number of their layout, so that addresses of others are left alone. */
const ofLength = (length: number): string =>
  `A${fold}[Qg](?:${fold}[\\w-]){${length - 2}}(?![\\w-])`;
const links = new RegExp(
  `(${folded("/act/")})(${fold}${ofLength(46)})|(${folded("/unsubscribe/")})(${fold}${ofLength(32)})`,
  "g",
);

/**
 * The text with the signatures of action and unsubscribe links made void, as long as it was: what people copy from a feed or a
 * mail is kept here, and a copy of what is kept must open nothing.
 */
export const withoutSignatures = (text: string): string =>
  text.replace(
    links,
    (_link, act: string = "", ofAct: string = "", mail: string = "", ofMail: string = "") =>
      act + mail + (ofAct + ofMail).replace(/[\w-]/g, "x"),
  );
