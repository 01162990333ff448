import { readDate } from "./times.ts";

/**
 * Reads known fields of a JSON body and ignores others. The first error is kept in `problem`, and the readers then return
 * `undefined`, so that a caller can read everything first and check once.
 */
export class Fields {
  readonly #given: ReadonlyMap<string, unknown>;
  #problem: string | null = null;

  constructor(body: unknown) {
    if (typeof body === "object" && body !== null && !Array.isArray(body)) {
      this.#given = new Map<string, unknown>(Object.entries(body));
      return;
    }
    this.#given = new Map();
    this.#problem = "the body must be a JSON object";
  }

  /** What is wrong with the body, naming the field; null if nothing is. */
  get problem(): string | null {
    return this.#problem;
  }

  has(name: string): boolean {
    return this.#given.has(name);
  }

  raw(name: string): unknown {
    return this.#given.get(name);
  }

  /** Records an error found by the caller. */
  refuse(message: string): undefined {
    this.#problem ??= message;
    return undefined;
  }

  /** A nonempty text. */
  title(name: string): string | undefined {
    const value = this.#given.get(name);
    if (value === undefined) return undefined;
    if (typeof value === "string" && value.trim() !== "") return value;
    return this.refuse(`${name} must be a text that is not blank`);
  }

  text(name: string): string | null | undefined {
    const value = this.#given.get(name);
    if (value === undefined || value === null || typeof value === "string") return value;
    return this.refuse(`${name} must be a text or null`);
  }

  flag(name: string): boolean | undefined {
    const value = this.#given.get(name);
    if (value === undefined || typeof value === "boolean") return value;
    return this.refuse(`${name} must be true or false`);
  }

  /** A nonnegative whole number, or null. */
  count(name: string): number | null | undefined {
    const value = this.#given.get(name);
    if (value === undefined || value === null) return value;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    return this.refuse(`${name} must be a whole number from 0, or null`);
  }

  /** An id; null counts as missing. */
  id(name: string): number | undefined {
    return this.count(name) ?? undefined;
  }

  /** `YYYY-MM-DD`, or null. */
  date(name: string): string | null | undefined {
    const value = this.#given.get(name);
    if (value === undefined || value === null) return value;
    const date = typeof value === "string" ? readDate(value) : null;
    return date ?? this.refuse(`${name} must be a date YYYY-MM-DD, or null`);
  }

  /** Distinct ids in the given order; null counts as none. */
  ids(name: string): readonly number[] | undefined {
    const value = this.#given.get(name);
    if (value === undefined) return undefined;
    if (value === null) return [];
    if (Array.isArray(value) && value.every((it) => Number.isSafeInteger(it)))
      return [...new Set<number>(value)];
    return this.refuse(`${name} must be an array of ids`);
  }
}
