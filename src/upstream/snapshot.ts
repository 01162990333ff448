import { fail, ok, type Result } from "../domain/result.ts";
import type { ReadIssues } from "./wire.ts";

/**
 * One full read of a list. `received`: elements in the answer. The snapshot is complete, and may say that something is
 * missing, only when `problems` is empty; each problem is a sentence that names the place, the kind and the id.
 */
export interface Snapshot<Value> {
  readonly items: readonly Value[];
  readonly problems: readonly string[];
  readonly received: number;
  /** Fields that the service left out and that stay as they were known: of no account for what is missing. */
  readonly remarks?: readonly string[];
}

/** How to read a list's elements. `where` and `kind` are words for problems, as "project 7, list 9" and "task". */
export interface Reading<Value> {
  readonly where: string;
  readonly kind: string;
  readonly read: (raw: unknown, ear: ReadIssues) => Result<Value, string>;
  /** What no two elements may share. */
  readonly keyOf: (value: Value) => number | string;
}

/**
 * Reads the elements one by one; one that cannot be understood is left out and becomes a problem, as does a second one
 * with the same key, of which the last counts. Fails when the answer is no array.
 */
export function collect<Value>(
  raw: unknown,
  reading: Reading<Value>,
): Result<Snapshot<Value>, string> {
  if (!Array.isArray(raw)) {
    return fail(`an array of ${reading.kind}s was expected, not ${kindOf(raw)}`);
  }
  const elements: readonly unknown[] = raw;
  const found = new Map<number | string, Value>();
  const problems: string[] = [];
  const unsaid = new Map<string, number>();
  for (const [index, element] of elements.entries()) {
    const name = () => `${reading.where}, ${reading.kind} ${nameOf(element, index)}`;
    const value = reading.read(element, {
      doubt: (sentence) => void problems.push(`${name()}: ${sentence}`),
      unsaid: (field) => void unsaid.set(field, (unsaid.get(field) ?? 0) + 1),
    });
    if (!value.ok) {
      problems.push(`${name()}: ${value.failure}`);
      continue;
    }
    const key = reading.keyOf(value.value);
    if (found.has(key)) problems.push(`${name()}: the id came twice in one list`);
    found.set(key, value.value);
  }
  const remarks = [...unsaid].map(
    ([field, times]) =>
      `${reading.where}: "${field}" is missing in ${times} of ${elements.length} ${reading.kind}s; it counts as it was known`,
  );
  return ok({
    items: [...found.values()],
    problems,
    received: elements.length,
    ...(remarks.length > 0 && { remarks }),
  });
}

function nameOf(element: unknown, index: number): string {
  if (typeof element === "object" && element !== null && "id" in element) {
    const { id } = element;
    if (typeof id === "number" || typeof id === "string") return String(id).slice(0, 40);
  }
  return `at place ${index + 1} without an id`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
