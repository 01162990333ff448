import { describe, expect, it } from "vitest";
import { projectId, serviceId } from "../../../src/domain/ids.ts";
import { vtodo } from "../../edits/rig.ts";
import { startDav } from "../../support/dav-server.ts";
import { aTask, aTodolist } from "../../support/items.ts";
import { readMultistatus } from "../../support/multistatus.ts";
import { object } from "./object-rig.ts";

// What waits for a person has not happened: every address stays as it is until somebody agrees.

const home = "/dav/calendars/11/";
const [here, there] = [`${home}tasks-3001/`, `${home}tasks-3003/`];

/** A server in review mode with two lists and a task that has a name of its own. */
async function heldRig() {
  const dav = await startDav({ mode: "review" });
  const { store, call } = dav;
  store.directory.putTodolists(projectId(2001), [aTodolist(3001), aTodolist(3003)], true);
  store.mirror.put(aTask(601), "tasks:3001");
  const key = store.mirror.find("task", serviceId(601));
  if (key === null) throw new Error("the mirror has no task");
  const { uid } = store.mirror.identity(key);
  const old = `${here}${uid}.ics`;

  async function told(calendar: string, token: string) {
    const body = `<d:sync-collection xmlns:d="DAV:"><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`;
    const answer = readMultistatus((await call(`REPORT ${calendar}`, { body })).text);
    const names = answer.responses.map(({ href, status }) => [
      decodeURIComponent(href.split("/").at(-1) ?? ""),
      status ?? 200,
    ]);
    return { names: Object.fromEntries(names), token: answer.token ?? "" };
  }

  return {
    ...dav,
    uid,
    old,
    told,
    put: (path: string, item: string, headers: Readonly<Record<string, string>> = {}) =>
      call(`PUT ${path}`, {
        headers: { "content-type": "text/calendar", ...headers },
        body: object(item),
      }),
    status: async (path: string) => (await call(`GET ${path}`)).status,
    held() {
      const edits = store.journal.list({ state: "held", limit: 9 });
      if (edits.length === 0) throw new Error("nothing is held");
      return edits.map(({ id }) => id);
    },
    /** Expects the task where it was, under its name, and nothing else anywhere. */
    async expectAsBefore() {
      expect((await told(here, "")).names).toEqual({ [`${uid}.ics`]: 200 });
      expect((await told(there, "")).names).toEqual({});
      expect((await call(`GET ${old}`)).text).toContain("SUMMARY:Task 601");
    },
  };
}

type HeldRig = Awaited<ReturnType<typeof heldRig>>;

const ways: readonly (readonly [string, (rig: HeldRig) => Promise<{ readonly status: number }>])[] =
  [
    ["MOVE", (rig) => rig.call(`MOVE ${rig.old}`, { headers: { destination: `${there}m.ics` } })],
    ["PUT", (rig) => rig.put(`${there}m.ics`, vtodo(rig.uid, "SUMMARY:Task 601"))],
  ];

describe.each(ways)("a %s to another calendar that is held", (_way, go) => {
  it("leaves the item where it is, under its name, and tells the program so", async () => {
    const rig = await heldRig();
    const [before, beyond] = [await rig.told(here, ""), await rig.told(there, "")];
    expect((await go(rig)).status).toBe(202);
    await rig.expectAsBefore();
    expect(await rig.status(`${there}m.ics`)).toBe(404);
    expect((await rig.told(here, before.token)).names).toEqual({ [`${rig.uid}.ics`]: 200 });
    expect((await rig.told(there, beyond.token)).names).toEqual({ "m.ics": 404 });
  });

  it("has done nothing when it is discarded", async () => {
    const rig = await heldRig();
    await go(rig);
    for (const id of rig.held()) expect(rig.store.journal.discard(id)).toBe(true);
    await rig.expectAsBefore();
    expect(await rig.status(`${there}m.ics`)).toBe(404);
  });

  it("takes the item there under the name that was asked for when it is approved", async () => {
    const rig = await heldRig();
    await go(rig);
    const [before, beyond] = [await rig.told(here, ""), await rig.told(there, "")];
    for (const id of rig.held()) expect(rig.store.journal.resume(id)).toBe(true);
    expect(await rig.status(`${there}m.ics`)).toBe(200);
    expect(await rig.status(rig.old)).toBe(404);
    expect((await rig.told(here, before.token)).names).toEqual({ [`${rig.uid}.ics`]: 404 });
    expect((await rig.told(there, beyond.token)).names).toEqual({ "m.ics": 200 });
  });
});

describe("a creation that is held", () => {
  it("is not there and told as gone, and is there under its name when it is approved", async () => {
    const rig = await heldRig();
    const { token } = await rig.told(here, "");
    const answer = await rig.put(`${here}new.ics`, vtodo("new@program", "SUMMARY:New"));
    expect([answer.status, answer.headers["etag"]]).toEqual([202, undefined]);
    await rig.expectAsBefore();
    const later = await rig.told(here, token);
    expect(later.names).toEqual({ "new.ics": 404 });
    for (const id of rig.held()) rig.store.journal.resume(id);
    expect((await rig.told(here, later.token)).names).toEqual({ "new.ics": 200 });
  });
});
