import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { configurationReference } from "../src/config/reference.ts";
import { manPage } from "./man-page.ts";
import { withMetricsTable } from "./metrics-table.ts";
import { billOfMaterials, licencesFile } from "./shipped.ts";

// Brings what is made from the sources up to date: docs/configuration.md from the schema, the table of docs/metrics.md from the
// list of metrics, the manual page from the commands,
// licences and bill of materials from the lock file and the packages.
const write = (name: string, text: string): void =>
  writeFileSync(new URL(`../${name}`, import.meta.url), text);

mkdirSync(new URL("../man", import.meta.url), { recursive: true });
write("docs/configuration.md", configurationReference());
const metrics = new URL("../docs/metrics.md", import.meta.url);
writeFileSync(metrics, withMetricsTable(readFileSync(metrics, "utf8")));
write("man/dayferry.1", await manPage());
write("THIRD-PARTY-LICENSES.txt", licencesFile());
write("sbom.cdx.json", billOfMaterials());
