import { expect, test } from "vitest";
import { at, idOf, items, type Rig, startRig } from "./rig.ts";

const bytes = Buffer.from([0, 1, 2, 250, 255, 13, 10, 45, 45]);

async function sendForm(rig: Rig, fill: (form: FormData) => void) {
  const form = new FormData();
  fill(form);
  const request = new Response(form);
  const type = request.headers.get("content-type") ?? "";
  const sent = new Uint8Array(await request.arrayBuffer());
  const { uploadUrl } = rig.sandbox;
  return rig.call(`POST ${uploadUrl}`, { bytes: sent, headers: { "content-type": type } });
}

function sendRaw(rig: Rig, query: string, type = "image/png") {
  const headers = { "content-type": type };
  return rig.call(`POST ${rig.sandbox.uploadUrl}?${query}`, { bytes, headers });
}

test("uploads in both forms can be filed and read back byte by byte", async () => {
  const rig = await startRig();
  const form = await sendForm(rig, (it) => {
    it.set("project_id", "2001");
    it.set("file", new File([bytes], 'Plän "a".PNG', { type: "image/png" }));
  });
  expect(form.status).toBe(200);
  const raw = await sendRaw(rig, "project_id=2001&name=raw.png");
  expect(raw.status).toBe(200);
  expect(at(form.json, "file_id")).toBeTypeOf("number");

  const folder = "/projects/2001/folders/4001/files";
  const body = { attachments: [idOf(form.json), String(idOf(raw.json))] };
  const filed = await rig.call(`POST ${folder}`, { body });
  expect(filed.status).toBe(201);
  expect(items(filed.json)).toHaveLength(2);
  expect((await rig.call(`GET ${folder}`)).json).toEqual(filed.json);
  expect(items(filed.json)[0]).toEqual({
    id: 8001,
    name: 'Plän "a".PNG',
    byte_size: 9,
    created_at: "2026-03-10T11:00:00+00:00",
    updated_at: "2026-03-10T11:00:00+00:00",
    source: "upload",
    approved_by_me: false,
    approved_count: 0,
    approved_by: null,
    by_me: true,
    file_type: "png",
    proof_count: 0,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/files\/8001\//),
    creator: { id: 11 },
  });
  expect(at(items(filed.json)[1], "byte_size")).toBe("9");
  for (const file of items(filed.json)) {
    const content = await rig.call(`GET ${String(at(file, "url"))}`);
    expect(content.headers["content-type"]).toBe("image/png");
    expect(content.bytes.equals(bytes)).toBe(true);
    expect(
      (await rig.call(`GET ${String(at(file, "url"))}`, { key: rig.key("Elif") })).status,
    ).toBe(403);
  }
  expect((await rig.call(`DELETE ${folder}/8001`)).status).toBe(204);
  expect((await rig.call(`DELETE ${folder}/8001`)).status).toBe(404);
  expect(items((await rig.call(`GET ${folder}`)).json)).toHaveLength(1);
});

test("FileWork.create() files one id into the named folder, or home, and answers an object", async () => {
  const rig = await startRig({ size: "s" });
  const folders = rig.sandbox.workspace.places()[0]?.folders ?? [];
  const [home, inner] = folders;
  const upload = idOf((await sendRaw(rig, "project_id=2001")).json);
  const file = (body: object) =>
    rig.call(`POST /projects/2001/folders/${inner}/files`, {
      body: { ...body, attachments: upload },
    });
  const count = async (folder: number | undefined) =>
    items((await rig.call(`GET /projects/2001/folders/${folder}/files`)).json).length;
  const before = [await count(home), await count(inner)] as const;
  expect((await file({})).json).toMatchObject({ name: "upload.png" });
  expect((await file({ folder: inner })).status).toBe(201);
  expect([await count(home), await count(inner)]).toEqual([before[0] + 1, before[1] + 1]);
  expect((await file({ folder: 1 })).status).toBe(400);
});

test.each([
  ["nothing", {}],
  ["an empty array", { attachments: [] }],
  ["an unknown id", { attachments: [1] }],
  ["an object", { attachments: { id: 1 } }],
])("FileWork.create() answers 400 for %s", async (_, body) => {
  const rig = await startRig();
  expect((await rig.call("POST /projects/2001/folders/4001/files", { body })).status).toBe(400);
});

test("FileWork.create() answers 400 for an upload of another project", async () => {
  const rig = await startRig();
  const upload = idOf((await sendRaw(rig, "project_id=2002")).json);
  const body = { attachments: [upload] };
  expect((await rig.call("POST /projects/2001/folders/4001/files", { body })).status).toBe(400);
});

test("uploads are refused without project, file, type, access or key", async () => {
  const rig = await startRig();
  const { uploadUrl } = rig.sandbox;
  const headers = { "content-type": "image/png" };
  expect((await sendRaw(rig, "name=x.png")).status).toBe(400);
  expect((await sendRaw(rig, "project_id=9")).status).toBe(404);
  expect((await sendRaw(rig, "project_id=2001", "multipart/form-data; boundary=x")).status).toBe(
    400,
  );
  expect((await sendForm(rig, (it) => it.set("project_id", "2001"))).status).toBe(400);
  expect((await rig.call(`POST ${uploadUrl}`, { bytes })).status).toBe(415);
  expect((await rig.call(`POST ${uploadUrl}`, { bytes, headers, key: null })).status).toBe(403);
  const client = { bytes, headers, key: rig.key("Farid") };
  expect((await rig.call(`POST ${uploadUrl}?project_id=2001`, client)).status).toBe(403);
  expect((await rig.call(`GET ${uploadUrl}`)).status).toBe(405);
});

test("tasks and subtasks take and file uploads", async () => {
  const rig = await startRig();
  const upload = idOf((await sendRaw(rig, "project_id=2001&name=a.png")).json);
  const tasks = "/projects/2001/todolists/3001/tasks";
  const body = { title: "T", attachments: [{ id: String(upload), folder: 4001 }] };
  const task = (await rig.call(`POST ${tasks}`, { body })).json;
  const shown = [{ id: upload, name: "a.png", byte_size: 9, file_type: "png" }];
  expect(at(task, "attachments")).toEqual(shown);
  const path = `${tasks}/${idOf(task)}/subtasks`;
  const subtask = { title: "S", attachments: [{ id: String(upload) }] };
  expect(at((await rig.call(`POST ${path}`, { body: subtask })).json, "attachments")).toEqual(
    shown,
  );
  expect(items((await rig.call("GET /projects/2001/folders/4001/files")).json)).toHaveLength(2);
  const wrong = {
    title: "T",
    attachments: [{ id: String(upload) }, { id: String(upload), folder: 4002 }],
  };
  expect((await rig.call(`POST ${tasks}`, { body: wrong })).status).toBe(400);
  expect(items((await rig.call("GET /projects/2001/folders/4001/files")).json)).toHaveLength(2);
});
