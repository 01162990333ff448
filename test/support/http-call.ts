import { request as httpRequest, type IncomingHttpHeaders } from "node:http";

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** An address of this machine from which the request comes; 127.0.0.1 unless given. */
  readonly from?: string;
}

export interface Called {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

/** Sends `METHOD path` to a port of this machine. node:http adds no header of its own that matters, unlike fetch. */
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
