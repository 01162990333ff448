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

/** A list of which the elements that came as before are known, and only the others were read. */
export interface ListSnapshot<Value> extends Snapshot<Value> {
  /** How many came as before; they are not among the items. */
  readonly same: number;
  /** Keys of the earlier list that this one has not; null where every element was read, and nothing was compared. */
  readonly gone: readonly number[] | null;
  /** The elements, to compare a later list with; null where that list is better read as a whole. */
  readonly elements: ListElements | null;
}

/**
 * A list as it came, of which nothing has been read yet. Equal `digest`s are of lists that came octet for octet alike.
 * Reading fails for a body that cannot be understood; `since` are the elements of an earlier list whose values are known.
 */
export interface RawList<Value> {
  readonly digest: string;
  readonly read: (since: ListElements | null) => Promise<Result<ListSnapshot<Value>, Failure>>;
}

interface ListOptions<Value> {
  readonly list: ListReader<Value>;
  /** The elements of an earlier list, whose values are known. */
  readonly since: ListElements | null;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
}

/** About a millisecond of work. */
const octetsInATurn = 16_384;

/**
 * Reads a list element by element, with pauses, so that a long one blocks nobody; of one that is compared with an earlier one, only
 * what differs in any octet. Null for a body that is no plain array of JSON objects: it is to be read, or refused, as a whole.
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
  // What is odd about a list is told by reading it as a whole; so is an id that stands in two elements.
  const isOdd = problems.length + remarks.length > 0 || comparison.hasFoundAny(differing);
  if (isOdd) return readList(octets, { list, since: null, pause });
  const gone = comparison.left().filter((key) => !differing.has(key));
  return { ...snapshot, received: seen.length, same, gone, elements };
}

function parsed(text: TextDecoder, element: Uint8Array): unknown {
  try {
    return JSON.parse(text.decode(element));
  } catch {
    // That the body is not UTF-8, or no JSON, is told by reading it as a whole.
    return undefined;
  }
}
