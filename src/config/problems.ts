import type { z } from "zod";
import { editDistance } from "../domain/edit-distance.ts";
import type { TextPlace } from "./json.ts";
import { knownKeys } from "./settings.ts";

/** A problem of the configuration. Never contains a secret. */
export interface ConfigProblem {
  /** `service.baseUrl`, `people[1].email`, `DAYFERRY_PORT`, or the file's own path. */
  readonly path: string;
  readonly message: string;
  /** Its position in the file; absent if it has none. */
  readonly at?: TextPlace;
}

/** One line per problem, in the order found. */
export function describeProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(describeProblem).join("\n");
}

export function describeProblem({ path, message, at }: ConfigProblem): string {
  return `${path}: ${message}${at ? ` (line ${at.line}, column ${at.column})` : ""}`;
}

/** Context of a schema's issues. */
export interface IssueSetting {
  readonly schema: z.core.$ZodType;
  /** The environment variable of a path. */
  readonly origins: ReadonlyMap<string, string>;
  readonly placeOf: (path: readonly PropertyKey[]) => TextPlace | null;
}

/** The schema's issues as problems. */
export function toProblems(
  issues: readonly z.core.$ZodIssue[],
  { schema, origins, placeOf }: IssueSetting,
): readonly ConfigProblem[] {
  const keys = issues.length > 0 ? knownKeys(schema) : [];
  return issues
    .flatMap((issue) => flatten(issue, []))
    .map(({ path, message, ...about }) => {
      const spoken = spokenPath(path);
      const origin = origins.get(spoken);
      const at = origin === undefined ? placeOf(path) : null;
      const said = about.isUnknown
        ? message + meant(path, keys)
        : message + shown(about.input, { path, keys, message });
      return { path: origin ?? spoken, message: said, ...(at && { at }) };
    });
}

/** Zod's messages for people who write configuration files. Values are added unless they are secrets. */
export const explainIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "invalid_type") {
    return issue.input === undefined ? "is missing" : `must be ${expected(issue.expected)}`;
  }
  if (issue.code !== "invalid_value") return undefined;
  return `must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
};

type KnownKey = ReturnType<typeof knownKeys>[number];

interface FlatIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly isUnknown: boolean;
  readonly input: unknown;
}

function flatten(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly FlatIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    const message = "is not a known key";
    return issue.keys.map((key) => ({
      path: [...path, key],
      message,
      isUnknown: true,
      input: null,
    }));
  }
  const plain = { path, message: issue.message, isUnknown: false, input: issue.input };
  if (issue.code !== "invalid_union") return [plain];
  // The intended branch is the one whose errors are all further inside.
  const inside = issue.errors.find((branch) => branch.every(isInside));
  return inside ? inside.flatMap((inner) => flatten(inner, path)) : [plain];
}

const isInside = (issue: z.core.$ZodIssue): boolean =>
  issue.path.length > 0 || issue.code === "unrecognized_keys";

/** The given value, unless it is or may contain a secret, or is in the message already. */
function shown(
  input: unknown,
  {
    path,
    keys,
    message,
  }: {
    readonly path: readonly PropertyKey[];
    readonly keys: readonly KnownKey[];
    readonly message: string;
  },
): string {
  if (input === undefined || /\bnot "|^(?:is|names|cannot be read)\b/.test(message)) return "";
  const key = keys.find(({ path: known }) => known === patternOf(path));
  if (typeof input === "object" && input !== null) return `, not ${wordFor(input)}`;
  if (!key || key.type === "secret" || key.type === "object") return "";
  if (typeof input !== "string") return `, not ${JSON.stringify(input)}`;
  const text = key.type === "address" ? hostOf(input) : input;
  return text === null || message.includes(text)
    ? ""
    : `, not ${JSON.stringify(text.slice(0, 80))}`;
}

const wordFor = (input: object): string => (Array.isArray(input) ? "a list" : "an object");

/** Scheme and host. The rest of a URL may be a login or a key. */
function hostOf(text: string): string | null {
  const url = URL.parse(text);
  if (url?.host) return `${url.protocol}//${url.host}${url.pathname === "/" ? "" : "/…"}`;
  return /^(?:[a-z0-9-]{1,30}\.)+[a-z]{2,}(?=[:/]|$)/i.exec(text)?.[0] ?? null;
}

/** A suggestion for a misspelt or misplaced key, as the end of a sentence. */
function meant(path: readonly PropertyKey[], keys: readonly KnownKey[]): string {
  const name = String(path.at(-1));
  const place = patternOf(path.slice(0, -1));
  const inside = (key: string) => (place === "" ? key : `${place}.${key}`);
  const siblings = keys.filter(({ path: known, name: own }) => known === inside(own));
  const distances = siblings
    .map(({ name: own }) => ({ own, far: editDistance(name.toLowerCase(), own.toLowerCase()) }))
    .filter(({ own, far }) => far <= Math.max(1, Math.floor(own.length / 3)));
  const [nearest] = distances.toSorted((a, b) => a.far - b.far);
  if (nearest) return `; did you mean ${JSON.stringify(nearest.own)}?`;
  const elsewhere = keys.filter(({ name: own }) => own.toLowerCase() === name.toLowerCase());
  if (elsewhere.length > 0) {
    return `; did you mean ${elsewhere.map(({ path: known }) => known).join(" or ")}?`;
  }
  return siblings.length > 0
    ? `; known here: ${siblings.map(({ name: own }) => own).join(", ")}`
    : "";
}

/** `people[].email` for any person. */
const patternOf = (path: readonly PropertyKey[]): string =>
  spell(path.map((part) => (typeof part === "number" ? "[]" : String(part))));

function spokenPath(path: readonly PropertyKey[]): string {
  const text = spell(path.map((part) => (typeof part === "number" ? `[${part}]` : String(part))));
  return text === "" ? "configuration" : text;
}

const spell = (parts: readonly string[]): string =>
  parts
    .map((part) => (part.startsWith("[") ? part : `.${part}`))
    .join("")
    .replace(/^\./, "");

function expected(type: string): string {
  switch (type) {
    case "string":
      return "a text in quotes";
    case "number":
      return "a number";
    case "int":
      return "a whole number";
    case "boolean":
      return "true or false";
    case "array":
      return "a list in [ ]";
    case "object":
      return "an object in { }";
    default:
      return `of type ${type}`;
  }
}

function oneOf(values: readonly string[]): string {
  return values.length > 1 ? `one of ${values.join(", ")}` : values.join("");
}
