// Bundles the daemon: a few files in dist/daemon/ instead of some 1,500 sources, without types and unused code. The bundle starts
// in half the time and takes 30 MB less than the sources, which also run. bin/dayferry.sh uses it while its stamp matches the sources.
//   node scripts/bundle.ts [FOLDER]      default: dist/daemon; run it in the checkout, whose packages it needs
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, process.argv[2] ?? "dist/daemon");

/** Entry points of threads and processes: each gets its own file. */
const startedFile = /new URL\("(\.[^"]+)\.ts", import\.meta\.url\)/g;

// The bundle is built beside its place, so that nobody starts a partial one.
mkdirSync(dirname(folder), { recursive: true });
const fresh = mkdtempSync(`${folder}-`);
try {
  const before = stamp();
  await write(fresh);
  if (stamp() !== before) throw new Error("the sources have changed meanwhile");
  writeFileSync(join(fresh, "stamp"), before);
  chmodSync(fresh, 0o755);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
  // Warms up the compile cache for the first start.
  execFileSync(process.execPath, [join(folder, "dayferry.mjs"), "--version"]);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

function stamp(): string {
  return execFileSync("sh", [join(root, "bin/stamp.sh")], { encoding: "utf8" });
}

async function write(dir: string): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { dayferry: "src/dayferry.ts" },
    platform: "node",
    // It loads a native library.
    external: ["better-sqlite3"],
    resolve: { mainFields: ["module", "main"] },
    plugins: [ownPlaces(), leanPackages(), onlyAscii()],
  });
  await bundle.write({
    dir,
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    codeSplitting: { groups: [{ debugName: "packages", test: /node_modules/, name: fileOf }] },
    // Names are kept, because logs show them in errors.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
}

/** One file per package: compiling a long one in one go takes 20 MB that are never returned. */
function fileOf(id: string): string {
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? "packages";
  return `package-${name.replace(/\W+/g, "-")}`;
}

/**
 * Tells each source its original location, which it uses to find other files, and gives what it starts a file of the bundle.
 */
function ownPlaces(): Plugin {
  return {
    name: "own-places",
    transform(code, id) {
      if (!id.startsWith(join(root, "src/")) || !code.includes("import.meta.url")) return null;
      const started = code.replaceAll(startedFile, (_, path: string) => {
        const source = fileURLToPath(new URL(`${path}.ts`, `file://${id}`));
        const name = relative(join(root, "src"), source).replaceAll("/", "-").replace(/\.ts$/, "");
        this.emitFile({ type: "chunk", id: source, fileName: `${name}.mjs` });
        return `new URL("./${name}.mjs", import.meta.dayferry)`;
      });
      const own = JSON.stringify(relative(folder, id));
      return started
        .replaceAll("import.meta.url", `new URL(${own}, import.meta.url).href`)
        .replaceAll("import.meta.dayferry", "import.meta.url");
    },
  };
}

/** Removes parts of packages that the daemon never uses, or loads them on demand. */
function leanPackages(): Plugin {
  return {
    name: "lean-packages",
    resolveId(source, importer) {
      // Tables for Chinese, Japanese and Korean encodings.
      const table =
        /iconv-lite\/encodings\/.*\.js$/.test(importer ?? "") && source.endsWith(".json");
      if (table) return { id: `iconv-lite/encodings/${source.slice(2)}`, external: true };
      // Only for styles, which are always removed.
      return source === "postcss" ? "\0late-postcss" : null;
    },
    load: (id) =>
      id === "\0late-postcss"
        ? 'import { createRequire } from "node:module";\nconst load = createRequire(import.meta.url);\nexport const parse = (...about) => load("postcss").parse(...about);'
        : null,
    transform(code, id) {
      if (!id.endsWith("mime-db/db.json")) return null;
      // A type without these has no effect here: half of them.
      const types = Object.entries<{ extensions?: unknown; charset?: unknown }>(JSON.parse(code));
      const told = types.filter(([, { extensions, charset }]) => extensions ?? charset);
      return JSON.stringify(Object.fromEntries(told));
    },
  };
}

/** A string with a character beyond Latin 1 takes two bytes per character for the life of the process. */
function onlyAscii(): Plugin {
  return {
    name: "only-ascii",
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== "chunk") continue;
        const untold = /\\[^\0-\x7f]|\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(file.code)?.[0];
        if (untold !== undefined)
          throw new Error(`${file.fileName}: ${untold} is told by its letters`);
        file.code = file.code.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      }
    },
  };
}
