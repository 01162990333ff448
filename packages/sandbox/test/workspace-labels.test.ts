import { expect, test } from "vitest";
import { at, idOf, items, startRigWithTask } from "./rig.ts";

test("LabelWork keeps names unique and removes a deleted label from tasks", async () => {
  const rig = await startRigWithTask();
  const { path } = rig;
  const create = (name: unknown) => rig.call("POST /labels", { body: { name } });
  const one = (await create("Urgent")).json;
  expect(one).toEqual({ id: 501, name: "Urgent", color: expect.stringMatching(/^#[0-9a-f]{6}$/) });
  const two = (await create("idea")).json;
  for (const name of ["urgent", "", 5, undefined]) expect((await create(name)).status).toBe(400);
  const rename = (name: string) => rig.call(`PUT /labels/${idOf(one)}`, { body: { name } });
  expect((await rename("IDEA")).status).toBe(400);
  expect((await rename("URGENT")).json).toEqual({ ...Object(one), name: "URGENT" });
  await rig.call(`PUT ${path}`, { body: { labels: [idOf(one), idOf(two)] } });
  await rig.call(`DELETE /labels/${idOf(one)}`);
  expect(at((await rig.call(`GET ${path}`)).json, "labels")).toEqual([idOf(two)]);
  expect(items((await rig.call("GET /labels")).json)).toEqual([two]);
});
