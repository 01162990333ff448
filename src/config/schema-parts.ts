import { resolve } from "node:path";
import { z } from "zod";
import { isId } from "../domain/ids.ts";
import type { Result } from "../domain/result.ts";
import { readSecretFile } from "./secrets.ts";

/** Lets a check that compares keys run even if another key is invalid, so that all problems are reported at once. */
export const always = { when: () => true };

/** A text parsed by `read`, whose sentence becomes the problem. `type`: its name in the reference. */
export function textSetting<Value>(read: (text: string) => Result<Value, string>, type: string) {
  return z
    .string()
    .transform((text, context): Value => settle(read(text), context))
    .meta({ type });
}

/** The schema with the key's meaning, for the reference; `otherwise` describes a computed default. */
export function doc<Schema extends z.ZodType>(
  schema: Schema,
  about: string,
  otherwise?: string,
): Schema {
  return schema.meta({ about, ...(otherwise !== undefined && { otherwise }) });
}

/** A file or folder; relative to `folder`. */
export function path(folder: string) {
  return z
    .string()
    .min(1, "must not be empty")
    .transform((text) => resolve(folder, text))
    .meta({ type: "path" });
}

export function id<Id>(make: (value: number) => Id) {
  return z
    .number()
    .refine(isId, "must be a positive whole number")
    .transform(make)
    .meta({ type: "id" });
}

/** `"discover"`, or a value of `schema`. */
export function discoverOr<Schema extends z.ZodType>(schema: Schema) {
  return z.union([z.literal("discover"), schema], { error: 'must be "discover" or a list in [ ]' });
}

/** A secret in the file itself; null = not given. */
export function secret(read: (text: string) => Result<string, string>) {
  return textSetting(read, "secret").nullish();
}

/** A secret in a file of its own; null = not given. */
export function secretFileField(folder: string, read: (text: string) => Result<string, string>) {
  return path(folder)
    .transform((file, context): string => {
      const content = readSecretFile(file);
      if (!content.ok) return settle(content, context);
      const value = read(content.value);
      if (value.ok) return value.value;
      context.addIssue({
        code: "custom",
        message: `names ${file}, whose content ${value.failure}`,
      });
      return z.NEVER;
    })
    .nullish();
}

/**
 * Refuses a secret given both in the file and in a file of its own; with `missing` also one given in neither, reported for the
 * key `at`.
 */
export function oneSecret(
  name: string,
  missing?: { readonly at: string; readonly message: string },
) {
  return (value: unknown, context: z.RefinementCtx): void => {
    const [isInside, isInFile] = [isGiven(value, name), isGiven(value, `${name}File`)];
    if (isInside && isInFile) {
      const message = `is given twice: keep either "${name}" or "${name}File"`;
      context.addIssue({ code: "custom", path: [name], message });
    } else if (missing && isRecord(value) && !isInside && !isInFile) {
      context.addIssue({ code: "custom", path: [missing.at], message: missing.message });
    }
  };
}

/** Refuses duplicates in a list, ignoring case. */
export function noneTwice(key: string) {
  return (list: unknown, context: z.RefinementCtx): void => {
    const seen = new Set<unknown>();
    for (const [index, entry] of entriesOf(list).entries()) {
      const value = valueAt(entry, key);
      if (value === undefined || value === null) continue;
      const name = typeof value === "string" ? value.toLowerCase() : value;
      if (seen.has(name)) {
        const message = `is listed twice: ${JSON.stringify(value)}`;
        context.addIssue({ code: "custom", path: [index, key], message });
      }
      seen.add(name);
    }
  };
}

/** True if a key has a value; null in a file means none. */
export function isGiven(value: unknown, key: string): boolean {
  return isRecord(value) && key in value && value[key] !== undefined && value[key] !== null;
}

/** The value under a key, whatever `value` is. */
export const valueAt = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export const entriesOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : [];

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function settle<Value>(result: Result<Value, string>, context: z.RefinementCtx): Value {
  if (result.ok) return result.value;
  context.addIssue({ code: "custom", message: result.failure });
  return z.NEVER;
}
