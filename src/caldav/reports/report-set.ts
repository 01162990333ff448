import type { Resource } from "../paths.ts";
import { element, namedElement } from "../xml/write-xml.ts";
import { supportedReports } from "./supported-reports.ts";

/** Value of `supported-report-set`. Programs look for the wrappers. Source: RFC 3253 3.1.5. */
export const reportSet = (kind: Resource["kind"]): string =>
  supportedReports(kind)
    .map((name) => element("d:supported-report", element("d:report", namedElement(name, ""))))
    .join("");
