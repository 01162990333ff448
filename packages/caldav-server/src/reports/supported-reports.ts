import type { Resource } from "../dav-request.ts";
import { element, namedElement } from "../xml/write-xml.ts";
import { caldav, dav, type QName } from "../xml/xml-names.ts";

const query = caldav("calendar-query");
const multiget = caldav("calendar-multiget");
const freeBusy = caldav("free-busy-query");
const expand = dav("expand-property");
const ofPrincipals: readonly QName[] = [
  expand,
  dav("principal-match"),
  dav("principal-property-search"),
  dav("principal-search-property-set"),
];

const reports: Readonly<Record<Resource["kind"], readonly QName[]>> = {
  root: ofPrincipals,
  principals: ofPrincipals,
  principal: ofPrincipals,
  homes: [expand, dav("principal-match")],
  home: [expand, dav("principal-match"), multiget],
  calendar: [query, multiget, freeBusy, dav("sync-collection"), expand],
  object: [query, multiget, freeBusy, expand],
};

/** The reports for a kind of resource, which `DAV:supported-report-set` lists. */
export const supportedReports = (kind: Resource["kind"]): readonly QName[] => reports[kind];

/** Value of `supported-report-set`. Programs look for the wrappers. Source: RFC 3253 3.1.5. */
export const reportSet = (kind: Resource["kind"]): string =>
  reports[kind]
    .map((name) => element("d:supported-report", element("d:report", namedElement(name, ""))))
    .join("");
