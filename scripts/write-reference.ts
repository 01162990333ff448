import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { configurationReference } from "../src/config/reference.ts";
import { manPage } from "./man-page.ts";
import { metricsTable, withTable } from "./metrics-table.ts";
import { operationsTable } from "./operations-table.ts";
import { billOfMaterials, licencesFile } from "./shipped.ts";
import { tableTypes } from "./table-types.ts";

// Brings what is made from the sources up to date: docs/configuration.md from the schema, the table of docs/metrics.md from the
// list of metrics, that of docs/api.md from the operations, the manual page from the commands, the types of tables from the migrations, licences and bill of materials from
// the lock file and the packages.
const write = (name: string, text: string): void =>
  writeFileSync(new URL(`../${name}`, import.meta.url), text);

mkdirSync(new URL("../man", import.meta.url), { recursive: true });
write("docs/configuration.md", configurationReference());
for (const [name, table] of [
  ["docs/metrics.md", metricsTable()],
  ["docs/api.md", operationsTable()],
] as const) {
  write(name, withTable(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"), table));
}
write("man/dayferry.1", await manPage());
write("src/store/rows/tables.ts", tableTypes());
write("THIRD-PARTY-LICENSES.txt", licencesFile());
write("sbom.cdx.json", billOfMaterials());
