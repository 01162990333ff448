import type { z } from "zod";

/** One thing that is wrong with the configuration. Neither part ever holds a secret's value. */
export interface ConfigProblem {
  /** `service.baseUrl`, `people[1].email`, `DAYFERRY_PORT`, or the file's own path. */
  readonly path: string;
  readonly message: string;
}

/** One line per problem, in the order in which they were found. */
export function describeProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(({ path, message }) => `${path}: ${message}`).join("\n");
}

/** The schema's issues as problems; `origins` names the environment variable behind a path. */
export function toProblems(
  issues: readonly z.core.$ZodIssue[],
  origins: ReadonlyMap<string, string>,
): readonly ConfigProblem[] {
  return issues
    .flatMap((issue) => flatten(issue, []))
    .map(({ path, message }) => {
      const spoken = spokenPath(path);
      return { path: origins.get(spoken) ?? spoken, message };
    });
}

/** Zod's wording for people who write configuration files; never quotes the input. */
export const explainIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "invalid_type") {
    return issue.input === undefined ? "is missing" : `must be ${expected(issue.expected)}`;
  }
  if (issue.code !== "invalid_value") return undefined;
  return `must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
};

interface FlatIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function flatten(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly FlatIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], message: "is not a known key" }));
  }
  if (issue.code !== "invalid_union") return [{ path, message: issue.message }];
  // The branch that was meant is the one whose faults all lie further inside.
  const meant = issue.errors.find((branch) => branch.every(isInside));
  if (meant) return meant.flatMap((inner) => flatten(inner, path));
  return [{ path, message: issue.message }];
}

const isInside = (issue: z.core.$ZodIssue): boolean =>
  issue.path.length > 0 || issue.code === "unrecognized_keys";

function spokenPath(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  return text === "" ? "configuration" : text;
}

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
