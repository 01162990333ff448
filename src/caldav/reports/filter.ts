import type { TimeRange } from "../../ics/time-range.ts";
import type { Collation } from "./collation.ts";

/**
 * What a calendar-query asks of a component: that none of this name is there, or that one is there which meets all
 * conditions. Names are in upper case. Source: RFC 4791 9.7.1.
 */
export interface ComponentFilter {
  readonly name: string;
  /** Null: no such component may be there. */
  readonly conditions: {
    readonly range: TimeRange | null;
    readonly properties: readonly PropertyFilter[];
    readonly components: readonly ComponentFilter[];
  } | null;
}

/** What is asked of a property. Source: RFC 4791 9.7.2. */
export interface PropertyFilter {
  readonly name: string;
  /** Null: no such property may be there. All conditions have to be met by one and the same line. */
  readonly conditions: {
    readonly range: TimeRange | null;
    readonly text: TextMatch | null;
    readonly params: readonly ParamFilter[];
  } | null;
}

/** What is asked of a parameter. Source: RFC 4791 9.7.3. */
export interface ParamFilter {
  readonly name: string;
  /** Null: no such parameter may be there. */
  readonly conditions: { readonly text: TextMatch | null } | null;
}

/** A part that a value must hold, or with `negate` must not. Source: RFC 4791 9.7.5. */
export interface TextMatch {
  /** Through the collation already. */
  readonly part: string;
  readonly collation: Collation;
  readonly negate: boolean;
}
