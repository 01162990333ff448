import { expect } from "vitest";

// Temporal values have no keys, so that toMatchObject() by itself finds any two of one kind equal.
expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    if (!isTemporal(a) || !isTemporal(b)) return undefined;
    return a.constructor === b.constructor && a.toJSON() === b.toJSON();
  },
]);

const isTemporal = (value: unknown): value is { toJSON(): string } =>
  Object.prototype.toString.call(value).startsWith("[object Temporal.");
