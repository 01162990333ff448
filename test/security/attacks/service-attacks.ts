import type { Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { letPass } from "../../support/eventually.ts";
import type { Attack, ServiceLie } from "./target.ts";

/** Answers of the service, or of an impostor, that are endless or expand. */
export const serviceAttacks: readonly Attack[] = [
  lie("answers of 500 MB packed by gzip", () => whole(gzipSync(Buffer.alloc(500_000_000)), "gzip")),
  lie("answers of 500 MB packed by br", () =>
    whole(brotliCompressSync(Buffer.alloc(500_000_000)), "br"),
  ),
  lie("answers in chunks without an end", () => (socket) => {
    socket.write(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    flood(socket, Buffer.from(`10000\r\n${"[".repeat(65_536)}\r\n`));
  }),
  lie("headers without an end", () => (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    flood(socket, Buffer.from(`X-A: ${"a".repeat(1000)}\r\n`.repeat(60)));
  }),
  lie(
    "informational answers without an end",
    () => (socket) =>
      flood(socket, Buffer.from("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n".repeat(1000))),
  ),
  lie("redirects to itself", () => (socket) => {
    socket.end(
      "HTTP/1.1 302 Found\r\nLocation: /api/v3/me\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
  }),
  lie("redirects to a metadata address", () => (socket) => {
    socket.end(
      "HTTP/1.1 307 Go\r\nLocation: http://169.254.169.254/latest/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
  }),
  lie("answers that come octet by octet", () => (socket) => {
    socket.write(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
    );
    const timer = setInterval(() => socket.write(" "), 200);
    socket.once("close", () => clearInterval(timer));
  }),
  lie("silence", () => () => {}),
  lie("JSON that nests 5 million deep", () => whole(Buffer.from("[".repeat(5_000_000)), "")),
  lie("a list of 5 million empty things", () =>
    whole(Buffer.from(`[${"{},".repeat(4_999_999)}{}]`), ""),
  ),
  lie("a message of 40 MB in an error", () => (socket) => {
    const body = Buffer.from(`<${"a<".repeat(20_000_000)}`);
    socket.write(`HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.end(body);
  }),
];

function lie(name: string, make: () => ServiceLie): Attack {
  return {
    name: `service: ${name}`,
    allowed: [],
    prepare: ({ service, dripMs }) => {
      const told = make();
      return async () => {
        service.lie(told);
        const until = performance.now() + dripMs * 6;
        // Polls find it in time; only one request can hang.
        while (service.lied() < 3 && performance.now() < until) await letPass(50);
        await letPass(dripMs / 2);
        service.lie(null);
        return new Map<number, number>();
      };
    },
  };
}

function whole(body: Uint8Array, encoding: string): ServiceLie {
  return (socket) => {
    const packed = encoding === "" ? "" : `Content-Encoding: ${encoding}\r\n`;
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${packed}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    );
    socket.end(body);
  };
}

/** Writes for as long as it is read. */
function flood(socket: Socket, piece: Buffer): void {
  const write = () => {
    while (socket.writable && socket.write(piece));
    if (socket.writable) socket.once("drain", write);
  };
  write();
}
