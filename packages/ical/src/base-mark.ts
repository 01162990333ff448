/**
 * The property in which a feed states the version it shows, so that an edited copy reveals which version its editor saw:
 * programs increase SEQUENCE when they edit but keep properties they do not know.
 */
export const baseMark = "X-DAYFERRY-BASE";
