import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** What browsers load besides the stylesheet: one entry for every page, and one for each page that names its own. */
export default defineConfig({
  logLevel: "warn",
  base: "./",
  publicDir: false,
  plugins: [compressed()],
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
