import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The complete mails in a folder that may not exist yet, by name. */
export function mailsIn(
  folder: string,
): readonly { readonly name: string; readonly octets: Buffer }[] {
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".eml"))
    .toSorted()
    .map((name) => ({ name, octets: readFileSync(join(folder, name)) }));
}
