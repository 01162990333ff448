import { fail, ok, type Result } from "../domain/result.ts";

const longest = 200;

/** Reads the name that a person gives a feed. Fails with what a name has to be. */
export function readFeedName(text: unknown): Result<string, string> {
  const name = typeof text === "string" ? text.trim() : "";
  const isName = name !== "" && name.length <= longest && !/\p{Cc}/u.test(name);
  return isName ? ok(name) : fail(`one line of 1 to ${longest} characters`);
}
