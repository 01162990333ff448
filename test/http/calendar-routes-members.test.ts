import { expect, it } from "vitest";
import type { PersonId } from "../../src/domain/ids.ts";
import { ana, ben, startApp } from "./people-rig.ts";

/** The pages as a member's browser sees them: Ana's project has "Review", Ben's has "Secret", and Ben may only read. */
async function membersRig() {
  const rig = await startApp();
  const form = { "content-type": "application/x-www-form-urlencoded" };
  async function member(person: PersonId, email: string) {
    const { headers } = await rig.call("POST /login", {
      headers: form,
      body: new URLSearchParams({ login: email, password: rig.passwords.issue(person) }).toString(),
    });
    const cookie = headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const get = (path: string) => rig.call(`GET ${path}`, { headers: { cookie } });
    const token = /name="form" value="([^"]+)"/.exec((await get("/calendar")).text)?.[1] ?? "";
    return {
      get,
      post: (path: string, fields: Readonly<Record<string, string>>) =>
        rig.call(`POST ${path}`, {
          headers: { cookie, ...form },
          body: new URLSearchParams({ form: token, ...fields }).toString(),
        }),
    };
  }
  const [review, secret] = rig.store.view
    .daysBetween({
      from: Temporal.PlainDate.from("2026-11-01"),
      to: Temporal.PlainDate.from("2026-12-01"),
      zone: "Europe/Berlin",
    })
    .map(({ key }) => key)
    .toSorted((a, b) => a - b);
  return { ...rig, member, review, secret, edits: () => rig.store.journal.list({ limit: 10 }) };
}

const month = "/calendar/events.json?from=2026-11-01&to=2026-12-01";

it("shows a member only items of their own projects", async () => {
  const { member, secret, edits } = await membersRig();
  const { get, post } = await member(ana, "ana@example.com");
  const { text } = await get(month);
  expect(text).toContain("Review");
  expect(text).not.toContain("Secret");
  expect((await get("/calendar?on=2026-11-20")).text).not.toContain("Secret");
  const start = (await get("/")).text;
  expect(start).toContain("Review");
  expect(start).not.toContain("Secret");
  expect(await get(`/calendar/items/${secret}`)).toMatchObject({ status: 404 });
  const change = { title: "Known", sequence: "0", step: "apply" };
  expect(await post(`/calendar/items/${secret}`, change)).toMatchObject({ status: 404 });
  expect(await post(`/calendar/items/${secret}/delete`, { step: "apply" })).toMatchObject({
    status: 404,
  });
  expect(edits()).toEqual([]);
});

it("records a member's change under their name, and refuses new items in other projects", async () => {
  const { member, review, edits } = await membersRig();
  const { post } = await member(ana, "ana@example.com");
  await post(`/calendar/items/${review}`, { title: "Second review", sequence: "0", step: "apply" });
  expect(edits()).toMatchObject([{ actor: ana, channel: "dashboard" }]);
  const foreign = { kind: "event", project: "2002", title: "Party", startOn: "2026-11-26" };
  const refused = await post("/calendar/new", { ...foreign, allDay: "yes", step: "apply" });
  expect(refused).toMatchObject({ status: 422 });
  expect(refused.text).toContain("Choose a project.");
  expect(edits()).toHaveLength(1);
});

it("offers a read-only person no form, and accepts none", async () => {
  const { member, secret, edits } = await membersRig();
  const { get, post } = await member(ben, "ben@example.com");
  expect((await get("/calendar?on=2026-11-20")).text).not.toContain("calendar/new");
  const { text } = await get(`/calendar/items/${secret}`);
  expect(text).toContain("Secret");
  expect(text).not.toContain("<textarea");
  const change = { title: "Mine", sequence: "0", step: "apply" };
  expect(await post(`/calendar/items/${secret}`, change)).toMatchObject({ status: 403 });
  expect(await post(`/calendar/items/${secret}/delete`, { step: "apply" })).toMatchObject({
    status: 403,
  });
  expect(edits()).toEqual([]);
});
