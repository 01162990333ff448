import { fail, ok, type Result } from "@dayferry/ical";
import { countFitting } from "../answer-size.ts";
import type { Calendar, CalendarChanges } from "../backend.ts";
import type { DavAnswer, DavContext } from "../dav-request.ts";
import { bodyFault, type DavFault, davFault, errorContent, faultAnswer } from "../fault.ts";
import { childOf, xmlTextOf } from "../xml/read-xml.ts";
import { statusResponse } from "../xml/write-xml.ts";
import type { XmlElement } from "../xml/xml-names.ts";
import {
  type DavReport,
  type MemberQuestion,
  multistatusAnswer,
  readMemberQuestion,
} from "./report-question.ts";

/**
 * Changes of a calendar since a token, or everything for an empty one. A truncated answer contains a 507 for the calendar
 * itself, and its token continues. Source: RFC 6578 3.
 */
export function syncAnswer(context: DavContext, report: DavReport): DavAnswer {
  const { resource } = report;
  if (resource.kind !== "calendar") throw new Error(`a ${resource.kind} has no changes`);
  const since = readSince(report);
  if (!since.ok) return faultAnswer(since.failure);
  const question = readMemberQuestion(context, report);
  if (!question.ok) return faultAnswer(question.failure);

  const { calendar } = resource;
  const changes = fittingChanges(context, { calendar, since: since.value, each: question.value });
  if (!changes) return faultAnswer(unknownToken);
  const responses = responsesTo(context, { calendar, changes, question: question.value });
  return multistatusAnswer({ responses, syncToken: changes.token }, question.value);
}

/** Null for an unknown token. What is too long for one answer is truncated where it still fits. */
function fittingChanges(
  { backend }: DavContext,
  about: {
    readonly calendar: Calendar;
    readonly since: Since;
    readonly each: Pick<MemberQuestion, "names" | "hasData">;
  },
): CalendarChanges | null {
  const { calendar, since, each } = about;
  const changes = backend.changes(calendar, since);
  const most = changes && countFitting(changes.put, each);
  return changes && most !== null && most < changes.put.length
    ? backend.changes(calendar, { ...since, limit: most })
    : changes;
}

function* responsesTo(
  context: DavContext,
  about: {
    readonly calendar: Calendar;
    readonly changes: CalendarChanges;
    readonly question: MemberQuestion;
  },
): Generator<string> {
  const { calendar, changes, question } = about;
  const responseOf = question.responsesIn(calendar);
  const pathOf = context.paths.objectsIn(calendar);
  const gone = (name: string) => statusResponse(pathOf(name), { status: 404 });
  // The next token covers members that disappear meanwhile.
  for (const object of changes.put) yield responseOf(object) ?? gone(object.name);
  for (const name of changes.buried) yield gone(name);
  if (changes.truncated) yield truncation(context, calendar);
}

const tooMany: DavFault = {
  ...davFault("number-of-matches-within-limits", "there are more results than the limit"),
  status: 507,
};

const unknownToken = davFault(
  "valid-sync-token",
  "the token is unknown or too old: sync again with an empty token",
);

/** Source: RFC 6578 3.6. */
const truncation = ({ paths }: DavContext, calendar: Calendar): string =>
  statusResponse(paths.calendar(calendar), { status: 507, error: errorContent(tooMany) });

interface Since {
  readonly token: string;
  readonly limit: number | null;
}

function readSince({ xml, headers }: DavReport): Result<Since, DavFault> {
  const token = childOf(xml, "sync-token");
  if (!token)
    return fail(bodyFault("a sync-collection needs a sync-token, empty for the first sync"));
  const level = checkLevel(xml, headers["depth"]);
  if (level) return fail(level);
  if (!childOf(xml, "prop")) return fail(bodyFault("a sync-collection needs a prop"));
  const limit = readLimit(xml);
  return limit.ok ? ok({ token: xmlTextOf(token), limit: limit.value }) : limit;
}

/**
 * A calendar has no collections inside, so all levels mean its members. Without a level the Depth header is one, as in drafts
 * of the RFC. Some programs send Depth 1 besides a level, which is then ignored. Source: RFC 6578 3.3, 6.3.
 */
function checkLevel(xml: XmlElement, depth: string | undefined): DavFault | null {
  const element = childOf(xml, "sync-level");
  const level = element ? xmlTextOf(element) : (depth?.trim().toLowerCase() ?? "1");
  const known = element ? ["1", "infinite"] : ["0", "1", "infinity"];
  return known.includes(level)
    ? null
    : bodyFault(`the sync-level "${level}" is none: 1 or infinite are`);
}

/** Source: RFC 6578 3.7, RFC 5323 5.17. */
function readLimit(xml: XmlElement): Result<number | null, DavFault> {
  const limit = childOf(xml, "limit");
  if (!limit) return ok(null);
  const results = childOf(limit, "nresults");
  const text = results ? xmlTextOf(results) : "";
  if (!/^\d{1,15}$/.test(text)) return fail(bodyFault("a limit needs nresults, a whole number"));
  // A limit of 0 allows no answer.
  return Number(text) > 0 ? ok(Number(text)) : fail(tooMany);
}
