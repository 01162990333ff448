import { z } from "zod";

/** One key of the configuration file, as in its schema. */
export interface Setting {
  /** `service.quota.per`, `people[].email`. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  /** `"duration"`, `"secret"`, `"object"`, or words for the allowed values. */
  readonly type: string;
  readonly isRequired: boolean;
  /** As written in the file, or words for a computed one; null if there is none. */
  readonly fallback: string | null;
  /** What it means. */
  readonly about: string;
}

/** Every key of a schema in order, including sections and keys in lists. */
export function knownKeys(schema: z.core.$ZodType): readonly Setting[] {
  return keysBelow(schema, "");
}

function keysBelow(schema: z.core.$ZodType, path: string): readonly Setting[] {
  const { core } = peel(schema);
  if (core instanceof z.ZodObject) {
    return Object.entries(core.shape).flatMap(([name, inner]) => {
      const inside = path === "" ? name : `${path}.${name}`;
      if (!(inner instanceof z.core.$ZodType)) return [];
      return [settingOf(inner, { path: inside, name }), ...keysBelow(inner, inside)];
    });
  }
  if (core instanceof z.ZodArray) return keysBelow(core.element, `${path}[]`);
  if (core instanceof z.ZodUnion) return core.options.flatMap((each) => keysBelow(each, path));
  return [];
}

function settingOf(
  schema: z.core.$ZodType,
  { path, name }: { readonly path: string; readonly name: string },
): Setting {
  const { core, isRequired, fallback, notes } = peel(schema);
  const { type, about, otherwise } = notes;
  return {
    path,
    name,
    type: type ?? typeOf(core),
    isRequired,
    fallback: otherwise ?? fallback,
    about: about ?? "",
  };
}

interface Notes {
  readonly type?: string;
  readonly about?: string;
  readonly otherwise?: string;
}

interface Peeled {
  /** The schema of the written value. */
  readonly core: z.core.$ZodType;
  readonly isRequired: boolean;
  readonly fallback: string | null;
  readonly notes: Notes;
}

/** Removes defaults, "optional" and transforms from a schema. */
function peel(schema: z.core.$ZodType): Peeled {
  const own = notesOf(schema);
  const onto = (inner: Peeled, change: Partial<Peeled>): Peeled => ({
    ...inner,
    ...change,
    notes: { ...inner.notes, ...own },
  });
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault) {
    const fallback = JSON.stringify(schema.def.defaultValue);
    return onto(peel(schema.def.innerType), { isRequired: false, fallback });
  }
  if (schema instanceof z.ZodOptional)
    return onto(peel(schema.def.innerType), { isRequired: false });
  if (schema instanceof z.ZodNullable) return onto(peel(schema.def.innerType), {});
  if (schema instanceof z.ZodPipe) {
    const { in: from, out: to } = schema.def;
    return onto(peel(from instanceof z.ZodTransform ? to : from), {});
  }
  return { core: schema, isRequired: true, fallback: null, notes: own };
}

function notesOf(schema: z.core.$ZodType): Notes {
  const meta = z.globalRegistry.get(schema) ?? {};
  const [type, about, otherwise] = [meta["type"], meta["about"], meta["otherwise"]];
  return {
    ...(typeof type === "string" && { type }),
    ...(typeof about === "string" && { about }),
    ...(typeof otherwise === "string" && { otherwise }),
  };
}

/** The allowed values, for people. */
function typeOf(schema: z.core.$ZodType): string {
  const { core, notes } = peel(schema);
  if (notes.type !== undefined) return notes.type;
  if (core instanceof z.ZodEnum || core instanceof z.ZodLiteral) {
    const values = core instanceof z.ZodEnum ? core.options : [...core.values];
    return values.map((value) => JSON.stringify(value)).join(", ");
  }
  if (core instanceof z.ZodUnion) return core.options.map(typeOf).join(" or ");
  if (core instanceof z.ZodArray) {
    const element = typeOf(core.element);
    return `list of ${element}${element.endsWith("s") ? "es" : "s"}`;
  }
  if (core instanceof z.ZodObject) return "object";
  if (core instanceof z.ZodBoolean) return "true or false";
  if (core instanceof z.ZodNumber) return "number";
  return "text";
}
