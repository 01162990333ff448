import { createHash } from "node:crypto";

/** A form with one file, for `multipart/form-data`. */
export interface Form {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: {
    readonly field: string;
    readonly name: string;
    /** Its media type; octet-stream if empty. */
    readonly type: string;
    readonly content: Uint8Array;
  };
}

/**
 * The octets of a form and its Content-Type. The boundary is derived from the contents' hash, so that they cannot contain it.
 * Quotes and line ends in names are written as browsers do. Source: RFC 7578; HTML, "Multipart form data".
 */
export function encodeForm({ fields, file }: Form): {
  readonly type: string;
  readonly octets: Uint8Array;
} {
  const hash = createHash("sha256").update(JSON.stringify(fields)).update(file.content);
  const boundary = `dayferry-${hash.digest("hex").slice(0, 40)}`;
  const head = (field: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(field)}"`;
  const plain = Object.entries(fields).map(
    ([field, value]) => `${head(field)}\r\n\r\n${value.replace(/\r\n|\r|\n/g, "\r\n")}\r\n`,
  );
  const media = /^[\x20-\x7e]+$/.test(file.type) ? file.type : "application/octet-stream";
  const last = `${head(file.field)}; filename="${quoted(file.name)}"\r\nContent-Type: ${media}\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    octets: Buffer.concat([
      Buffer.from(plain.join("") + last),
      file.content,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}

const quoted = (text: string): string =>
  text.replace(/\r\n|\r|\n/g, "%0D%0A").replaceAll('"', "%22");
