// Copies the packages that the bundle loads by itself, without what only builds them or serves another processor.
//   node scripts/runtime-packages.ts FROM TO [amd64|arm64]     FROM and TO are folders with a package.json beside node_modules
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shippedPackages } from "./shipped.ts";

/** What the bundle does not contain: a native library, encoding tables, and the style parser. */
const outside = ["better-sqlite3", "iconv-lite", "postcss"];

const [from = "", to = "", platform = ""] = process.argv.slice(2);
const processor = { amd64: "x64", arm64: "arm64", "": process.arch }[platform];
if (from === "" || to === "" || processor === undefined) {
  console.error("usage: node scripts/runtime-packages.ts FROM TO [amd64|arm64]");
  process.exit(2);
}

const shipped = new Map(shippedPackages().map((each) => [each.place, each]));
const places = new Set(outside.map((name) => `node_modules/${name}`));
for (const place of places) {
  for (const needed of shipped.get(place)?.needs ?? []) places.add(needed);
}
// It only contains headers.
places.delete("node_modules/node-addon-api");

for (const place of places) cpSync(join(from, place), join(to, place), { recursive: true });

const sqlite = join(to, "node_modules/better-sqlite3");
for (const name of ["deps", "src", "binding.gyp"]) rmSync(join(sqlite, name), { recursive: true });
for (const name of readdirSync(join(sqlite, "prebuilds"))) {
  if (name !== `linux-${processor}.node`) rmSync(join(sqlite, "prebuilds", name));
}
