import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The whole mails in a folder that may not be there yet, by name; a mail that is still being written is none. */
export function mailsIn(
  folder: string,
): readonly { readonly name: string; readonly octets: Buffer }[] {
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".eml"))
    .toSorted()
    .map((name) => ({ name, octets: readFileSync(join(folder, name)) }));
}
