import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A package that is in the image or the npm package, or installed with it by npm. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** Its folder in a checkout. */
  readonly place: string;
  /** An SPDX expression, as stated by the package. */
  readonly license: string;
  /** From the lock file: `sha512-…` in base 64. */
  readonly integrity: string;
  /** Folders of its dependencies. */
  readonly needs: readonly string[];
}

interface Locked {
  /** Of the repository's own packages. */
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** What browsers load is built from these; the daemon from the manifest's dependencies. */
const webPackages = ["fullcalendar"];

/** Every shipped package from the lock file, by name: dependencies of the manifest and the pages, transitively. */
export function shippedPackages(): readonly ShippedPackage[] {
  const lock: { readonly packages: Readonly<Record<string, Locked>> } =
    readJson("package-lock.json");
  const found = new Map<string, ShippedPackage>();
  // The repository's own packages are in the bundle with their dependencies.
  const own = Object.entries(lock.packages).filter(([place]) => place.startsWith("packages/"));
  const needed = [manifestOf(), ...own.map(([, locked]) => locked)]
    .flatMap(({ dependencies = {} }) => Object.keys(dependencies))
    .filter((name) => !own.some(([, locked]) => locked.name === name));
  const open = [...new Set([...needed, ...webPackages])].map((name) =>
    placeOf(lock.packages, { name, from: "" }),
  );
  for (const place of open) {
    if (found.has(place)) continue;
    const locked = lock.packages[place];
    if (!locked) throw new Error(`${place} is not in package-lock.json`);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = locked;
    const peers = Object.keys(peerDependencies).filter(
      (name) => !peerDependenciesMeta[name]?.optional,
    );
    const needs = [...Object.keys(dependencies), ...peers]
      .map((name) => placeOf(lock.packages, { name, from: place }))
      .toSorted();
    found.set(place, {
      name: place.split("node_modules/").at(-1) ?? place,
      version: locked.version,
      place,
      license: locked.license ?? "",
      integrity: locked.integrity ?? "",
      needs,
    });
    open.push(...needs);
  }
  return [...found.values()].toSorted(
    (one, other) => (one.name < other.name ? -1 : 1) || (one.place < other.place ? -1 : 1),
  );
}

/** Where Node finds a dependency of a package: in its own folder, or in one above it. */
function placeOf(
  packages: Readonly<Record<string, Locked>>,
  { name, from }: { readonly name: string; readonly from: string },
): string {
  let around = from;
  while (around !== "") {
    const inner = `${around}/node_modules/${name}`;
    if (inner in packages) return inner;
    around = around.slice(0, Math.max(0, around.lastIndexOf("/node_modules/")));
  }
  return `node_modules/${name}`;
}

/** `THIRD-PARTY-LICENSES.txt`: authors and full license texts of everything shipped. */
export function licencesFile(): string {
  const shipped = shippedPackages();
  const list = shipped.map(({ name, version, license }) => `${name} ${version}: ${license}`);
  const texts = Map.groupBy(shipped, licenceText);
  const parts = [...texts].map(
    ([text, of]) => `${of.map(({ name, version }) => `${name} ${version}`).join(", ")}\n\n${text}`,
  );
  return `${[introduction, list.join("\n"), ...parts].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

const introduction = `What Dayferry is shipped with

Dayferry itself is under the MIT licence (LICENSE). Its bundle, its pages, its npm package and its image hold the packages below, or
bring them along. npm run reference writes this file from package-lock.json and from what the packages say themselves.

better-sqlite3 holds SQLite, which is in the public domain. The package node brings Node.js along, whose licence is
https://github.com/nodejs/node/blob/main/LICENSE; in the image Node.js and Debian come from the base, which has their licences in
/usr/share/doc.`;

function licenceText({ place, license }: ShippedPackage): string {
  const files = readdirSync(join(root, place))
    .filter((name) => /^(?:licen[cs]e|notice|copying)/i.test(name))
    .toSorted();
  if (files.length > 0) {
    return files.map((name) => readFileSync(join(root, place, name), "utf8").trim()).join("\n\n");
  }
  const { author, repository } = readJson<Record<string, unknown>>(`${place}/package.json`);
  const who = partOf(author, "name");
  const where = partOf(repository, "url").replace(/^git\+/, "");
  return `It has no text of its licence, and names ${[license, who, where].filter((part) => part !== "").join(", ")}.`;
}

const partOf = (value: unknown, key: string): string => {
  if (typeof value === "string") return value;
  const part: unknown = Object(value)[key];
  return typeof part === "string" ? part : "";
};

/** `sbom.cdx.json`: the same packages for programs. Source: CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/. */
export function billOfMaterials(): string {
  const shipped = shippedPackages();
  const { name, version, license, dependencies } = manifestOf();
  const own = `pkg:npm/${name}@${version}`;
  const refs = new Map(shipped.map((each) => [each.place, refOf(each)]));
  const direct = [...Object.keys(dependencies), ...webPackages].map((it) => `node_modules/${it}`);
  const dependsOn = (places: readonly string[]) =>
    [...new Set(places.flatMap((place) => refs.get(place) ?? []))].toSorted();
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": own,
        name,
        version,
        licenses: [{ license: { id: license } }],
        purl: own,
      },
    },
    components: shipped.map((each) => ({
      type: "library",
      "bom-ref": refOf(each),
      name: each.name,
      version: each.version,
      hashes: hashesOf(each),
      licenses: /[ (]/.test(each.license)
        ? [{ expression: each.license }]
        : [{ license: { id: each.license } }],
      purl: refOf(each),
    })),
    dependencies: [
      { ref: own, dependsOn: dependsOn(direct) },
      ...shipped.map((each) => ({ ref: refOf(each), dependsOn: dependsOn(each.needs) })),
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** Source: the package-url specification, type npm: the @ of a scope is written %40. */
const refOf = ({ name, version }: ShippedPackage): string =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;

function hashesOf({ integrity }: ShippedPackage): readonly object[] {
  const [, sum = ""] = /^sha512-(\S+)/.exec(integrity) ?? [];
  return sum === ""
    ? []
    : [{ alg: "SHA-512", content: Buffer.from(sum, "base64").toString("hex") }];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifestOf = (): Manifest => readJson<Manifest>("package.json");

const readJson = <Value>(path: string): Value => JSON.parse(readFileSync(join(root, path), "utf8"));
