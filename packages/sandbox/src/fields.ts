import { readDate } from "./times.ts";

/**
 * Reads known fields of a JSON body; unknown ones are left alone. The first thing wrong is kept in `problem`,
 * and the readers then give `undefined`, so that a caller asks for everything first and looks once.
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

  /** What is wrong with the body, naming the field; null when all is well. */
  get problem(): string | null {
    return this.#problem;
  }

  has(name: string): boolean {
    return this.#given.has(name);
  }

  raw(name: string): unknown {
    return this.#given.get(name);
  }

  /** Records a problem found by the caller. */
  refuse(message: string): undefined {
    this.#problem ??= message;
    return undefined;
  }

  /** A text with something in it. */
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

  /** A whole number from zero, or null. */
  count(name: string): number | null | undefined {
    const value = this.#given.get(name);
    if (value === undefined || value === null) return value;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    return this.refuse(`${name} must be a whole number from 0, or null`);
  }

  /** An id; a null counts as not given. */
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

  /** Ids, each once, in the given order; null counts as none. */
  ids(name: string): readonly number[] | undefined {
    const value = this.#given.get(name);
    if (value === undefined) return undefined;
    if (value === null) return [];
    if (Array.isArray(value) && value.every((it) => Number.isSafeInteger(it)))
      return [...new Set<number>(value)];
    return this.refuse(`${name} must be an array of ids`);
  }
}
