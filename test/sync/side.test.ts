import { describe, expect, it } from "vitest";
import { folderId, projectId, serviceId } from "../../src/domain/ids.ts";
import { untilHung } from "../support/eventually.ts";
import { handClock } from "../support/test-store.ts";
import { roomy, runUntil, type Stage, type StageOptions, stage } from "./support/stage.ts";
import { addTask, placeAt } from "./support/workspace.ts";

const everything = { comments: true, history: true, files: true };
const nothing = { comments: false, history: false, files: false };

/** A workspace with two tasks, one of which has a comment and a history of one entry. */
async function world(options: Partial<StageOptions> = {}) {
  // A clock that stands still: nothing ages by itself.
  const now = handClock("2026-11-20T12:00:00Z");
  const it = await stage({ quota: roomy, now, side: everything, ...options });
  const place = placeAt(it, 0);
  const talked = addTask(it, place, { title: "Talked about", due_date: "2026-12-01" });
  const quiet = addTask(it, place, { title: "Quiet" });
  const { comments, tasks } = it.sandbox.workspace;
  const at = (task: number) => ({ ...place, task });
  const say = (task: number, description: string) => comments.create(at(task), { description }).id;
  const change = (task: number, body: object) => tasks.update(at(task), body);
  say(talked, "Looks good");
  change(talked, { title: "Talked about a lot" });
  await it.sweep();
  return { it, now, place, talked, quiet, at, say, change };
}

const readAll = async ({ sync }: Stage) => sync.readSide({ signal: untilHung(), most: 1000 });

const besides = (requests: readonly string[]) =>
  requests.filter((request) => /comments|history|folders|files/.test(request));

const texts = ({ store }: Stage, task: number) =>
  store.comments.ofTask(serviceId(task)).map(({ description }) => description);

it("a sweep reads only items, whatever else is wanted", async () => {
  const { it: here } = await world();
  expect(besides(here.asked())).toEqual([]);
});

describe("reading details", () => {
  it("mirrors comments, history with its detail, folders and files", async () => {
    const { it: here, place, talked, quiet } = await world();
    const { files } = here.sandbox.workspace;
    const [folder = 0] = here.sandbox.workspace.places()[0]?.folders ?? [];
    const content = { name: "plan.txt", type: "text/plain", bytes: Buffer.from("plan") };
    const upload: { file_id?: number } = files.upload(place, content);
    files.create({ ...place, folder }, { attachments: [upload.file_id] });
    await readAll(here);
    expect(texts(here, talked)).toEqual(["Looks good"]);
    expect(texts(here, quiet)).toEqual([]);
    const [entry] = here.store.history.ofTask(serviceId(talked));
    expect(entry).toMatchObject({ action: "Updated", personId: here.by });
    expect(entry?.content).toContain("Talked about a lot");
    const project = projectId(place.project);
    const known = here.store.files.folders(project).map(({ id }) => id);
    expect(known).toContain(folder);
    expect(here.store.files.ofFolder(folderId(folder))).toMatchObject([
      { name: "plan.txt", byteSize: 4, byMe: true },
    ]);
  });

  it("makes no request if nothing has changed, even after a restart", async () => {
    const { it: here } = await world();
    await readAll(here);
    here.asked();
    await here.sweep();
    expect(await readAll(here)).toBe(0);
    const later = here.again();
    await later.sweep();
    expect(await readAll(later)).toBe(0);
    expect(besides(here.asked())).toEqual([]);
  });

  it("reads the comments only of the task that has a new one", async () => {
    const { it: here, talked, quiet, say, place } = await world();
    await readAll(here);
    say(quiet, "First");
    await here.sweep();
    here.asked();
    await readAll(here);
    const path = `/api/v3/projects/${place.project}/todolists/${place.list}/tasks/${quiet}`;
    // The list contains the count of comments, so that its history may have changed, too.
    expect(besides(here.asked())).toEqual([`GET ${path}/comments`, `GET ${path}/history`]);
    expect([texts(here, talked), texts(here, quiet)]).toEqual([["Looks good"], ["First"]]);
  });

  it("reads the detail of new entries only", async () => {
    const { it: here, talked, change } = await world();
    await readAll(here);
    change(talked, { due_date: "2026-12-02" });
    await here.sweep();
    here.asked();
    await readAll(here);
    const asked = besides(here.asked()).filter((request) => request.includes("/history"));
    expect(asked.map((request) => request.replace(/.*\/history/, "history"))).toEqual([
      "history",
      expect.stringMatching(/^history\/\d+$/),
    ]);
    const details = here.store.history.ofTask(serviceId(talked)).map(({ content }) => content);
    expect(details).toHaveLength(2);
    expect(details.every((content) => content !== null)).toBe(true);
  });

  it("marks a deleted comment as gone, and reads old files again", async () => {
    const { it: here, now, talked, at } = await world();
    await readAll(here);
    const { comments } = here.sandbox.workspace;
    const [first] = comments.list(at(talked));
    comments.remove({ ...at(talked), comment: first?.id ?? 0 });
    now.advance({ minutes: 16 });
    await here.sweep();
    here.asked();
    await readAll(here);
    expect(texts(here, talked)).toEqual([]);
    const asked = besides(here.asked());
    expect(asked.some((request) => request.endsWith("/folders"))).toBe(true);
    expect(asked.some((request) => request.endsWith("/files"))).toBe(true);
  });

  it("continues after a failure, keeps what it had, and returns to the rest", async () => {
    const { it: here, now, talked } = await world({ side: { ...nothing, history: true } });
    here.sandbox.faults.add({ kind: "status", status: 404, path: /\/history\/\d+$/ });
    here.sandbox.faults.add({ kind: "html", path: /\/history$/ });
    await readAll(here);
    expect(here.events.filter(({ kind }) => kind === "failed")).toHaveLength(1);
    now.advance({ minutes: 1 });
    await readAll(here);
    const [entry] = here.store.history.ofTask(serviceId(talked));
    // What the service does not show is not requested again.
    expect(entry).toMatchObject({ content: null });
    expect(entry?.detailedAt).not.toBeNull();
    await here.sweep();
    here.asked();
    await readAll(here);
    expect(besides(here.asked())).toEqual([]);
  });

  it("reads what the configuration wants, from the folders it names", async () => {
    const { it: here, place } = await world({ side: nothing });
    expect(await readAll(here)).toBe(0);
    const [folder = 0] = here.sandbox.workspace.places()[0]?.folders ?? [];
    const project = { id: projectId(place.project), name: "One", todolists: "discover" } as const;
    const scope = {
      projects: [{ ...project, folders: [folderId(folder)] }],
      people: [],
      discoverPeople: false,
    };
    const configured = here.again({ scope, side: { ...nothing, files: true } });
    await configured.sweep();
    here.asked();
    await readAll(configured);
    expect(besides(here.asked())).toEqual([
      `GET /api/v3/projects/${place.project}/folders/${folder}/files`,
    ]);
  });

  it("stops after the given number of lists", async () => {
    const { it: here } = await world();
    expect(await here.sync.readSide({ signal: untilHung(), most: 1 })).toBe(1);
  });
});

it("details are read automatically once the items are there", async () => {
  const { it: here, talked } = await world();
  const fresh = here.again();
  await runUntil(fresh, () => fresh.store.history.ofTask(serviceId(talked)).length > 0);
  expect(texts(fresh, talked)).toEqual(["Looks good"]);
  expect(fresh.sync.ready).toBe(true);
});
