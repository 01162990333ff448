import sanitize from "sanitize-html";

/** What formats text, and nothing else: nothing that loads, runs, asks or hides. */
const allowed: sanitize.IOptions = {
  allowedTags: [
    ..."a b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i ins li ol p pre s".split(
      " ",
    ),
    ..."small span strike strong sub sup table tbody td tfoot th thead tr u ul".split(" "),
  ],
  allowedAttributes: {
    a: ["href"],
    ol: ["start"],
    td: ["colspan", "rowspan"],
    th: ["colspan", "rowspan"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowProtocolRelative: false,
  nonTextTags:
    "script style textarea option noscript title template iframe noembed noframes xmp".split(" "),
  nestingLimit: 40,
  parseStyleAttributes: false,
};

/** Deeply nested markup takes more than linear time. */
const longest = 50_000;

/**
 * An HTML fragment made anew of the tags and attributes that only format, and of links that only lead somewhere: for
 * readers who did not ask for more. Images are left out, as those from elsewhere tell their sender who reads when.
 * Null for one that is too long to be looked through.
 */
export const safeHtml = (html: string): string | null =>
  html.length > longest ? null : sanitize(html, allowed);
