import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { fail, ok, type Result } from "../domain/result.ts";

/**
 * The content behind a Content-Encoding, at most `most` bytes of it: a bomb is stopped, not unpacked. Fails with a
 * sentence.
 * Source: RFC 9110 8.4.1.
 */
export async function inflateBody(
  body: Uint8Array,
  how: { readonly encoding: string; readonly most: number },
): Promise<Result<Uint8Array, string>> {
  const encoding = how.encoding.trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return ok(body);
  const unpack = methods.get(encoding);
  if (!unpack) return fail(`the answer is packed in an unknown way: ${JSON.stringify(encoding)}`);
  try {
    return ok(await unpack(body, { maxOutputLength: how.most }));
  } catch (error) {
    const tooLarge =
      error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    if (tooLarge) return fail(`the calendar is larger than the ${how.most} bytes allowed`);
    return fail("the answer was cut or damaged on its way: it cannot be unpacked");
  }
}

const unzip = promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(gunzip);
const methods = new Map([
  ["gzip", unzip],
  ["x-gzip", unzip],
  ["deflate", promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(inflate)],
  ["br", promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(brotliDecompress)],
]);
