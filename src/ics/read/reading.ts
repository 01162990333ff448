import type { IcsProblem, ValueFault } from "../ics-problem.ts";
import type { ContentLine } from "../lines/content-line.ts";
import { decodeText } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import { type IncomingTime, readTime, type ZoneOf } from "../time-values.ts";
import type { DescribeRule } from "./second-opinion.ts";

/** What all items of one file share. */
export interface FileContext {
  readonly zoneOf: ZoneOf;
  readonly describeRule: DescribeRule;
}

/** One item while it is being read. */
export interface Reading extends FileContext {
  readonly component: Component;
  readonly uid: string;
  /** Grows while the item is read. */
  readonly problems: IcsProblem[];
}

/** The first line of a name; undefined when it was not sent. */
export function firstLine(component: Component, name: string): ContentLine | undefined {
  for (const line of component.lines) if (line.name === name) return line;
  return undefined;
}

/** Notes why the item cannot be accepted. */
export function complain(reading: Reading, at: ValueFault & { readonly line: number }): undefined {
  const { line, code, message } = at;
  reading.problems.push({ line, uid: reading.uid || null, code, message });
}

/** The TEXT value of a property; undefined when it was not sent. */
export function textOf(component: Component, name: string): string | undefined {
  const line = firstLine(component, name);
  return line && decodeText(line.value);
}

/** A keyword value in upper case; undefined when it was not sent. */
export function wordOf(component: Component, name: string): string | undefined {
  return firstLine(component, name)?.value.trim().toUpperCase();
}

/** The DATE or DATE-TIME of a property; undefined when it was not sent or, with a complaint, cannot be read. */
export function timeOf(reading: Reading, name: string): IncomingTime | undefined {
  const line = firstLine(reading.component, name);
  if (!line) return undefined;
  const read = readTime(line, reading.zoneOf);
  return read.ok ? read.value : complain(reading, { line: line.line, ...read.failure });
}
