import type { ContentLine } from "../../ics/lines/content-line.ts";
import type { Component } from "../../ics/lines/tree.ts";
import { decodeText } from "../../ics/text/text.ts";
import {
  matchesPropertyRange,
  matchesTimeRange,
  type TimeRangeContext,
} from "../../ics/time-range.ts";
import { zonesOfFile } from "../../ics/zones/file-zones.ts";
import type { ComponentFilter, ParamFilter, PropertyFilter, TextMatch } from "./filter.ts";

/**
 * Whether a calendar object meets a filter. `zone` is the IANA zone in which its dates and floating times stand.
 * Source: RFC 4791 9.7.
 */
export function matchesFilter(
  filter: ComponentFilter,
  { calendar, zone }: { readonly calendar: Component; readonly zone: string },
): boolean {
  const context = { zone, zoneOf: zonesOfFile(calendar, zone), parent: null };
  return matchesOneOf([calendar], filter, context);
}

function matchesOneOf(
  components: readonly Component[],
  filter: ComponentFilter,
  context: TimeRangeContext,
): boolean {
  const named = components.filter(({ name }) => name === filter.name);
  const { conditions } = filter;
  if (!conditions) return named.length === 0;
  return named.some((component) => {
    if (conditions.range && !matchesTimeRange(component, conditions.range, context)) return false;
    return (
      conditions.properties.every((property) => matchesProperty(component, property, context)) &&
      conditions.components.every((inner) =>
        matchesOneOf(component.components, inner, { ...context, parent: component }),
      )
    );
  });
}

function matchesProperty(
  component: Component,
  filter: PropertyFilter,
  context: TimeRangeContext,
): boolean {
  const lines = component.lines.filter(({ name }) => name === filter.name);
  const { conditions } = filter;
  if (!conditions) return lines.length === 0;
  const { range, text, params } = conditions;
  return lines.some((line) => {
    if (range && !matchesPropertyRange(line, range, context)) return false;
    if (text && !matchesText(decodeText(line.value), text)) return false;
    return params.every((param) => matchesParam(line, param));
  });
}

function matchesParam(line: ContentLine, { name, conditions }: ParamFilter): boolean {
  const values = line.params.get(name);
  if (!conditions) return values === undefined;
  if (!values) return false;
  const { text } = conditions;
  return text === null || values.some((value) => matchesText(value, text));
}

function matchesText(value: string, { part, collation, negate }: TextMatch): boolean {
  return collation(value).includes(part) !== negate;
}
