import { decodeText, readContentLine } from "./content-line.ts";
import { nameOfLine } from "./object-lines.ts";

/** The text of a component's own property in unfolded lines from BEGIN to END; undefined if missing. The first one counts. */
export function textOfRaw(raw: readonly string[], property: string): string | undefined {
  let depth = 0;
  for (const text of raw) {
    const name = nameOfLine(text);
    if (name === "BEGIN") depth += 1;
    else if (name === "END") depth -= 1;
    else if (depth === 1 && name === property) {
      const line = readContentLine(text, 0);
      return line.ok ? decodeText(line.value.value) : undefined;
    }
  }
  return undefined;
}
