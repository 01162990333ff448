import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { fail, ok, type Result } from "../domain/result.ts";

/** The most octets of one answer, before and after inflating. */
const limit = 50_000_000;

const inflaters: Readonly<Record<string, (octets: Uint8Array) => Promise<Uint8Array>>> = {
  gzip: (octets) => promisify(zlib.gunzip)(octets, { maxOutputLength: limit }),
  "x-gzip": (octets) => promisify(zlib.gunzip)(octets, { maxOutputLength: limit }),
  deflate: inflateEither,
  br: (octets) => promisify(zlib.brotliDecompress)(octets, { maxOutputLength: limit }),
};

/**
 * The whole text of an answer's body, inflated as `encoding` (Content-Encoding) says; undici itself does not inflate.
 * Fails with a sentence for a body that is too long, damaged, of an unknown encoding or not UTF-8. An error of the
 * stream itself (reset, abort) is thrown as it comes.
 */
export async function readBody(
  stream: AsyncIterable<Uint8Array>,
  encoding: string | null,
): Promise<Result<string, string>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limit) return fail(`the answer is longer than ${limit} octets`);
    chunks.push(chunk);
  }
  const inflated = await inflate(Buffer.concat(chunks), encoding);
  return inflated.ok ? decode(inflated.value) : inflated;
}

async function inflate(
  octets: Uint8Array,
  encoding: string | null,
): Promise<Result<Uint8Array, string>> {
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity" || octets.byteLength === 0) return ok(octets);
  const inflater = inflaters[name];
  if (!inflater) return fail(`the content encoding "${name}" was not asked for`);
  try {
    return ok(await inflater(octets));
  } catch (error) {
    if (error instanceof RangeError)
      return fail(`the inflated answer is longer than ${limit} octets`);
    return fail(`the ${name} body is damaged`);
  }
}

// Servers send "deflate" both with the zlib wrapper that RFC 9110 8.4.1.2 asks for and without it.
async function inflateEither(octets: Uint8Array): Promise<Uint8Array> {
  const wrapped = ((octets[0] ?? 0) & 0x0f) === 8;
  const inflater = wrapped ? promisify(zlib.inflate) : promisify(zlib.inflateRaw);
  return inflater(octets, { maxOutputLength: limit });
}

function decode(octets: Uint8Array): Result<string, string> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(octets));
  } catch {
    return fail("the answer is not UTF-8");
  }
}
