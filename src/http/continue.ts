import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { RequestHandler } from "express";

/** The error of a body that is larger than its handler takes, as the error handler of the application reads it. */
class TooLargeError extends Error {
  override readonly name = "TooLargeError";
  readonly status = 413;
}

/**
 * Has a server say `100 Continue` when a handler begins to read the body, and not before: who is turned away (no login, no
 * right, too large) learns it without having sent anything. The connection ends with an answer that came instead of it,
 * as nobody can tell whether a body still follows. Another expectation is 417, as node:http answers by itself.
 * Source: RFC 9110 10.1.1.
 */
export function continueWhenRead(server: Server, listener: RequestListener): void {
  server.on("checkContinue", (request: IncomingMessage, response) => {
    response.setHeader("Connection", "close");
    request.once("resume", () => {
      // Once it was answered the body is only thrown away.
      if (response.headersSent) return;
      response.removeHeader("Connection");
      response.writeContinue();
    });
    listener(request, response);
  });
}

/** Refuses a body of more than `limit` bytes that waits for `100 Continue`. Any other is refused by who reads it. */
export function refuseUnread(limit: number): RequestHandler {
  return ({ headers }, _response, next) => {
    const isTooLarge = waits(headers) && Number(headers["content-length"] ?? 0) > limit;
    next(isTooLarge ? new TooLargeError("the body is larger than it may be") : undefined);
  };
}

const waits = ({ expect }: IncomingMessage["headers"]): boolean =>
  expect !== undefined && /\b100-continue\b/i.test(expect);
