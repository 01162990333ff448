#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

// Settings that must precede everything else, because they determine how much memory a daemon uses.

// Collect the young generation at 1 MB instead of up to 16: a daemon allocates little at a time and would otherwise keep 32 MB.
setFlagsFromString("--semi-space-growth-factor=1");

// Collect the old generation when it has grown by a quarter instead of doubled, so that the garbage of a sweep does not stay.
setFlagsFromString("--heap-growing-percent=25");

// A daemon mostly polls: the two optimizing compilers take 10 MB and more, only to build a feed of 10,000 events in a fifth
// less CPU time. The baseline compiler stays on.
const stays = process.argv[2] === "serve" || process.argv[2] === "start";
if (stays) {
  setFlagsFromString("--no-turbofan");
  setFlagsFromString("--no-sparkplug");
}

// When run from source, a later start finds the sources compiled and without types, which otherwise takes 30 MB and half a
// second. Of the bundle only commands benefit: in a daemon the cache would take 6 MB for a tenth of a second.
if (import.meta.filename.endsWith(".ts") || !stays) {
  enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/dayferry", import.meta.url)));
}

await import("./main.ts");
