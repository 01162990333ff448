import { writeFileSync } from "node:fs";
import { configurationReference } from "../src/config/reference.ts";

// Brings docs/configuration.md up to date with the schema.
writeFileSync(new URL("../docs/configuration.md", import.meta.url), configurationReference());
