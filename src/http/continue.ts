import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { RequestHandler } from "express";

/** The error for a body that is too large, for the application's error handler. */
class TooLargeError extends Error {
  override readonly name = "TooLargeError";
  readonly status = 413;
}

/**
 * Sends `100 Continue` only when a handler starts to read the body: clients that are refused (no login, no permission, too
 * large) learn it without sending anything. A final answer closes the connection, as a body may or may not follow. Other
 * expectations get 417, as node:http does by default. Source: RFC 9110 10.1.1.
 */
export function continueWhenRead(server: Server, listener: RequestListener): void {
  server.on("checkContinue", (request: IncomingMessage, response) => {
    response.setHeader("Connection", "close");
    request.once("resume", () => {
      // After the answer, the body is discarded.
      if (response.headersSent) return;
      response.removeHeader("Connection");
      response.writeContinue();
    });
    listener(request, response);
  });
}

/**
 * Refuses a body of more than `limit` bytes while its client waits for `100 Continue`. Other bodies are refused when they are
 * read.
 */
export function refuseUnread(limit: number): RequestHandler {
  return ({ headers }, _response, next) => {
    const isTooLarge = waits(headers) && Number(headers["content-length"] ?? 0) > limit;
    next(isTooLarge ? new TooLargeError("the body is larger than it may be") : undefined);
  };
}

const waits = ({ expect }: IncomingMessage["headers"]): boolean =>
  expect !== undefined && /\b100-continue\b/i.test(expect);
