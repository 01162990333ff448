import { variableOf } from "./environment.ts";
import { configSchema } from "./schema.ts";
import { knownKeys, type Setting } from "./settings.ts";

/** `docs/configuration.md`: every key of the configuration file, generated from its schema. */
export function configurationReference(): string {
  const keys = knownKeys(configSchema("/"));
  const sections = keys.filter(({ path, type }) => type === "object" && !path.includes("."));
  const alone = keys.filter(({ path, type }) => type !== "object" && !path.includes("."));
  const tables = sections.map(({ path }) => tableOf(path, below(keys, path)));
  const lists = ["projects", "people"].map((path) => tableOf(path, below(keys, `${path}[]`)));
  return `${[introduction, tableOf("At the top", alone), ...tables, ...lists].join("\n\n")}\n`;
}

const introduction = `# Configuration

Every key of the configuration file. This page is made from the schema that reads the file: \`npm run reference\` writes it.

The file is JSON in which comments and commas before a closing bracket are welcome. It is the one that \`--config\` names, else
\`DAYFERRY_CONFIG\`, else \`config.json\` in the current folder. Without a file everything comes from the environment. A variable of
the environment wins over the file; an empty one counts as unset. Unknown keys are rejected, with the key that was probably meant.

Required are \`service.baseUrl\`, \`service.contact\`, \`service.timeZone\`, and a key of the service by one of the four ways. Keys
without a default may be left out.

| type | is |
|---|---|
| duration | ISO 8601: \`"PT15M"\` is 15 minutes, \`"P1D"\` one day, \`"P2Y"\` two years |
| time of day | \`"HH:MM"\`, from \`"00:00"\` to \`"23:59"\` |
| IANA zone | \`"Europe/Berlin"\` |
| path | of a file or folder; a relative one counts from the folder of the configuration file, in the environment from the current folder |
| address | begins with \`https://\` (or as said), without a slash at the end |
| mailbox | \`"Name <address>"\`, or an address alone |
| secret | is never printed or logged; better in a file of its own, which holds nothing else (white space around it is taken off) and is [followed while Dayferry runs](operating.md#secrets-that-change) |
| id | a number of the service, above zero |`;

const below = (keys: readonly Setting[], path: string): readonly Setting[] =>
  keys.filter(({ path: at, type, about }) => {
    // A section has no row of its own unless it is optional as a whole.
    return at.startsWith(`${path}.`) && (type !== "object" || about !== "");
  });

function tableOf(title: string, keys: readonly Setting[]): string {
  const rows = keys.map((key) => {
    const variable = variableOf(key.path);
    const cells = [
      `\`${key.path}\``,
      escaped(key.type),
      key.isRequired ? "required" : fallbackOf(key),
      variable === null ? "" : `\`${variable}\``,
      escaped(key.about),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const head = "| key | type | default | environment | meaning |\n|---|---|---|---|---|";
  const name = title.includes(" ") ? title : `\`${title}\``;
  return `## ${name}\n\n${head}\n${rows.join("\n")}`;
}

function fallbackOf({ fallback }: Setting): string {
  if (fallback === null) return "";
  return /^["[{\d]|^(?:true|false|null)$/.test(fallback) ? `\`${fallback}\`` : fallback;
}

const escaped = (text: string): string => text.replaceAll("|", "\\|");
