import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import german from "../src/texts/de.json" with { type: "json" };
import { english } from "../src/texts/english.ts";
import spanish from "../src/texts/es.json" with { type: "json" };
import french from "../src/texts/fr.json" with { type: "json" };

/** What browsers load besides the stylesheet: one entry for every page, and one for each page that names its own. */
export default defineConfig({
  logLevel: "warn",
  base: "./",
  publicDir: false,
  plugins: [compressed(), scriptTexts()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    manifest: "manifest.json",
    assetsDir: "",
    target: "es2022",
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: {
        page: "page.ts",
        conflict: "conflict.ts",
        calendar: "calendar.ts",
        search: "search.ts",
        feeds: "feeds.ts",
        setup: "setup.ts",
        worker: "worker.ts",
      },
    },
  },
});

/** `virtual:texts/PREFIX`: the messages with this prefix by language; `virtual:texts/PREFIX/CODE`: in one. */
function scriptTexts(): Plugin {
  const start = "virtual:texts/";
  const catalogues = new Map<string, Readonly<Record<string, string>>>([
    ["en", english],
    ["de", german],
    ["fr", french],
    ["es", spanish],
  ]);
  const textsOf = (prefix: string, code: string) =>
    Object.fromEntries(
      Object.entries(catalogues.get(code) ?? {}).filter(([id]) => id.startsWith(`${prefix}.`)),
    );
  return {
    name: "script-texts",
    resolveId: (id) => (id.startsWith(start) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${start}`)) return null;
      const [prefix = "", code] = id.slice(start.length + 1).split("/");
      const texts =
        code === undefined
          ? Object.fromEntries([...catalogues.keys()].map((each) => [each, textsOf(prefix, each)]))
          : textsOf(prefix, code);
      return `export default ${JSON.stringify(texts)}`;
    },
  };
}

/** Writes compressed versions of each file, so that the daemon need not compress. */
function compressed(): Plugin {
  return {
    name: "compressed",
    writeBundle({ dir = "" }, bundle) {
      for (const name of Object.keys(bundle).filter((each) => /\.(?:js|css)$/.test(each))) {
        const octets = readFileSync(join(dir, name));
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(octets, { params }));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(octets, { level: 9 }));
      }
    },
  };
}
