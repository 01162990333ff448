import { describe, expect, it } from "vitest";
import { readMultipart } from "../../src/http/read-multipart.ts";

const type = "multipart/form-data; boundary=xyz";

/** A body as browsers write it. */
const body = (...parts: readonly string[]): Buffer =>
  Buffer.from(`${parts.map((part) => `--xyz\r\n${part}\r\n`).join("")}--xyz--\r\n`, "latin1");

describe("a multipart form", () => {
  it("has fields and files, these unchanged", () => {
    const read = readMultipart(
      body(
        'Content-Disposition: form-data; name="form"\r\n\r\ntoken',
        'Content-Disposition: form-data; name="file"; filename="a %22b%22.ics"\r\nContent-Type: text/calendar\r\n\r\n\xff\r\n--xy\r\n',
      ),
      type,
    );
    if (!read.ok) return expect.fail(read.failure);
    expect([...read.value.fields]).toEqual([["form", "token"]]);
    const file = read.value.files.get("file");
    expect(file?.name).toBe('a "b".ics');
    expect(file?.content.toString("latin1")).toBe("\xff\r\n--xy\r\n");
  });

  it.each([
    ["multipart/form-data", body("x"), "no boundary"],
    [type, Buffer.from("nothing"), "no part"],
    [type, body('Content-Disposition: form-data; name="a"\r\n\r\nb').subarray(0, -20), "cut"],
    [type, body("Content-Disposition: form-data\r\n\r\nb"), "no name"],
    [
      type,
      body(...Array(60).fill('Content-Disposition: form-data; name="a"\r\n\r\nb')),
      "more than",
    ],
  ])("is refused for %s: %#", (contentType, octets, reason) => {
    const read = readMultipart(octets, contentType);
    expect(read.ok ? "" : read.failure).toContain(reason);
  });
});
