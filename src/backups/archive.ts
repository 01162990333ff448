import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, openSync, writeSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { fileReason } from "../domain/file-reason.ts";
import { fail, ok, type Result } from "../domain/result.ts";

/** Metadata of a backup, stored before its parts. */
export interface Manifest {
  readonly format: "dayferry-backup";
  readonly version: number;
  readonly madeAt: string;
  /** Version of Dayferry that created it. */
  readonly program: string;
  readonly migration: number;
  readonly installation: string;
  readonly epoch: string;
  readonly openEdits: number;
  readonly keys: "sealed" | "left out";
  /** The key files that existed, whether the backup contains them or not; null if not recorded. */
  readonly keyFiles: readonly string[] | null;
  readonly parts: readonly PartFacts[];
}

interface PartFacts {
  readonly name: string;
  readonly octets: number;
  readonly sha256: string;
}

/** One part to write. Its bytes are read on demand, and their number is the stated size. */
interface Part extends PartFacts {
  readonly content: () => AsyncIterable<Uint8Array>;
}

export const formatVersion = 1;
const manifestName = "manifest.json";
const block = 512;
const mostManifest = 65_536;

/**
 * Writes a backup into an open file: a compressed tar archive that common tools can open, starting with the manifest. Source:
 * IEEE Std 1003.1 pax, ustar Interchange Format. `onWritten`: called with the bytes of parts that are written.
 */
export async function writeArchive(
  descriptor: number,
  { manifest, parts }: { readonly manifest: Manifest; readonly parts: readonly Part[] },
  onWritten: (octets: number) => void = () => undefined,
): Promise<void> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const at = Math.floor(Temporal.Instant.from(manifest.madeAt).epochMilliseconds / 1000);
  let all = 0;
  async function* octets(): AsyncGenerator<Uint8Array> {
    yield header({ name: manifestName, octets: text.byteLength }, at);
    yield padded(text);
    for (const part of parts) {
      yield header(part, at);
      let written = 0;
      for await (const piece of part.content()) {
        written += piece.byteLength;
        yield piece;
        all += piece.byteLength;
        onWritten(all);
      }
      if (written !== part.octets)
        throw new Error(`${part.name} changed while it was being written`);
      yield Buffer.alloc(paddingOf(written));
    }
    yield Buffer.alloc(2 * block);
  }
  const target = createWriteStream("", { fd: descriptor, autoClose: false });
  await pipeline(octets, createGzip({ level: 6 }), target);
}

const paddingOf = (size: number): number => (block - (size % block)) % block;

const padded = (text: Buffer): Buffer =>
  Buffer.concat([text, Buffer.alloc(paddingOf(text.byteLength))]);

function header({ name, octets }: Pick<PartFacts, "name" | "octets">, at: number): Buffer {
  const head = Buffer.alloc(block);
  const octal = (value: number, length: number) =>
    `${value.toString(8).padStart(length - 1, "0")}\0`;
  head.write(name, 0);
  head.write(octal(0o600, 8), 100);
  head.write(octal(0, 8), 108);
  head.write(octal(0, 8), 116);
  head.write(octal(octets, 12), 124);
  head.write(octal(at, 12), 136);
  head.write("        ", 148);
  head.write("0", 156);
  head.write("ustar\x0000", 257);
  const sum = head.reduce((total, octet) => total + octet, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return head;
}

/** Receives each part of a backup as it is read; `begin` returns where to write its bytes. */
interface PartSink {
  begin(facts: PartFacts): (piece: Uint8Array) => void;
}

/** Reads only the manifest of a backup. Errors are sentences for people. */
export async function readManifest(file: string): Promise<Result<Manifest, string>> {
  const reader = new ArchiveReader(null);
  return settle(file, reader);
}

/** Reads a whole backup and checks it against its manifest. Errors are sentences for people. */
export async function readArchive(file: string, sink: PartSink): Promise<Result<Manifest, string>> {
  return settle(file, new ArchiveReader(sink));
}

async function settle(file: string, reader: ArchiveReader): Promise<Result<Manifest, string>> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  try {
    await pipeline(source, gunzip, async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        reader.take(piece);
        if (reader.isSatisfied) return;
      }
    });
  } catch (error) {
    if (!reader.isSatisfied)
      return fail(`${file} is not a complete backup: ${unreadableBecause(error)}`);
  }
  const manifest = reader.end();
  return manifest.ok ? manifest : fail(`${file} is not a complete backup: ${manifest.failure}`);
}

/** zlib's own error message does not help a person who named the wrong file. */
function unreadableBecause(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "Z_BUF_ERROR") return "it is truncated";
  if (code === "Z_DATA_ERROR") return "it is damaged, or not a backup";
  return fileReason(error);
}

/** The part being read; `open` is the number of bytes to come. */
interface OpenPart {
  readonly facts: PartFacts;
  readonly write: (piece: Uint8Array) => void;
  readonly hash: ReturnType<typeof createHash>;
  readonly padding: number;
  open: number;
}

class ArchiveReader {
  readonly #sink: PartSink | null;
  #waiting: Buffer = Buffer.alloc(0);
  #manifest: Manifest | null = null;
  #left: PartFacts[] = [];
  #part: OpenPart | null = null;
  #hasEnded = false;

  /** Without a sink only the manifest is read. */
  constructor(sink: PartSink | null) {
    this.#sink = sink;
  }

  get isSatisfied(): boolean {
    return this.#sink === null && this.#manifest !== null;
  }

