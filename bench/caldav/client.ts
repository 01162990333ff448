import { Agent, request } from "node:http";

/** A request to one server; `path` is percent-encoded. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly etag: string | null;
  readonly body: string;
  /** From the first byte that was sent to the last that came back. */
  readonly ms: number;
}

/** One program: one request after the other, on one connection for as long as the server keeps it. */
export interface Client {
  readonly call: (call: Call) => Promise<Reply>;
  /** The header with its credentials. */
  readonly authorization: string;
  readonly close: () => void;
}

export interface Account {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export function createClient({ port, user, password }: Account): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  function send({ method, path, headers = {}, body = "" }: Call): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const length = String(Buffer.byteLength(body));
      const began = performance.now();
      const sent = request(
        {
          agent,
          host: "127.0.0.1",
          port,
          method,
          path,
          headers: {
            Authorization: authorization,
            "User-Agent": "Bench/1",
            ...(body !== "" && { "Content-Length": length }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const ms = performance.now() - began;
            const text = Buffer.concat(chunks).toString();
            const { statusCode: status = 0 } = response;
            resolve({ status, etag: response.headers.etag ?? null, body: text, ms });
          });
        },
      );
      sent.on("error", (error) => {
        // A server may close a connection that rested while the others had their turn, just as it is used again.
        if (sent.reusedSocket && "code" in error && error.code === "ECONNRESET") {
          resolve(send({ method, path, headers, body }));
        } else reject(error);
      });
      sent.end(body);
    });
  }
  return { call: send, authorization, close: () => agent.destroy() };
}
