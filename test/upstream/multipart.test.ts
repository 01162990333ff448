import { expect, test } from "vitest";
import { encodeForm } from "../../src/upstream/multipart.ts";

const bytes = new Uint8Array([0, 13, 10, 45, 45, 255, 226]);
const names: readonly (readonly [string, string])[] = [
  ["plan.pdf", "plan.pdf"],
  ['a "quoted" name.txt', 'a "quoted" name.txt'],
  ["ü 漢.png", "ü 漢.png"],
];

test.each(names)("encodeForm() keeps a file that is %s", async (name, told) => {
  const { type, octets } = encodeForm({
    fields: { project_id: "7", note: 'two\nlines; "q" = ü' },
    file: { field: "file", name, type: "image/png", content: bytes },
  });
  const form = await new Response(Buffer.from(octets), {
    headers: { "content-type": type },
  }).formData();
  const file = form.get("file");
  expect([...form.keys()]).toEqual(["project_id", "note", "file"]);
  expect(form.get("project_id")).toBe("7");
  expect(form.get("note")).toBe('two\r\nlines; "q" = ü');
  expect(file).toMatchObject({ name: told, type: "image/png" });
  expect(file instanceof File && new Uint8Array(await file.arrayBuffer())).toEqual(bytes);
});

test("encodeForm() lets no name and no type begin another line", () => {
  const { octets } = encodeForm({
    fields: { 'a"\r\nX: 1': "b" },
    file: { field: "file", name: "c\r\nY: 2\n", type: "text/plain\r\nZ: 3", content: bytes },
  });
  const text = Buffer.from(octets).toString("latin1");
  expect(text).toContain('name="a%22%0D%0AX: 1"');
  expect(text).toContain('filename="c%0D%0AY: 2%0D%0A"');
  expect(text).toContain("Content-Type: application/octet-stream\r\n");
  expect(text).not.toMatch(/^[XYZ]:/m);
});
