/**
 * The property by which a feed names the version that it shows, so that an edited copy shows which version its editor saw:
 * programs raise SEQUENCE when they edit and leave properties alone that they do not know.
 */
export const baseMark = "X-DAYFERRY-BASE";
