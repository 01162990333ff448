import type { IncomingItem } from "../../ics/read/read.ts";
import { type Part, refuse, silent, wish } from "./part.ts";

/**
 * The wish to complete or to reopen. STATUS, COMPLETED, PERCENT-COMPLETE and the mark in the title each may say it; the
 * one that says something new counts, as programs often change one of them and leave the others. `mark`: what the title
 * says, undefined for nothing new. `able`: only milestones and tasks can be completed.
 * Source: RFC 5545 3.8.1.11, 3.8.1.8, 3.8.2.1; service-api.md, States and transitions.
 */
export function completionPart(
  incoming: IncomingItem,
  about: {
    readonly completed: boolean;
    readonly mark: boolean | undefined;
    readonly able: boolean;
  },
): Part {
  const { completed, mark, able } = about;
  const said = [mark, statusSays(incoming), incoming.completedAt && true, percentSays(incoming)];
  if (!said.some((done) => done !== undefined && done !== completed)) return silent;
  if (able) return wish({ completed: !completed });
  const message = "it cannot be completed or reopened: only milestones and tasks can";
  return refuse({ line: incoming.line, code: "not-completable", message });
}

function statusSays({ component, status }: IncomingItem): boolean | undefined {
  if (status === "COMPLETED") return true;
  if (status === "NEEDS-ACTION") return false;
  return status === "IN-PROCESS" && component === "VTODO" ? false : undefined;
}

const percentSays = ({ percent }: IncomingItem): true | undefined =>
  percent === 100 ? true : undefined;
