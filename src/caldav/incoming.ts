import { type Request, type Response, raw } from "express";
import type { DavRequest } from "./context.ts";
import { caldavFault, type DavFault, plainFault } from "./fault.ts";
import { largestXml } from "./xml/read.ts";

/** `octets` are empty where no body was sent; `aborted`: the program has gone. */
export type Body =
  | { readonly kind: "body"; readonly octets: Buffer }
  | { readonly kind: "refused"; readonly fault: DavFault }
  | { readonly kind: "aborted" };

export type ReadBody = (request: Request, response: Response) => Promise<Body>;

/** Reads bodies of any type as octets, unpacked: objects up to `maxSize` bytes, XML up to what is read of it. */
export function createBodyReader(maxSize: number): ReadBody {
  const type = () => true;
  const objects = raw({ type, limit: maxSize });
  const documents = raw({ type, limit: largestXml });
  return async (request, response) => {
    const isObject = request.method === "PUT";
    const limit = isObject ? maxSize : largestXml;
    const { expect, "content-length": length } = request.headers;
    // Who waits for 100 Continue is told before anything was sent; others see an answer best when all was read.
    if (expect !== undefined && Number(length ?? 0) > limit)
      return tooLarge(isObject ? maxSize : null);
    const read = isObject ? objects : documents;
    const error = await new Promise<unknown>((resolve) => read(request, response, resolve));
    if (error !== undefined) return endingOf(error, isObject ? maxSize : null);
    return { kind: "body", octets: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0) };
  };
}

/** Headers by their lower-case names; several of one name are joined, as HTTP means them. Source: RFC 9110 5.3. */
export function headersOf({ headers }: Request): DavRequest["headers"] {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  return Object.fromEntries(entries);
}

/** Of bodies. Source: RFC 9110 12.5.3 (Accept-Encoding in answers), 15.5.16. */
const encodings = "gzip, deflate, br";

function endingOf(error: unknown, maxSize: number | null): Body {
  const { type, status } = described(error);
  if (type === "request.aborted") return { kind: "aborted" };
  if (type === "entity.too.large") return tooLarge(maxSize);
  if (type === "encoding.unsupported") {
    const fault = plainFault(415, `the body is encoded otherwise than by ${encodings}`);
    return {
      kind: "refused",
      fault: { ...fault, headers: { ...headers, "Accept-Encoding": encodings } },
    };
  }
  if (status === null) throw error;
  const fault = plainFault(status, "the body cannot be read");
  return { kind: "refused", fault: { ...fault, headers } };
}

/** What follows is not worth reading: the connection ends with the answer. */
const headers = { Connection: "close" };

/** `maxSize`: of an object; null for XML. */
function tooLarge(maxSize: number | null): Body {
  const fault =
    maxSize === null
      ? plainFault(413, `the body is larger than the ${largestXml} bytes that a request may have`)
      : caldavFault(
          "max-resource-size",
          `the object is larger than the ${maxSize} bytes that one may have`,
        );
  return { kind: "refused", fault: { ...fault, headers } };
}

/** Errors of the body reader carry what they mean. */
function described(error: unknown): { readonly type: string; readonly status: number | null } {
  const { type, status }: Readonly<Record<string, unknown>> = { ...Object(error) };
  const isRefusal = typeof status === "number" && status >= 400 && status < 500;
  return { type: typeof type === "string" ? type : "", status: isRefusal ? status : null };
}
