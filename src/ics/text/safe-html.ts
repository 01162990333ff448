import sanitize from "sanitize-html";

/** Formatting only: nothing that loads, runs, submits or hides. */
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
 * A sanitised copy of an HTML fragment with formatting and plain links only. Images are removed, as remote ones tell their
 * sender who reads when. Null if it is too long to sanitise.
 */
export const safeHtml = (html: string): string | null =>
  html.length > longest ? null : sanitize(html, allowed);
