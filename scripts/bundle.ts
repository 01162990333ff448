// Makes the daemon's program out of its sources: a few files in dist/daemon/ in the place of some 1,500, without types and
// without what nobody calls. It starts in half the time and takes 30 MB less than the sources, which run just as well.
// bin/dayferry.sh takes it as long as its stamp is that of the sources.
//   node scripts/bundle.ts [FOLDER]      dist/daemon unless said otherwise; in the checkout, whose packages it needs
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, process.argv[2] ?? "dist/daemon");

/** What is started by itself, as a thread or a process: each gets a file of its own. */
const startedFile = /new URL\("(\.[^"]+)\.ts", import\.meta\.url\)/g;

// The bundle is put together beside its place, so that nobody ever starts half of one.
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
  // The first start finds what this one has compiled.
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
    // It loads a library that is made for the machine.
    external: ["better-sqlite3"],
    resolve: { mainFields: ["module", "main"] },
    plugins: [ownPlaces(), leanPackages(), onlyAscii()],
  });
  await bundle.write({
    dir,
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    codeSplitting: { groups: [{ debugName: "packages", test: /node_modules/, name: fileOf }] },
    // Names are kept, as they are what the log tells of an error.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
}

/** Each package is a file: a long one is compiled in one go, which took 20 MB that are never given back. */
function fileOf(id: string): string {
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? "packages";
  return `package-${name.replace(/\W+/g, "-")}`;
}

/** Lets each source know where it lies, which it finds other files by, and gives what it starts a file of the bundle. */
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

/** Leaves out of packages what the daemon never asks them for, or lets them look for it when somebody does. */
function leanPackages(): Plugin {
  return {
    name: "lean-packages",
    resolveId(source, importer) {
      // Tables of Chinese, Japanese and Korean letters, for bodies that are written in those.
      const table =
        /iconv-lite\/encodings\/.*\.js$/.test(importer ?? "") && source.endsWith(".json");
      if (table) return { id: `iconv-lite/encodings/${source.slice(2)}`, external: true };
      // Only for styles, which are never kept.
      return source === "postcss" ? "\0late-postcss" : null;
    },
    load: (id) =>
      id === "\0late-postcss"
        ? 'import { createRequire } from "node:module";\nconst load = createRequire(import.meta.url);\nexport const parse = (...about) => load("postcss").parse(...about);'
        : null,
    transform(code, id) {
      if (!id.endsWith("mime-db/db.json")) return null;
      // A type without these says nothing to anybody here: half of them.
      const types = Object.entries<{ extensions?: unknown; charset?: unknown }>(JSON.parse(code));
      const told = types.filter(([, { extensions, charset }]) => extensions ?? charset);
      return JSON.stringify(Object.fromEntries(told));
    },
  };
}

/** A text with one letter beyond Latin 1 takes two octets for each of its letters for as long as the program runs. */
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
