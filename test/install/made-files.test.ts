import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { manPage } from "../../scripts/man-page.ts";
import { billOfMaterials, licencesFile, shippedPackages } from "../../scripts/shipped.ts";
import { tableTypes } from "../../scripts/table-types.ts";
import { isInstalled, runProgram } from "../clients/programs.ts";

// The files made by `npm run reference` are current and correct.

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

it("src/store/rows/tables.ts has the columns of every table; `npm run reference` writes it from the migrations", () => {
  expect(read("src/store/rows/tables.ts")).toBe(tableTypes());
});

describe("man/dayferry.1", () => {
  const page = join(root, "man/dayferry.1");

  it("matches the commands; `npm run reference` writes it", async () => {
    expect(read("man/dayferry.1")).toBe(await manPage());
  });

  it("has every command with its options", () => {
    expect(read("man/dayferry.1")).toContain(".SS \\fBedits list\\fR");
    expect(read("man/dayferry.1")).toContain("\\-\\-dry\\-run");
    expect(read("man/dayferry.1")).toContain("DAYFERRY_ADMIN_TOKEN_FILE");
  });

  it.skipIf(!isInstalled("mandoc"))("passes mandoc without a message", async () => {
    expect(await runProgram(["mandoc", "-Tlint", page], {})).toMatchObject({ code: 0, output: "" });
  });

  it.skipIf(!isInstalled("man"))("is shown by man without a warning", async () => {
    const shown = await runProgram(["man", "--warnings", "-P", "cat", "-l", page], {
      env: { MANWIDTH: "80", MAN_KEEP_FORMATTING: "" },
    });
    expect(shown.code).toBe(0);
    expect(shown.output).toBe(shown.stdout);
    expect(shown.stdout).toMatch(/^DAYFERRY\(1\)/);
  });
});

describe("THIRD-PARTY-LICENSES.txt", () => {
  it("matches the packages; `npm run reference` writes it", () => {
    expect(read("THIRD-PARTY-LICENSES.txt")).toBe(licencesFile());
  });

  it("lists every package that the lock file installs for production", () => {
    const { packages } = JSON.parse(read("package-lock.json"));
    type Locked = Readonly<Partial<Record<"dev" | "devOptional" | "link", boolean>>>;
    const isOwn = (place: string) => place === "" || place.startsWith("packages/");
    const installed = Object.entries<Locked>(packages)
      .filter(
        ([place, { dev, devOptional, link }]) => !isOwn(place) && !dev && !devOptional && !link,
      )
      .map(([place]) => place);
    const places = shippedPackages().map(({ place }) => place);
    expect(installed.filter((place) => !places.includes(place))).toEqual([]);
    expect(places).toContain("node_modules/fullcalendar");
  });

  it("has only licences that ask for no more than attribution", () => {
    const known = new Set(["MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"]);
    // Used as npm has it: its licence asks that changed files stay open. Source: MPL 2.0, 3.1 and 3.2.
    const unchanged = new Set(["web-push"]);
    const others = shippedPackages().filter(
      ({ name, license }) =>
        !unchanged.has(name) && license.split(/ OR |[()]/).every((each) => !known.has(each)),
    );
    expect(others).toEqual([]);
  });

  it("matches the licences of the installed packages", () => {
    for (const { place, version, license } of shippedPackages()) {
      const manifest = JSON.parse(read(`${place}/package.json`));
      expect([place, manifest.version, manifest.license]).toEqual([place, version, license]);
    }
  });
});

describe("sbom.cdx.json", () => {
  it("matches the lock file; `npm run reference` writes it", () => {
    expect(read("sbom.cdx.json")).toBe(billOfMaterials());
  });

  it("is valid CycloneDX 1.6", () => {
    const folder = "node_modules/@cyclonedx/cyclonedx-library/res/schema";
    const schema = (name: string) => JSON.parse(read(`${folder}/${name}.SNAPSHOT.schema.json`));
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const name of ["spdx", "jsf-0.82"]) {
      const $id = `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`;
      ajv.addSchema({ ...schema(name), $id });
    }
    const isValid = ajv.compile(schema("bom-1.6"));
    expect([isValid(JSON.parse(read("sbom.cdx.json"))), isValid.errors]).toEqual([true, null]);
    expect(isValid({ bomFormat: "CycloneDX", specVersion: "1.6", components: [{}] })).toBe(false);
  });
});