  take(piece: Buffer): void {
    this.#waiting = this.#waiting.byteLength === 0 ? piece : Buffer.concat([this.#waiting, piece]);
    while (!this.isSatisfied && !this.#hasEnded && this.#step());
    // After the end marker there is only padding.
    if (this.#hasEnded) this.#waiting = Buffer.alloc(0);
  }

  end(): Result<Manifest, string> {
    if (!this.#manifest) return fail("it has no manifest");
    if (this.isSatisfied) return ok(this.#manifest);
    const [missing] = this.#part ? [this.#part.facts] : this.#left;
    if (missing) return fail(`${missing.name} is missing or truncated`);
    return this.#hasEnded ? ok(this.#manifest) : fail("its end is missing");
  }

  /** Returns false if more input is needed. */
  #step(): boolean {
    if (this.#part) return this.#read(this.#part);
    const head = this.#waiting;
    if (head.byteLength < block) return false;
    if (head.subarray(0, block).every((octet) => octet === 0)) {
      this.#hasEnded = true;
      return false;
    }
    const name = textOf(head.subarray(0, 100));
    const size = parseInt(textOf(head.subarray(124, 136)), 8);
    if (textOf(head.subarray(257, 262)) !== "ustar" || !Number.isSafeInteger(size)) {
      throw new Error("it is not a Dayferry archive");
    }
    if (!this.#manifest) return this.#readManifest({ name, size });
    const facts = this.#left.shift();
    if (facts?.name !== name || facts.octets !== size) {
      throw new Error(`${name} does not match the manifest`);
    }
    const write = this.#sink?.begin(facts) ?? (() => undefined);
    this.#waiting = head.subarray(block);
    this.#part = { facts, write, hash: createHash("sha256"), open: size, padding: paddingOf(size) };
    return true;
  }

  #readManifest({ name, size }: { readonly name: string; readonly size: number }): boolean {
    if (name !== manifestName || size > mostManifest) throw new Error("it has no manifest");
    if (this.#waiting.byteLength < block + size + paddingOf(size)) return false;
    const text = this.#waiting.toString("utf8", block, block + size);
    this.#manifest = manifestOf(JSON.parse(text));
    this.#left = [...this.#manifest.parts];
    this.#waiting = this.#waiting.subarray(block + size + paddingOf(size));
    return true;
  }

  #read(part: OpenPart): boolean {
    const piece = this.#waiting.subarray(0, part.open);
    part.open -= piece.byteLength;
    part.hash.update(piece);
    part.write(piece);
    this.#waiting = this.#waiting.subarray(piece.byteLength);
    if (part.open > 0 || this.#waiting.byteLength < part.padding) return false;
    this.#waiting = this.#waiting.subarray(part.padding);
    if (part.hash.digest("hex") !== part.facts.sha256) {
      throw new Error(`${part.facts.name} does not match its checksum`);
    }
    this.#part = null;
    return true;
  }
}

const textOf = (octets: Buffer): string => octets.toString("latin1").split(/[\0 ]/)[0] ?? "";

/** Throws if this build cannot read it. */
function manifestOf(value: unknown): Manifest {
  const facts = new Map<string, unknown>(Object.entries(Object(value)));
  const text = (name: string): string => {
    const found = facts.get(name);
    if (typeof found !== "string") throw new Error(`its manifest has no ${name}`);
    return found;
  };
  const number = (name: string): number => {
    const found = facts.get(name);
    if (!Number.isSafeInteger(found) || Number(found) < 0) {
      throw new Error(`its manifest has no ${name}`);
    }
    return Number(found);
  };
  if (text("format") !== "dayferry-backup") throw new Error("it is not a Dayferry backup");
  const version = number("version");
  if (version > formatVersion) {
    throw new Error(
      `it was written by a newer Dayferry (${text("program")}): update this one first`,
    );
  }
  const [parts, names] = [facts.get("parts"), facts.get("keyFiles")];
  if (!Array.isArray(parts)) throw new Error("its manifest has no parts");
  return {
    format: "dayferry-backup",
    version,
    madeAt: Temporal.Instant.from(text("madeAt")).toString(),
    program: text("program"),
    migration: number("migration"),
    installation: text("installation"),
    epoch: text("epoch"),
    openEdits: number("openEdits"),
    keys: text("keys") === "sealed" ? "sealed" : "left out",
    keyFiles: Array.isArray(names) ? names.map(String) : null,
    parts: parts.map(partOf),
  };
}

/** Part names are fixed, so that an archive cannot choose where something is written. */
export const databasePart = "dayferry.sqlite";
export const keysPart = "keys.json";

function partOf(value: unknown): PartFacts {
  const { name, octets, sha256 }: Partial<Record<keyof PartFacts, unknown>> = Object(value);
  const isKnown = name === databasePart || name === keysPart;
  if (!isKnown || !Number.isSafeInteger(octets) || typeof sha256 !== "string") {
    throw new Error("its manifest has a part that this version does not know");
  }
  return { name, octets: Number(octets), sha256 };
}

/** Writes a part into a file that only its owner can read. */
export function fileSink(path: string): { write(piece: Uint8Array): void; descriptor: number } {
  const descriptor = openSync(path, "wx", 0o600);
  return {
    descriptor,
    write(piece) {
      for (let at = 0; at < piece.byteLength; ) at += writeSync(descriptor, piece, at);
    },
  };
}
