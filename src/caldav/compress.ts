import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { acceptsGzip } from "../domain/accept-encoding.ts";
import type { DavAnswer } from "./context.ts";

/** An answer as it goes out; a short text stays one, as it leaves together with the headers then. */
export interface Encoded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const zip = promisify(gzip);
const smallest = 1024;

/**
 * The answer as it goes out: compressed where the program asks for it and where it pays. A body with a strong ETag stays
 * as it is, as that names one sequence of octets, and programs send it back as a condition. Source: RFC 9110 8.8.3, 12.5.3.
 */
export async function encodeAnswer(
  { status, headers = {}, body = "" }: DavAnswer,
  acceptEncoding: string | undefined,
): Promise<Encoded> {
  if (Buffer.byteLength(body) < smallest) return { status, headers, body };
  const octets = typeof body === "string" ? Buffer.from(body) : body;
  const isFixed = headers["ETag"]?.startsWith('"') ?? false;
  if (isFixed) return { status, headers, body: octets };
  const varying = { ...headers, Vary: varied(headers["Vary"]) };
  if (!acceptsGzip(acceptEncoding)) return { status, headers: varying, body: octets };
  return { status, headers: { ...varying, "Content-Encoding": "gzip" }, body: await zip(octets) };
}

export const varied = (vary: string | undefined): string =>
  vary === undefined ? "Accept-Encoding" : `${vary}, Accept-Encoding`;
