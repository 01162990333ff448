import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** A mail in a folder, as people read it. */
export interface OutboxMail {
  /** Name of its file. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** Null if its header has no readable date. */
  readonly date: Temporal.Instant | null;
}

export interface OutboxText extends OutboxMail {
  /** "" if there is none. */
  readonly text: string;
  /** Null if there is none. Untrusted markup, not sanitised. */
  readonly html: string | null;
}

/** The folder to which mails are written without a mail server. */
export type Outbox = ReturnType<typeof openOutbox>;

/** Enough for every header that this program writes. */
const headLength = 16_384;
/** Mails of this program are far smaller. Larger files are not read. */
const longestMail = 2_000_000;
const fileName = /^[\w-][\w.-]{0,150}\.eml$/;

/** Reads mails of `createDirectoryMailer`, whose parts are text, HTML and a calendar. */
export function openOutbox({ directory }: { readonly directory: string }) {
  return {
    /** The newest ones first; none if the folder does not exist. */
    async list(most: number): Promise<readonly OutboxMail[]> {
      const names = (await readdir(directory).catch(() => []))
        .filter((name) => fileName.test(name))
        .toSorted((a, b) => (a < b ? 1 : -1))
        .slice(0, most);
      const mails = await Promise.all(names.map((name) => headOf(join(directory, name), name)));
      return mails.filter((mail) => mail !== null);
    },
    /** Null if the folder has no such mail. */
    async read(file: string): Promise<OutboxText | null> {
      if (!fileName.test(file)) return null;
      const octets = await withFile(join(directory, file), async (handle, size) =>
        size > longestMail ? null : (await handle.readFile()).toString("latin1"),
      );
      if (octets === null) return null;
      const entity = readEntity(octets);
      const parts = partsOf(entity);
      const of = (type: string) => parts.find(({ headers }) => typeOf(headers).type === type);
      const plain = of("text/plain");
      const markup = of("text/html");
      return {
        ...described(entity.headers, file),
        text: plain ? textOf(plain) : "",
        html: markup ? textOf(markup) : null,
      };
    },
  };
}

const headOf = (path: string, file: string): Promise<OutboxMail | null> =>
  withFile(path, async (handle) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headLength), 0, headLength, 0);
    return described(readEntity(buffer.toString("latin1", 0, bytesRead)).headers, file);
  });

/** A symbolic link would show another file, and reading a pipe would never end. Neither is a mail. */
const plainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Null if it is not a file, or cannot be opened. */
async function withFile<T>(
  path: string,
  read: (handle: FileHandle, size: number) => Promise<T | null>,
): Promise<T | null> {
  const handle = await open(path, plainly).catch(() => null);
  if (!handle) return null;
  try {
    const found = await handle.stat();
    return found.isFile() ? await read(handle, found.size) : null;
  } finally {
    await handle.close();
  }
}

/** Headers by lower-case name, and the body. */
interface Entity {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Source: RFC 5322 2.1, 2.2.3 (folding). */
function readEntity(octets: string): Entity {
  const [gap] = /\r?\n\r?\n/.exec(octets) ?? [];
  const at = gap === undefined ? octets.length : octets.indexOf(gap);
  const [head, body] = [octets.slice(0, at), octets.slice(at + (gap?.length ?? 0))];
  const lines = head.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  const headers = lines.flatMap((line): readonly (readonly [string, string])[] => {
    const colon = line.indexOf(":");
    return colon < 1 ? [] : [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]];
  });
  return { headers: new Map(headers), body };
}

function described(headers: Entity["headers"], file: string): OutboxMail {
  const of = (name: string) => decodeWords(headers.get(name) ?? "");
  const at = Date.parse(headers.get("date") ?? "");
  return {
    file,
    from: of("from"),
    to: of("to"),
    subject: of("subject"),
    date: Number.isNaN(at) ? null : Temporal.Instant.fromEpochMilliseconds(at),
  };
}

/** All leaf parts. Source: RFC 2046 5.1. */
function partsOf(entity: Entity, depth = 0): readonly Entity[] {
  const { type, boundary } = typeOf(entity.headers);
  if (!type.startsWith("multipart/") || boundary === null || depth > 5) return [entity];
  const [, ...pieces] = `\n${entity.body}`.split(`\n--${boundary}`);
  return pieces
    .filter((piece) => !piece.startsWith("--"))
    .flatMap((piece) =>
      partsOf(readEntity(piece.replace(/^[^\n]*\n/, "").replace(/\r$/, "")), depth + 1),
    );
}

function typeOf(headers: Entity["headers"]): {
  readonly type: string;
  readonly boundary: string | null;
  readonly charset: string;
} {
  const value = headers.get("content-type") ?? "text/plain";
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(value) ?? [];
  const [, charset = "utf-8"] = /;\s*charset="?([^\s;"]+)/i.exec(value) ?? [];
  const [type = ""] = value.split(";", 1);
  return { type: type.trim().toLowerCase(), boundary: quoted ?? bare ?? null, charset };
}

/** Source: RFC 2045 6.7 (quoted-printable), 6.8 (base64). */
function textOf({ headers, body }: Entity): string {
  const coding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "7bit";
  const octets =
    coding === "base64"
      ? Buffer.from(body, "base64")
      : coding === "quoted-printable"
        ? quotedPrintable(body.replaceAll(/=[ \t]*\r?\n/g, ""))
        : Buffer.from(body, "latin1");
  return decodeAs(octets, typeOf(headers).charset).replaceAll("\r\n", "\n");
}

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/=([\dA-F]{2})/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    "latin1",
  );

/** Source: RFC 2047. */
const decodeWords = (text: string): string =>
  text
    .replaceAll(/(=\?[^?\s]+\?[bq]\?[^?]*\?=)\s+(?==\?)/gi, "$1")
    .replaceAll(
      /=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi,
      (_all, charset: string, way: string, said: string) =>
        decodeAs(
          way.toLowerCase() === "b"
            ? Buffer.from(said, "base64")
            : quotedPrintable(said.replaceAll("_", " ")),
          charset,
        ),
    );

function decodeAs(octets: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(octets);
  } catch {
    // An unknown charset.
    return new TextDecoder("latin1").decode(octets);
  }
}
