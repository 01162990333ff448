import { hash } from "node:crypto";

/** Position of an element in a body: from `start` to `end`, without the comma. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Hash of one element's octets: 96 bits of a SHA-1, as two integers. */
export interface Print {
  readonly high: number;
  readonly low: number;
}

export function printOf(element: Uint8Array): Print {
  const digest = hash("sha1", element, "buffer");
  return { high: digest.readUIntBE(0, 6), low: digest.readUIntBE(6, 6) };
}

const at = {
  quote: 0x22,
  comma: 0x2c,
  arrayBegin: 0x5b,
  backslash: 0x5c,
  arrayEnd: 0x5d,
  objectBegin: 0x7b,
  objectEnd: 0x7d,
} as const;

/**
 * Splits a JSON array of objects into its elements without parsing them. It only looks at strings and braces; errors inside an
 * element are left to the parser.
 */
export class ElementScanner {
  readonly #octets: Uint8Array;
  #position = 0;
  #count = 0;

  constructor(octets: Uint8Array) {
    this.#octets = octets;
  }

  /** The next element; `end` after the last one, `odd` if the octets are no array of objects. */
  next(): Span | "end" | "odd" {
    if (this.#count === 0 && !this.#skip(at.arrayBegin)) return "odd";
    const separated = this.#count > 0 && this.#skip(at.comma);
    if (!separated && this.#skip(at.arrayEnd)) return this.#isOver() ? "end" : "odd";
    if (this.#count > 0 && !separated) return "odd";
    if (this.#peek() !== at.objectBegin) return "odd";
    const start = this.#position;
    const end = this.#endOfObject();
    if (end === null) return "odd";
    this.#count += 1;
    this.#position = end;
    return { start, end };
  }

  #endOfObject(): number | null {
    const octets = this.#octets;
    const { length } = octets;
    let depth = 0;
    let isText = false;
    for (let index = this.#position; index < length; index += 1) {
      const octet = octets[index];
      if (isText) {
        if (octet === at.backslash) index += 1;
        else if (octet === at.quote) isText = false;
      } else if (octet === at.quote) {
        isText = true;
      } else if (octet === at.objectBegin) {
        depth += 1;
      } else if (octet === at.objectEnd) {
        depth -= 1;
        if (depth === 0) return index + 1;
      }
    }
    return null;
  }

  #skip(octet: number): boolean {
    if (this.#peek() !== octet) return false;
    this.#position += 1;
    return true;
  }

  #isOver(): boolean {
    this.#peek();
    return this.#position === this.#octets.length;
  }

  /** The next octet that is no white space. Source: RFC 8259 2. */
  #peek(): number | undefined {
    for (;;) {
      const octet = this.#octets[this.#position];
      if (octet !== 0x20 && octet !== 0x0a && octet !== 0x0d && octet !== 0x09) return octet;
      this.#position += 1;
    }
  }
}

/** The elements of a list, each as its key and its hash, in 24 octets. */
export class ListElements {
  readonly #facts: Float64Array;

  constructor(elements: readonly (Print & { readonly key: number })[]) {
    this.#facts = new Float64Array(3 * elements.length);
    for (const [index, { key, high, low }] of elements.entries()) {
      this.#facts[3 * index] = key;
      this.#facts[3 * index + 1] = high;
      this.#facts[3 * index + 2] = low;
    }
  }

  get size(): number {
    return this.#facts.length / 3;
  }

  keyAt(index: number): number {
    return this.#facts[3 * index] ?? Number.NaN;
  }

  isAt(index: number, { high, low }: Print): boolean {
    return this.#facts[3 * index + 1] === high && this.#facts[3 * index + 2] === low;
  }

  /** Indexes of elements by the first half of their hashes. */
  places(): ReadonlyMap<number, number> {
    const places = new Map<number, number>();
    for (let index = 0; index < this.size; index += 1) {
      places.set(this.#facts[3 * index + 1] ?? Number.NaN, index);
    }
    return places;
  }
}

/** Finds the elements of an earlier list in a later one, in any order. */
export class ElementComparison {
  readonly #before: ListElements;
  readonly #found: Uint8Array;
  #next = 0;
  #places: ReadonlyMap<number, number> | null = null;

  constructor(before: ListElements) {
    this.#before = before;
    this.#found = new Uint8Array(before.size);
  }

  /** The key of the element with the same octets; null if none, or if it was matched already. */
  match(print: Print): number | null {
    const index = this.#indexOf(print);
    if (index === null || this.#found[index] === 1) return null;
    this.#found[index] = 1;
    this.#next = index + 1;
    return this.#before.keyAt(index);
  }

  /** Keys of the elements that were not found. */
  left(): readonly number[] {
    const keys: number[] = [];
    for (
      let index = this.#found.indexOf(0);
      index >= 0;
      index = this.#found.indexOf(0, index + 1)
    ) {
      keys.push(this.#before.keyAt(index));
    }
    return keys;
  }

  hasFoundAny(keys: ReadonlySet<number>): boolean {
    return this.#found.some((found, index) => found === 1 && keys.has(this.#before.keyAt(index)));
  }

  #indexOf(print: Print): number | null {
    // Most lists keep their order.
    for (const index of [this.#next, this.#next + 1]) {
      if (index < this.#before.size && this.#before.isAt(index, print)) return index;
    }
    this.#places ??= this.#before.places();
    const index = this.#places.get(print.high);
    return index !== undefined && this.#before.isAt(index, print) ? index : null;
  }
}
