import { request as httpRequest, type IncomingHttpHeaders } from "node:http";

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The address of this machine that sends the request; 127.0.0.1 by default. */
  readonly from?: string;
}

export interface Called {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

/** Sends `METHOD path` to a port of this machine. Unlike fetch, node:http adds no header that matters. */
export function callHttp(
  port: number,
  request: string,
  { headers = {}, body, from = "127.0.0.1" }: CallOptions = {},
): Promise<Called> {
  const [method, path] = request.split(" ");
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", localAddress: from, port, method, path, headers };
    const sent = httpRequest(to, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode: status = 0, headers: received } = answer;
        resolve({ status, headers: received, bytes, text: bytes.toString() });
      });
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
