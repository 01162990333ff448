import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { EventLoopBudget } from "@dayferry/event-loop";
import { acceptsGzip } from "@dayferry/http-values";
import type { Request, Response } from "express";
import { AnswerTooLargeError, largestAnswer, tooLarge } from "./answer-size.ts";
import type { CaldavServerOptions, DavAnswer } from "./dav-request.ts";
import { faultAnswer, plainFault } from "./fault.ts";

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  /** Value of the `DAV` header. */
  readonly classes: string;
  readonly onError: CaldavServerOptions["onError"];
  readonly eventLoop: EventLoopBudget;
}

/**
 * Sends an answer with the common headers. A short one in pieces is sent as a whole. A long one is sent while it is made, no
 * faster than it is read, and others run in between. An error before the first octet becomes a status; later the connection is
 * cut, so that a partial answer does not look complete.
 */
export async function sendAnswer(answer: DavAnswer, exchange: Exchange): Promise<void> {
  if (!answer.pieces) return sendWhole(answer, exchange);
  const gathering = gather(answer.pieces, exchange.eventLoop);
  let first: Gathered;
  try {
    first = await gathering.take(answer.longestWhole ?? longestWhole);
  } catch (error) {
    return sendWhole(failureOf(error, exchange), exchange);
  }
  if (first.isLast) return sendWhole({ ...answer, body: first.text }, exchange);
  const chunks = chunksOf(first.text, gathering, exchange);
  return sendInPieces(answer, exchange, chunks);
}

/** Text up to this size is sent as a whole with its length. It is also what an unread answer keeps in memory. */
const longestWhole = 2 ** 20;
const chunkLength = 2 ** 17;

/** Pieces made between two time checks, which take longer than a small piece. */
const piecesPerLook = 8;

interface Gathered {
  readonly text: string;
  readonly isLast: boolean;
}

/** Combines pieces into chunks. */
interface Gathering {
  /** Pieces with at least this many characters, or all that are left. Throws if the answer becomes too long. */
  readonly take: (enough: number) => Promise<Gathered>;
}

function gather(all: Iterable<string>, eventLoop: EventLoopBudget): Gathering {
  const pieces = all[Symbol.iterator]();
  let made = 0;
  return {
    async take(enough) {
      const parts: string[] = [];
      let size = 0;
      await eventLoop.share();
      for (let count = 1; size < enough; count++) {
        const next = pieces.next();
        if (next.done === true) return { text: parts.join(""), isLast: true };
        parts.push(next.value);
        size += next.value.length;
        made += next.value.length;
        if (made > largestAnswer) throw new AnswerTooLargeError();
        if (count % piecesPerLook === 0 && eventLoop.isOver()) await eventLoop.share();
      }
      return { text: parts.join(""), isLast: false };
    },
  };
}

async function* chunksOf(
  first: string,
  rest: Gathering,
  exchange: Exchange,
): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  const { request, onError } = exchange;
  try {
    for (let isLast = false; !isLast; ) {
      const chunk = await rest.take(chunkLength);
      yield Buffer.from(chunk.text);
      ({ isLast } = chunk);
    }
  } catch (error) {
    onError("calendar response interrupted", {
      method: request.method,
      path: request.path,
      error,
    });
    throw error;
  }
}

function failureOf(error: unknown, { request, onError }: Exchange): DavAnswer {
  if (error instanceof AnswerTooLargeError) return faultAnswer(tooLarge);
  onError("calendar response failed", { method: request.method, path: request.path, error });
  return faultAnswer(plainFault(500, "the request failed; see the log for the reason"));
}

async function sendWhole(answer: DavAnswer, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const { status, headers, body } = await encodeAnswer(answer, request.get("accept-encoding"));
  response.writeHead(status, {
    ...common(exchange),
    ...headers,
    ...(!bodiless.has(status) && { "Content-Length": String(Buffer.byteLength(body)) }),
  });
  response.end(request.method === "HEAD" || bodiless.has(status) ? undefined : body);
}

async function sendInPieces(
  { status, headers = {} }: DavAnswer,
  exchange: Exchange,
  chunks: AsyncGenerator<Buffer>,
): Promise<void> {
  const { request, response } = exchange;
  const isPacked = acceptsGzip(request.get("accept-encoding"));
  response.writeHead(status, {
    ...common(exchange),
    ...headers,
    Vary: varied(headers["Vary"]),
    ...(isPacked && { "Content-Encoding": "gzip" }),
  });
  if (request.method === "HEAD") {
    await chunks.return(undefined);
    response.end();
    return;
  }
  const source = Readable.from(chunks, { objectMode: false });
  try {
    await (isPacked ? pipeline(source, createGzip(), response) : pipeline(source, response));
  } catch {
    // The pipeline has cut the connection: the client disconnected, or the error is in the log.
    response.destroy();
  }
}

const common = ({ request, classes }: Pick<Exchange, "request" | "classes">) => ({
  DAV: classes,
  // Copies of objects may be cached for conditional requests; listings and results of edits may not.
  "Cache-Control":
    request.method === "GET" || request.method === "HEAD" ? "private, no-cache" : "no-store",
  "X-Content-Type-Options": "nosniff",
});

const bodiless: ReadonlySet<number> = new Set([204, 304]);

/** An outgoing answer. A short text stays one string, as it is then sent with the headers. */
interface Encoded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const zip = promisify(gzip);
const smallest = 1024;

/**
 * The answer, compressed if requested and worthwhile. A body with a strong ETag stays uncompressed, as the tag identifies one
 * sequence of octets, and programs send it back as a condition. Source: RFC 9110 8.8.3, 12.5.3.
 */
async function encodeAnswer(
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

const varied = (vary: string | undefined): string =>
  vary === undefined ? "Accept-Encoding" : `${vary}, Accept-Encoding`;
