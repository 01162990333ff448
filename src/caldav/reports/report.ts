import type { DavAnswer, DavContext } from "../context.ts";
import { bodyFault, davFault, faultAnswer, xmlFault } from "../fault.ts";
import { choiceFault } from "../properties/props.ts";
import { caldav, dav, keyOf, sameName } from "../xml/names.ts";
import { readXml } from "../xml/read.ts";
import { expandAnswer } from "./report-expand.ts";
import { freeBusyAnswer } from "./report-free-busy.ts";
import { multigetAnswer } from "./report-multiget.ts";
import {
  principalMatchAnswer,
  principalSearchAnswer,
  searchPropertiesAnswer,
} from "./report-principal.ts";
import { queryAnswer } from "./report-query.ts";
import type { Report, ReportRequest } from "./report-question.ts";
import { syncAnswer } from "./report-sync.ts";
import { supportedReports } from "./supported-reports.ts";

/**
 * Answers a REPORT. One that is not known at its address is refused by DAV:supported-report, never by a status that
 * looks like a failed condition: programs would stop to synchronise. Source: RFC 3253 3.6.
 */
export function reportAnswer(context: DavContext, request: ReportRequest): DavAnswer {
  const xml = readXml(request.body);
  if (!xml.ok) return faultAnswer(xmlFault(xml.failure));
  if (xml.value === null) return faultAnswer(bodyFault("the body names no report: it is empty"));
  const report: Report = { ...request, xml: xml.value };
  const excess = choiceFault(report.xml);
  if (excess) return faultAnswer(excess);
  const isSupported = supportedReports(request.resource.kind).some((name) =>
    sameName(name, report.xml),
  );
  const answer = isSupported ? answers.get(keyOf(report.xml)) : undefined;
  if (answer) return answer(context, report);
  const reason = `the report ${report.xml.name} is not known here`;
  return faultAnswer(davFault("supported-report", reason));
}

type ReportAnswer = (context: DavContext, report: Report) => DavAnswer;

const answers: ReadonlyMap<string, ReportAnswer> = new Map(
  (
    [
      [caldav("calendar-query"), queryAnswer],
      [caldav("calendar-multiget"), multigetAnswer],
      [caldav("free-busy-query"), freeBusyAnswer],
      [dav("sync-collection"), syncAnswer],
      [dav("expand-property"), expandAnswer],
      [dav("principal-match"), principalMatchAnswer],
      [dav("principal-property-search"), principalSearchAnswer],
      [dav("principal-search-property-set"), searchPropertiesAnswer],
    ] as const
  ).map(([name, answer]) => [keyOf(name), answer]),
);
