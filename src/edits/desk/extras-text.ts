import type { EditExtra, ExtraKind, ExtraState } from "../../domain/edit-extra.ts";
import type { ServiceId } from "../../domain/ids.ts";
import { quote } from "../intake/part.ts";

/** A comment, a file or a kept property of an edit as people and programs are shown it. */
export interface ExtraDescription {
  readonly kind: ExtraKind;
  /** Of the file or the property. */
  readonly name: string;
  /** The comment, or the lines that are kept; null for a file. */
  readonly text: string | null;
  readonly what: string;
  readonly state: ExtraState;
  readonly problem: string | null;
  /** Id of the comment or file that came of it. */
  readonly id: ServiceId | null;
}

export function describeExtra(extra: EditExtra): ExtraDescription {
  const { kind, name, text, state, problem, answerId: id } = extra;
  return { kind, name, text, what: whatBecomes(extra), state, problem, id };
}

/** Why one waits or is tried again; null when all is well. */
export function extraProblem({ name, state, problem }: EditExtra): string | null {
  if (problem === null || state === "done") return null;
  return `${quote(name)} ${state === "parked" ? "waits for a person" : "is tried again"}: ${problem}`;
}

function whatBecomes({ target }: EditExtra): string {
  switch (target) {
    case "task":
      return "a comment on the task";
    case "item":
      return "attached to the new item";
    case "folder":
      return "in the project's home folder";
    case "here":
      return "kept here, the service cannot store it";
  }
}
