import type { Request, Response } from "express";
import { encodeAnswer } from "./compress.ts";
import type { DavAnswer } from "./context.ts";
import { davClasses } from "./methods.ts";

/** Sends an answer, with what all of them say. */
export async function sendAnswer(
  answer: DavAnswer,
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<void> {
  const isReading = request.method === "GET" || request.method === "HEAD";
  const { status, headers, body } = await encodeAnswer(answer, request.get("accept-encoding"));
  response.writeHead(status, {
    DAV: davClasses,
    // Copies of objects may be kept for conditional requests; listings and endings of edits are true for a moment.
    "Cache-Control": isReading ? "private, no-cache" : "no-store",
    "X-Content-Type-Options": "nosniff",
    ...headers,
    ...(!bodiless.has(status) && { "Content-Length": String(Buffer.byteLength(body)) }),
  });
  response.end(request.method === "HEAD" || bodiless.has(status) ? undefined : body);
}

const bodiless: ReadonlySet<number> = new Set([204, 304]);
