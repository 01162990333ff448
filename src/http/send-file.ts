import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import type { FileAnswer } from "../operations/operation.ts";

/** Sends a file that must not be cached. `prefix`: written before its bytes. */
export async function sendFile(
  response: Response,
  { body, bytes, mediaType, fileName, headers = {} }: FileAnswer,
  {
    disposition = "inline",
    prefix = "",
  }: { readonly disposition?: "inline" | "attachment"; readonly prefix?: string } = {},
): Promise<void> {
  response
    .set("Content-Length", String(bytes + Buffer.byteLength(prefix)))
    .set("Content-Type", mediaType)
    .set("Content-Disposition", `${disposition}; filename="${fileName}"`)
    .set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    .set("X-Content-Type-Options", "nosniff")
    .set("Cache-Control", "no-store")
    .set(headers);
  if (prefix !== "") response.write(prefix);
  // A client that disconnects keeps what it has received so far.
  await pipeline(body, response).catch(() => undefined);
}
