import { type RequestHandler, type Response, raw } from "express";
import { fail, ok, type Result } from "../domain/result.ts";
import { say } from "../texts/say.ts";
import { badRequest, sendProblem } from "./problem-json.ts";

/** A file of a form. */
export interface SentFile {
  readonly name: string;
  readonly content: Buffer;
}

/** A form with files, by field name. */
interface MultipartForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, SentFile>;
}

const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");
const mostParts = 50;

/**
 * Parses the body of a form with files; fails with a sentence if it is invalid or truncated. Source: RFC 7578, RFC 2046 5.1.
 */
export function readMultipart(body: Buffer, contentType: string): Result<MultipartForm, string> {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return fail(say("requestFault.noBoundary"));
  const mark = Buffer.from(`--${boundary}`);
  const fields = new Map<string, string>();
  const files = new Map<string, SentFile>();
  let at = body.indexOf(mark);
  if (at < 0) return fail(say("requestFault.noPart"));
  for (let count = 0; count < mostParts; count++) {
    const begin = at + mark.length;
    if (body.subarray(begin, begin + 2).toString("latin1") === "--") return ok({ fields, files });
    const end = body.indexOf(Buffer.concat([lineEnd, mark]), begin);
    const headAt = body.indexOf(headEnd, begin);
    if (end < 0 || headAt < 0 || headAt > end) return fail(say("requestFault.cutForm"));
    const head = body.subarray(begin, headAt).toString("utf8");
    const content = body.subarray(headAt + headEnd.length, end);
    const name = parameterOf(head, "name");
    if (name === null) return fail(say("requestFault.namelessPart"));
    const file = parameterOf(head, "filename");
    if (file === null) fields.set(name, content.toString("utf8"));
    else files.set(name, { name: file, content });
    at = end + lineEnd.length;
  }
  return fail(say("requestFault.manyParts", { most: String(mostParts) }));
}

function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}

/** A parameter of Content-Disposition; browsers percent-encode quotes. */
function parameterOf(head: string, name: string): string | null {
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? "";
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(disposition)?.[1];
  return value === undefined ? null : value.replace(/%22/g, '"').replace(/%0D%0A/gi, " ");
}

/** Reads a form with files up to a size limit; its fields become the body, like those of other forms. */
export function multipartReader(limit: number): readonly RequestHandler[] {
  return [
    raw({ type: "multipart/form-data", limit }),
    (request, response, next) => {
      const sent: unknown = request.body;
      const type = request.get("content-type") ?? "";
      if (!Buffer.isBuffer(sent)) return next();
      const read = readMultipart(sent, type);
      if (!read.ok) {
        sendProblem(response, badRequest(read.failure));
        return;
      }
      response.locals["files"] = read.value.files;
      request.body = Object.fromEntries(read.value.fields);
      next();
    },
  ];
}

/** A form's file; null if none was chosen. */
export function sentFile(response: Response, name: string): SentFile | null {
  const files: ReadonlyMap<string, SentFile> | undefined = response.locals["files"];
  const file = files?.get(name);
  return file && (file.content.length > 0 || file.name !== "") ? file : null;
}
