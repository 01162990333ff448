import { expect, test } from "vitest";
import { idOf, startRigWithTask } from "./rig.ts";

test("CommentWork counts comments, and changes only their text", async () => {
  const rig = await startRigWithTask();
  const { path, task } = rig;
  const body = { description: "Hello\n<b>you</b>" };
  const made = (await rig.call(`POST ${path}/comments`, { body, key: rig.key("Ben") })).json;
  expect(made).toEqual({
    id: 6_000_000_001,
    description: body.description,
    created_at: "2026-03-10T11:00:00+00:00",
    by_me: true,
    comments_count: 1,
    list: { id: 3001 },
    project: { id: 2001 },
    creator: { id: 12 },
    task: { id: idOf(task) },
  });
  const one = `${path}/comments/${idOf(made)}`;
  const edited = await rig.call(`PUT ${one}`, { body: { description: "Changed" } });
  expect(edited.json).toEqual({ ...Object(made), description: "Changed", by_me: false });
  expect((await rig.call(`GET ${path}`)).json).toEqual({ ...Object(task), comments: 1 });
  for (const wrong of [{ description: " " }, { description: null }])
    expect((await rig.call(`PUT ${one}`, { body: wrong })).status).toBe(400);
  expect((await rig.call(`POST ${path}/comments`, { body: {} })).status).toBe(400);
});
