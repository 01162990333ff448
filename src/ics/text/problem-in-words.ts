import type { IcsProblem, Sentence } from "@dayferry/ical";
import { say } from "../../texts/say.ts";

/** A problem of a file in the reader's language. */
export interface FileProblem extends Omit<IcsProblem, "message"> {
  readonly message: string;
}

export const problemInWords = (problem: IcsProblem): FileProblem => ({
  ...problem,
  message: sentenceInWords(problem.message),
});

/** A sentence of `@dayferry/ical` in the reader's language. */
export function sentenceInWords({ id, values }: Sentence): string {
  const said = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "object" ? sentenceInWords(value) : value,
  ]);
  return Reflect.apply(say, null, [id, Object.fromEntries(said)]);
}
