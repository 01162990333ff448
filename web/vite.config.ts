import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** What browsers load beside the stylesheet: an entry for every page, each later one for the page that names it. */
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
    rollupOptions: { input: { page: "page.ts", calendar: "calendar.ts" } },
  },
});

/** Writes each file a second and a third time, as browsers take it: the daemon compresses nothing on the way. */
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
