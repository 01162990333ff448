import { largestAnswer } from "../answer-size.ts";
import type { Calendar, CalendarObject } from "../backend.ts";
import type { DavAnswer, DavContext, Resource } from "../dav-request.ts";
import { bodyFault, type DavFault, errorContent, faultAnswer } from "../fault.ts";
import { type MemberAddress, memberAddressReader, notReadyFault } from "../paths.ts";
import { childrenNamed, xmlTextOf } from "../xml/read-xml.ts";
import { statusResponse } from "../xml/write-xml.ts";
import {
  type DavReport,
  type MemberQuestion,
  multistatusAnswer,
  readMemberQuestion,
} from "./report-question.ts";

/**
 * The requested members, each with its own status, in the order of their first mention. Members outside of the requested
 * calendar or home are not found. Source: RFC 4791 7.9.
 */
export function multigetAnswer(context: DavContext, report: DavReport): DavAnswer {
  const question = readMemberQuestion(context, report);
  if (!question.ok) return faultAnswer(question.failure);
  const hrefs = childrenNamed(report.xml, "href").map(xmlTextOf);
  if (hrefs.length === 0) return faultAnswer(bodyFault("a calendar-multiget needs addresses"));
  const { resource } = report;
  const readAddress = memberAddressReader({ context, scope: resource });
  const answer = createAnswer(context, {
    scope: resource,
    question: question.value,
  });
  const responses = withinLimits(addressesIn(hrefs, readAddress), answer);
  return multistatusAnswer({ responses }, question.value);
}

/**
 * Each address at its first mention, null at repetitions. They are parsed while the answer is made, as thousands would block
 * others.
 */
function* addressesIn(
  hrefs: readonly string[],
  readAddress: (href: string) => MemberAddress,
): Generator<MemberAddress | null> {
  const named = new Set<string>();
  for (const href of hrefs) {
    const address = readAddress(href);
    yield named.has(address.key) ? null : address;
    named.add(address.key);
  }
}

/** Once an answer has reached the limit, the remaining addresses are answered with 507. */
function* withinLimits(
  addresses: Iterable<MemberAddress | null>,
  answer: (address: MemberAddress) => string,
): Generator<string> {
  let size = 0;
  for (const address of addresses) {
    if (!address) {
      yield "";
      continue;
    }
    const isFull = size > (largestAnswer * 3) / 4;
    const written = isFull ? statusResponse(address.path, { status: 507 }) : answer(address);
    size += written.length;
    yield written;
  }
}

interface Asked {
  readonly scope: Resource;
  readonly question: MemberQuestion;
}

/** Data of a calendar for a multiget, looked up once. */
interface Source {
  readonly notReady: DavFault | null;
  readonly find: (name: string) => CalendarObject | null;
  readonly write: (object: CalendarObject, path?: string) => string | null;
}

function createAnswer(
  context: DavContext,
  { scope, question }: Asked,
): (address: MemberAddress) => string {
  const lookUp = createLookUp(context, scope);
  const sources = new Map<string, Source | null>();

  function sourceOf(slug: string): Source | null {
    const calendar = lookUp(slug);
    if (!calendar) return null;
    const { backend } = context;
    const notReady = notReadyFault(backend, calendar);
    const find = notReady ? () => null : backend.finder(calendar);
    return { notReady, find, write: question.responsesIn(calendar) };
  }

  return ({ path, member }) => {
    if (!member) return absent(path);
    const known = sources.get(member.slug);
    const source = known === undefined ? sourceOf(member.slug) : known;
    if (known === undefined) sources.set(member.slug, source);
    if (!source) return absent(path);
    if (source.notReady) return refused(path, source.notReady);
    const isInScope = scope.kind !== "object" || scope.name === member.name;
    const object = isInScope ? source.find(member.name) : null;
    return (object && source.write(object, path)) ?? absent(path);
  };
}

/** Finds the calendar of a slug, within the scope of the report's URL. */
function createLookUp(
  { backend, person }: DavContext,
  scope: Resource,
): (slug: string) => Calendar | null {
  if ("calendar" in scope) {
    return (slug) => (slug === scope.calendar.slug ? scope.calendar : null);
  }
  const bySlug = new Map(backend.calendars(person).map((calendar) => [calendar.slug, calendar]));
  return (slug) => bySlug.get(slug) ?? null;
}

const absent = (path: string): string => statusResponse(path, { status: 404 });

const refused = (path: string, fault: DavFault): string =>
  statusResponse(path, { status: fault.status, error: errorContent(fault) });
