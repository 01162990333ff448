import { expect, it } from "vitest";
import { ana, basic, bearer, startApp } from "../http/people-rig.ts";

it("a webhook for a project that its owner cannot see is answered as for one that does not exist", async () => {
  const rig = await startApp({ whole: true });
  const own = { authorization: basic("ana@example.com", rig.passwords.issue(ana)) };
  const create = async (project: number, headers: Record<string, string>) => {
    const body = JSON.stringify({ url: "https://hooks.example.com/a", project });
    const type = { "content-type": "application/json" };
    const { status, text } = await rig.call("POST /api/webhooks", {
      headers: { ...headers, ...type },
      body,
    });
    return [status, text.replaceAll(String(project), "ID")];
  };
  expect((await create(2001, own))[0]).toBe(201);
  expect((await create(2002, bearer.headers))[0]).toBe(201);
  expect(await create(2002, own)).toEqual(await create(9999, own));
  expect((await create(2002, own))[0]).toBe(404);
});
