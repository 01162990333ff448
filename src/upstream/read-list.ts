import type { Result } from "../domain/result.ts";
import type { Failure } from "./failure.ts";
import {
  ElementComparison,
  ElementScanner,
  ListElements,
  type Print,
  printOf,
} from "./list-elements.ts";
import { ListCollector, type ListReader, type Snapshot } from "./wire.ts";

/** A list of which only changed elements were parsed. */
export interface ListSnapshot<Value> extends Snapshot<Value> {
  /** Number of unchanged elements, which are not among the items. */
  readonly same: number;
  /** Keys of earlier elements that are missing now; null if every element was parsed and nothing compared. */
  readonly gone: readonly number[] | null;
  /** Elements to compare a later list with; null if that should be parsed as a whole. */
  readonly elements: ListElements | null;
}

/**
 * A list as received and not yet parsed. Equal `digest`s mean equal octets. Parsing fails for an invalid body; `since`:
 * elements of an earlier list with known values.
 */
export interface RawList<Value> {
  readonly digest: string;
  readonly read: (since: ListElements | null) => Promise<Result<ListSnapshot<Value>, Failure>>;
}

interface ListOptions<Value> {
  readonly list: ListReader<Value>;
  /** Elements of an earlier list with known values. */
  readonly since: ListElements | null;
  /** Lets other work run. */
  readonly pause: () => Promise<void>;
}

/** About a millisecond of work. */
const octetsInATurn = 16_384;

/**
 * Parses a list element by element, with pauses, so that a long one does not block. Compared with an earlier list, only changed
 * elements are parsed. Null for a body that is no array of JSON objects, which is to be parsed, or refused, as a whole.
 */
export async function readList<Value>(
  octets: Uint8Array,
  { list, since, pause }: ListOptions<Value>,
): Promise<ListSnapshot<Value> | null> {
  const scanner = new ElementScanner(octets);
  const collector = new ListCollector(list);
  const comparison = since && new ElementComparison(since);
  const text = new TextDecoder("utf-8", { fatal: true });
  const seen: (Print & { readonly key: number })[] = [];
  const differing = new Set<number>();
  let same = 0;
  let turn = 0;
  for (;;) {
    const span = scanner.next();
    if (span === "odd") return null;
    if (span === "end") break;
    const element = octets.subarray(span.start, span.end);
    const print = printOf(element);
    const known = comparison?.match(print) ?? null;
    if (known === null) {
      const raw = parsed(text, element);
      if (raw === undefined) return null;
      const key = collector.add(raw);
      if (typeof key === "number") differing.add(key);
      seen.push({ ...print, key: typeof key === "number" ? key : Number.NaN });
    } else {
      same += 1;
      seen.push({ ...print, key: known });
    }
    if (span.end - turn < octetsInATurn) continue;
    turn = span.end;
    await pause();
  }
  const snapshot = collector.snapshot();
  const { problems, remarks = [] } = snapshot;
  const elements = problems.length + remarks.length === 0 ? new ListElements(seen) : null;
  if (!comparison) return { ...snapshot, same, gone: null, elements };
  // An odd list, or one with a repeated id, is parsed as a whole, which reports the problem.
  const isOdd = problems.length + remarks.length > 0 || comparison.hasFoundAny(differing);
  if (isOdd) return readList(octets, { list, since: null, pause });
  const gone = comparison.left().filter((key) => !differing.has(key));
  return { ...snapshot, received: seen.length, same, gone, elements };
}

function parsed(text: TextDecoder, element: Uint8Array): unknown {
  try {
    return JSON.parse(text.decode(element));
  } catch {
    // Parsing as a whole reports invalid UTF-8 or JSON.
    return undefined;
  }
}
