import { expect, test } from "vitest";
import { labelId } from "../../src/domain/ids.ts";
import { edit, expectRefused, newTask, startPair, worked } from "./pair.ts";

test("comments are created, listed, read, changed and deleted", async () => {
  const { upstream, project, list, owner, last } = await startPair();
  const taskId = await newTask(upstream, { projectId: project, listId: list });
  const parent = { projectId: project, listId: list, taskId };
  const base = `/projects/${project}/todolists/${list}/tasks/${taskId}/comments`;
  const comment = worked(await upstream.comments.create({ ...parent, description: "Good" }, edit));
  expect(last()).toMatchObject({
    method: "POST",
    path: base,
    status: 200,
    body: { description: "Good" },
  });
  expect(comment).toMatchObject({ ...parent, description: "Good", creatorId: owner, byMe: true });
  expect(comment.createdAt).not.toBeNull();
  const place = { ...parent, id: comment.id };
  expect(worked(await upstream.comments.list(parent, edit))).toEqual({
    items: [comment],
    problems: [],
    received: 1,
  });
  expect(worked(await upstream.comments.get(place, edit))).toEqual(comment);
  const changed = worked(await upstream.comments.update({ ...place, description: "Better" }, edit));
  expect(last()).toMatchObject({ method: "PUT", path: `${base}/${comment.id}`, status: 200 });
  expect(changed.description).toBe("Better");
  expect(await upstream.comments.delete(place, edit)).toEqual({ ok: true, value: null });
  expect(last()).toMatchObject({ method: "DELETE", status: 204 });
  expectRefused(await upstream.comments.get(place, edit), 404);
});

test("history lists changes and has the detail of an entry", async () => {
  const { upstream, project, list, owner, last } = await startPair();
  const taskId = await newTask(upstream, { projectId: project, listId: list });
  const parent = { projectId: project, listId: list, taskId };
  await upstream.tasks.update({ ...parent, id: taskId, patch: { title: "Renamed" } }, edit);
  const snapshot = worked(await upstream.history.list(parent, edit));
  expect(snapshot).toMatchObject({ problems: [], received: 1 });
  const [entry] = snapshot.items;
  expect(entry).toMatchObject({ ...parent, personId: owner, action: "Updated" });
  expect(entry?.activityAt).not.toBeNull();
  expect(entry?.on).not.toBeNull();
  if (!entry) return;
  const detail = worked(await upstream.history.detail({ ...parent, id: entry.id }, edit));
  expect(last().path).toBe(
    `/projects/${project}/todolists/${list}/tasks/${taskId}/history/${entry.id}`,
  );
  expect(detail).toContain("Renamed");
});

test("labels are created, listed, read, renamed and deleted", async () => {
  const { upstream, last } = await startPair();
  const label = worked(await upstream.labels.create({ name: "Blocked" }, edit));
  expect(last()).toMatchObject({
    method: "POST",
    path: "/labels",
    status: 200,
    body: { name: "Blocked" },
  });
  expect(label.color).toMatch(/^#[0-9a-fA-F]{6}$/);
  const all = worked(await upstream.labels.list(edit));
  expect(all.problems).toEqual([]);
  expect(all.items).toContainEqual(label);
  expect(worked(await upstream.labels.get(label.id, edit))).toEqual(label);
  const renamed = worked(await upstream.labels.rename({ id: label.id, name: "Waiting" }, edit));
  expect(last()).toMatchObject({ method: "PUT", status: 200, body: { name: "Waiting" } });
  expect(renamed).toEqual({ ...label, name: "Waiting" });
  expect(await upstream.labels.delete(label.id, edit)).toEqual({ ok: true, value: null });
  expect(last()).toMatchObject({ method: "DELETE", status: 204 });
  expectRefused(await upstream.labels.get(labelId(label.id), edit), 404);
});

const content = new TextEncoder().encode("PNG? no: ü and \u0000 and 漢");

test("an uploaded file is filed into its folder, listed and deleted", async () => {
  const { upstream, sandbox, project, folder, owner, last } = await startPair();
  const upload = { projectId: project, name: 'plan "ü".png', type: "image/png", content };
  const { fileId } = worked(await upstream.attachments.upload(upload, edit));
  expect(last()).toMatchObject({ method: "POST", path: "/upload" });
  expect(sandbox.requests.entries().at(-1)?.headers).toMatchObject({
    "x-api-key": expect.stringMatching(/./),
    "content-type": expect.stringMatching(/^multipart\/form-data; boundary=/),
  });

  const place = { projectId: project, folderId: folder };
  const { ids } = worked(await upstream.files.create({ ...place, fileIds: [fileId] }, edit));
  expect(last()).toMatchObject({
    path: `/projects/${project}/folders/${folder}/files`,
    status: 201,
    body: { attachments: [Number(fileId)] },
  });
  expect(ids).toHaveLength(1);
  const snapshot = worked(await upstream.files.list(place, edit));
  expect(snapshot.problems).toEqual([]);
  const file = snapshot.items.find((one) => ids.includes(one.id));
  expect(file).toMatchObject({
    ...place,
    name: 'plan "ü".png',
    byteSize: content.byteLength,
    fileType: "png",
    source: "upload",
    creatorId: owner,
    byMe: true,
  });
  if (!file) return;
  const held = sandbox.workspace.files.content({ by: owner, file: file.id });
  expect(new Uint8Array(held.bytes)).toEqual(content);
  expect(held.type).toBe("image/png");
  expect(await upstream.files.delete({ ...place, id: file.id }, edit)).toEqual({
    ok: true,
    value: null,
  });
  expect(last()).toMatchObject({ method: "DELETE", status: 204 });
  expectRefused(await upstream.files.delete({ ...place, id: file.id }, edit), 404);
});

test("an uploaded file can be attached to a new task and a new subtask", async () => {
  const { upstream, sandbox, project, list, folder, last } = await startPair();
  const upload = { projectId: project, name: "a.txt", type: "text/plain", content };
  const { fileId } = worked(await upstream.attachments.upload(upload, edit));
  const place = { projectId: project, listId: list };
  const attachments = [{ fileId, folderId: folder }];
  worked(await upstream.tasks.create({ ...place, patch: { title: "T" }, attachments }, edit));
  expect(last()).toMatchObject({
    status: 200,
    body: { title: "T", attachments: [{ id: fileId, folder }] },
  });
  const taskId = await newTask(upstream, place);
  const part = { ...place, taskId, patch: { title: "S" }, attachments };
  worked(await upstream.subtasks.create(part, edit));
  expect(last()).toMatchObject({
    status: 200,
    body: { title: "S", attachments: [{ id: fileId }] },
  });
  expect(
    sandbox.requests.entries().every((entry) => entry.headers["user-agent"] !== undefined),
  ).toBe(true);
});

test("files.create() is refused for an ID that was never uploaded", async () => {
  const { upstream, project, folder } = await startPair();
  const wish = { projectId: project, folderId: folder, fileIds: ["999999"] };
  expect(await upstream.files.create(wish, edit)).toMatchObject({
    ok: false,
    failure: { kind: "refused" },
  });
});
