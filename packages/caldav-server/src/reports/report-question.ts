import { fail, ok, type Result } from "@dayferry/ical";
import type { Calendar, CalendarObject } from "../backend.ts";
import type { DavAnswer, DavContext, ResourceRequest } from "../dav-request.ts";
import { bodyFault, type DavFault } from "../fault.ts";
import { withPresent } from "../listed-member.ts";
import { minimalHeaders, wantsMinimal } from "../prefer.ts";
import { sizeOfNames, type Wanted, wantedIn } from "../properties/answer-properties.ts";
import { objectProps } from "../properties/object-properties.ts";
import { childOf, childrenNamed } from "../xml/read-xml.ts";
import { escapeXml, type Multistatus, multistatus, response } from "../xml/write-xml.ts";
import { caldav, type XmlElement } from "../xml/xml-names.ts";
import { type DataShape, readCalendarData } from "./calendar-data.ts";

/** A REPORT on the resource at its URL; `xml`: the element that names it. */
export interface DavReport extends ResourceRequest {
  readonly xml: XmlElement;
}

/** Writes the responses for a report's members. */
export interface MemberQuestion {
  /**
   * The response for one member after the other; `path`: its percent-encoded URL. Null for one that is gone since it was
   * listed.
   */
  readonly responsesIn: (
    calendar: Calendar,
  ) => (object: CalendarObject, path?: string) => string | null;
  /** Size of a response besides the octets: the names, in characters. */
  readonly names: number;
  /** True if the octets of members are requested. */
  readonly hasData: boolean;
  readonly minimal: boolean;
}

/**
 * What a report requests about members of calendars. Fails for an invalid choice of properties, and for unavailable calendar
 * data. Source: RFC 4791 9.5, 9.10, 9.6.
 */
export function readMemberQuestion(
  context: DavContext,
  report: DavReport,
): Result<MemberQuestion, DavFault> {
  const wanted = readWanted(report.xml);
  if (!wanted.ok) return wanted;
  const shape = readShape(report.xml, context.zone);
  if (!shape.ok) return shape;
  const minimal = wantsMinimal(report);
  const { backend, paths } = context;
  const data = (object: CalendarObject) => {
    const octets = backend.octets(object);
    return escapeXml(shape.value ? shape.value(octets) : octets.toString("utf8"));
  };
  return ok({
    minimal,
    names: sizeOfNames(wanted.value),
    hasData: shape.value !== undefined,
    responsesIn(calendar) {
      const propsOf = objectProps({ context, calendar, wanted: wanted.value, minimal, data });
      const pathOf = paths.objectsIn(calendar);
      return (object, path = pathOf(object.name)) =>
        withPresent((present) => response(path, propsOf(present)), { backend, calendar, object });
    },
  });
}

/** A 207, in the form that `Prefer` requests. */
export function multistatusAnswer(
  content: Multistatus,
  { minimal }: Pick<MemberQuestion, "minimal">,
): DavAnswer {
  return {
    status: 207,
    headers: {
      "Content-Type": "application/xml; charset=utf-8",
      ...(minimal ? minimalHeaders : {}),
    },
    pieces: multistatus(content),
  };
}

/** Reports may omit the properties; then only URLs are returned. */
function readWanted(xml: XmlElement): Result<Wanted, DavFault> {
  const wanted = wantedIn(xml);
  if (wanted) return ok(wanted);
  const choices = ["prop", "allprop", "propname"].flatMap((name) => childrenNamed(xml, name));
  return choices.length === 0
    ? ok({ kind: "prop", names: [] })
    : fail(bodyFault("only one of prop, allprop and propname is allowed"));
}

/** Undefined if no data are requested. */
function readShape(xml: XmlElement, zone: string): Result<DataShape | undefined, DavFault> {
  const choice = childOf(xml, "prop") ?? childOf(xml, "include");
  const asked = choice && childOf(choice, caldav("calendar-data"));
  return asked ? readCalendarData(asked, { zone }) : ok(undefined);
}
