import { expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { anEvent } from "../support/items.ts";
import { ana, basic, bearer, startApp } from "./people-rig.ts";

it("GET /api/summary says how far the sync is and what waits, to a person about their projects only", async () => {
  const rig = await startApp();
  const { store } = rig;
  const events = { kind: "events", projectId: projectId(2001) } as const;
  store.sources.put([events, { ...events, projectId: projectId(2002) }]);
  store.sources.attempted(events, rig.clock());
  store.sources.succeeded(events, { items: 1, gaps: null });
  store.journal.append({
    ...{ channel: "upload", actor: ana, item: store.mirror.createIdentity("event", "x@y") },
    ...{ action: "create", base: { ...anEvent(9), id: null }, patch: {}, newLabels: [] },
    state: "held",
  });
  const own = { authorization: basic("ana@example.com", rig.passwords.issue(ana)) };
  const read = async (headers: Record<string, string>) =>
    JSON.parse((await rig.call("GET /api/summary", { headers })).text);
  const [admin, member] = [await read(bearer.headers), await read(own)];
  expect(admin).toMatchObject({
    ...{ state: "first-sync", pendingEdits: 0, waitingEdits: 1, problems: [] },
    text: expect.stringMatching(/^First sync · \d/),
    projects: [{ id: 2001, title: "Website", syncedAt: "2026-11-21T09:00:00Z" }, { id: 2002 }],
  });
  expect(member).toMatchObject({ waitingEdits: 1, projects: [{ id: 2001 }] });
  expect(member.projects).toHaveLength(1);
});
