import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib";
import { codingFor } from "@dayferry/http-values";
import { Router } from "express";
import { fingerprint } from "../domain/fingerprint.ts";
import { lazy } from "../domain/lazy.ts";
import { say } from "../texts/say.ts";
import type { PageAssets } from "./pages/layout.ts";
import { notFound, sendProblem } from "./problem-json.ts";

/** Folders of the pages' files. */
export interface AssetFolders {
  /** The folder with the stylesheet and the icons, which need no build. */
  readonly sources: string;
  /** The folder with the scripts built by Vite and their manifest; may be missing. */
  readonly built: string;
}

export const ownFolders: AssetFolders = {
  sources: fileURLToPath(new URL("../../web", import.meta.url)),
  built: fileURLToPath(new URL("../../dist/web", import.meta.url)),
};

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
};

/** A file that browsers cache forever: when it changes, so does its name. */
type Asset = ReturnType<typeof builtFile>;

interface Catalogue extends PageAssets {
  readonly files: ReadonlyMap<string, Asset>;
}

/** The pages' files, read on the first page request. */
export function createAssets(folders: AssetFolders): {
  readonly assets: () => PageAssets;
  readonly router: Router;
  /** The files that let the pages be installed as an app. */
  readonly app: Router;
} {
  let known: Catalogue | null = null;
  const assets = () => {
    known ??= readCatalogue(folders);
    return known;
  };
  return { assets, router: assetRoutes(() => assets().files), app: appRoutes(assets) };
}

/**
 * The files that let the pages be installed as an app: `/app.webmanifest`, and `/worker.js`, the service worker, which controls
 * all pages because it is in the top folder. Neither is cached. Source: W3C, Web Application Manifest; Service Workers.
 */
function appRoutes(assets: () => Catalogue): Router {
  const router = Router();
  router.get("/app.webmanifest", (_request, response) => {
    const { icons } = assets();
    response.type("application/manifest+json").json({
      name: "Dayferry",
      short_name: "Dayferry",
      start_url: "./",
      scope: "./",
      display: "standalone",
      background_color: "#f4f6f9",
      theme_color: "#1559b7",
      icons: [
        { src: icons.any, sizes: "any", type: types["svg"] },
        { src: icons.large, sizes: "512x512", type: types["png"], purpose: "any maskable" },
      ],
    });
  });
  router.get("/worker.js", (_request, response) => {
    const catalogue = assets();
    const { file = "" } = catalogue.script("worker") ?? {};
    const asset = catalogue.files.get(file.replace("assets/", ""));
    if (!asset) {
      sendProblem(response, notFound(say("requestFault.noScripts")));
      return;
    }
    // Its URL never changes, and its own content security policy decides what it may load.
    response
      .set({
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
      })
      .type("js")
      .send(asset.octets(null));
  });
  return router;
}

/** `/assets/<hashed name>`, compressed once. */
function assetRoutes(files: () => ReadonlyMap<string, Asset>): Router {
  const router = Router();
  router.get("/assets/:name", (request, response) => {
    const asset = files().get(request.params.name);
    if (!asset) {
      sendProblem(response, notFound(say("requestFault.noAsset")));
      return;
    }
    const coding = codingFor(request.get("accept-encoding"));
    if (coding) response.set("Content-Encoding", coding);
    response
      .set({
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Type": asset.type,
        Vary: "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
      })
      .send(asset.octets(coding));
  });
  return router;
}

function readCatalogue({ sources, built }: AssetFolders): Catalogue {
  const [style, icon, small, large] = [
    ...["style.css", "icon.svg", "icon-180.png", "icon-512.png"],
  ].map((name) => sourceFile(join(sources, name)));
  if (!style || !icon || !small || !large) {
    throw new Error(`${sources} lacks the files of the pages`);
  }
  const own = [style, icon, small, large].map(({ name, asset }) => [name, asset] as const);
  const names = existsSync(built) ? readdirSync(built) : [];
  const entries = names.includes("manifest.json") ? readManifest(join(built, "manifest.json")) : {};
  const scripts = names
    .filter((name) => /\.(?:js|css)$/.test(name))
    .map((name) => [name, builtFile(built, name)] as const);
  return {
    files: new Map([...own, ...scripts]),
    style: `assets/${style.name}`,
    icons: {
      any: `assets/${icon.name}`,
      small: `assets/${small.name}`,
      large: `assets/${large.name}`,
    },
    script: (entry) => entries[entry] ?? null,
  };
}

/** A file from the repository, with a hash in its name. */
function sourceFile(path: string): { readonly name: string; readonly asset: Asset } {
  const octets = readFileSync(path);
  const [base = "", ending = ""] = path.split("/").at(-1)?.split(".") ?? [];
  const packed = {
    br: lazy(() => brotliCompressSync(octets)),
    gzip: lazy(() => gzipSync(octets)),
  };
  return {
    name: `${base}-${fingerprint(octets.toString()).slice(0, 10)}.${ending}`,
    asset: {
      type: types[ending] ?? "application/octet-stream",
      octets: (coding) => (coding ? packed[coding]() : octets),
    },
  };
}

/**
 * A built file in all three encodings, read on request. The smallest stays in memory, because open pages still refer to it
 * after an update.
 */
function builtFile(folder: string, name: string) {
  const endings = { br: ".br", gzip: ".gz" } as const;
  const kept = readFileSync(join(folder, `${name}.br`));
  return {
    type: types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
    octets(coding: "br" | "gzip" | null): Buffer {
      if (coding === "br") return kept;
      try {
        return readFileSync(join(folder, `${name}${coding ? endings[coding] : ""}`));
      } catch {
        const octets = brotliDecompressSync(kept);
        return coding ? gzipSync(octets) : octets;
      }
    },
  };
}

type Entries = Readonly<
  Record<string, { readonly file: string; readonly styles: readonly string[] }>
>;

/** The entries by name. Source: Vite, "Backend Integration" (manifest). */
function readManifest(path: string): Entries {
  const parts: unknown[] = Object.values(Object(JSON.parse(readFileSync(path, "utf8"))));
  return Object.fromEntries(
    parts.flatMap((part) => {
      const { isEntry, name, file, css }: Readonly<Record<string, unknown>> = Object(part);
      if (isEntry !== true || typeof name !== "string" || typeof file !== "string") return [];
      const styles = Array.isArray(css) ? css.map((each) => `assets/${String(each)}`) : [];
      return [[name, { file: `assets/${file}`, styles }]];
    }),
  );
}
