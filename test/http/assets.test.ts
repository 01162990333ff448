import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { tints } from "../../src/domain/tints.ts";
import { createAssets, ownFolders } from "../../src/http/assets.ts";
import { callHttp } from "../support/http-call.ts";
import { listening } from "./listening.ts";

async function serveAssets(built = ownFolders.built) {
  const { assets, router } = createAssets({ ...ownFolders, built });
  const app = express();
  app.use(router);
  const port = await listening(app);
  return {
    assets: assets(),
    ask: (path: string, coding?: string) =>
      callHttp(
        port,
        `GET /${path}`,
        coding === undefined ? {} : { headers: { "accept-encoding": coding } },
      ),
  };
}

const unpacked: Readonly<Record<string, (octets: Buffer) => Buffer>> = {
  br: (octets) => brotliDecompressSync(octets),
  gzip: (octets) => gunzipSync(octets),
  none: (octets) => octets,
};

describe("GET /assets/<name>", () => {
  it("serves stylesheet and icon as immutable, under hashed names, even without a build", async () => {
    const none = mkdtempSync(join(tmpdir(), "dayferry-web-"));
    onTestFinished(() => rmSync(none, { recursive: true }));
    for (const built of [none, join(none, "missing")]) {
      const { assets, ask } = await serveAssets(built);
      expect(assets.script("page")).toBeNull();
      const style = await ask(assets.style);
      expect(style.status).toBe(200);
      expect(style.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(style.headers["content-type"]).toBe("text/css; charset=utf-8");
      expect(style.text).toBe(readFileSync(join(ownFolders.sources, "style.css"), "utf8"));
      expect((await ask(assets.icons.any)).headers["content-type"]).toBe("image/svg+xml");
    }
  });

  it("has the light colors that calendar programs get for projects without one", () => {
    const css = readFileSync(join(ownFolders.sources, "style.css"), "utf8");
    const light = [...css.matchAll(/--tint-\d: light-dark\((#[\da-f]{6}), #[\da-f]{6}\);/g)].map(
      ([, hex]) => hex,
    );
    expect(light).toEqual(tints.map((hex) => hex.toLowerCase()));
  });

  it("keeps serving scripts of open pages after an update", async () => {
    const built = mkdtempSync(join(tmpdir(), "dayferry-web-"));
    onTestFinished(() => rmSync(built, { recursive: true }));
    cpSync(ownFolders.built, built, { recursive: true });
    const { assets, ask } = await serveAssets(built);
    const { file = "" } = assets.script("page") ?? {};
    const before = readFileSync(join(built, file.replace("assets/", "")));
    for (const name of readdirSync(built)) rmSync(join(built, name));
    for (const coding of ["br", "gzip", undefined]) {
      const { status, headers, bytes } = await ask(file, coding);
      expect(status, coding).toBe(200);
      expect(headers["content-encoding"], coding).toBe(coding);
      expect(unpacked[coding ?? "none"]?.(bytes).equals(before), coding).toBe(true);
    }
    expect((await ask("assets/page-00000000.js")).status).toBe(404);
  });

  it("answers 404 for any other name", async () => {
    const { ask } = await serveAssets();
    for (const name of ["nothing.js", "manifest.json", "..%2fstyle.css", "style.css"]) {
      expect((await ask(`assets/${name}`)).status).toBe(404);
    }
  });
});
