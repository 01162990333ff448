import { expect, it as test } from "vitest";
import { projectId, serviceId } from "../../src/domain/ids.ts";
import { AppliedPages } from "../../src/sync/all-tasks.ts";
import type { MirrorScope } from "../../src/sync/sources-in-scope.ts";
import { countedSync } from "./support/counted-reads.ts";
import { roomy, runUntil, type Stage, stage } from "./support/stage.ts";
import { placeAt, viewInventory, workspaceInventory } from "./support/workspace.ts";

const reader = "this program";
const mostPages = 4;

/** Some pages, read by an earlier process. */
async function swept(now: () => Temporal.Instant = () => Temporal.Now.instant()) {
  const counts = { tasks: 200, eventsPerProject: 2 };
  const it = await stage({ size: "s", counts, quota: roomy, now, clock: now });
  const earlier = await begun(it);
  expect(pagesRead(earlier)).toBeGreaterThan(1);
  const place = placeAt(it, 0);
  const [task] = it.sandbox.workspace.tasks.list(place);
  if (!task) throw new Error("the workspace has no task");
  return { it, place, task: task.id };
}

/** Another process, once it has requested each page, and some again. */
async function begun(it: Stage, more: Parameters<typeof countedSync>[1] = { reader }) {
  it.asked();
  const counted = countedSync(it, more);
  const isPage = ({ path }: { readonly path: string }) => path.endsWith("/alltodo");
  // The next one is requested after one was read.
  await runUntil(counted, () => {
    const { fastPath } = counted.sync;
    if (fastPath.kind === "off" && fastPath.reason !== null) throw new Error(fastPath.reason);
    return it.sandbox.requests.entries().filter(isPage).length > 2 * mostPages;
  });
  return counted;
}

/** How many different pages were read: one shown before the changed list is read once more after that. */
const pagesRead = ({ read }: Pick<ReturnType<typeof countedSync>, "read">) =>
  new Set(read().filter((kind) => kind.startsWith("page"))).size;

const isEqual = (it: Stage) =>
  JSON.stringify(viewInventory(it)) === JSON.stringify(workspaceInventory(it));

test("pages that an earlier process has read are not decoded again, unless they differ", async () => {
  const { it, place, task } = await swept();
  expect(pagesRead(await begun(it))).toBe(0);
  expect(isEqual(it)).toBe(true);
  it.sandbox.workspace.tasks.update({ ...place, task }, { title: "Changed" });
  expect(pagesRead(await begun(it))).toBe(1);
  expect(isEqual(it)).toBe(true);
});

test("a kept page is valid while the mirror agrees, for the same program", async () => {
  const { it, place, task } = await swept();
  const { bodies, mirror } = it.store;
  const here = Array.from({ length: mostPages }, (_, page) => page).find((page) =>
    bodies.page(page)?.elements.includes(task),
  );
  const digest = here === undefined ? undefined : bodies.page(here)?.digest;
  const key = mirror.find("task", serviceId(task));
  const known = key === null ? null : mirror.get(key);
  if (here === undefined || digest === undefined || !known) throw new Error("no page has the task");
  const item = { ...known.item, id: serviceId(task) };
  const pagesOf = (by = reader, projects: MirrorScope["projects"] = "discover") => {
    const scope = { projects, people: [], discoverPeople: true };
    return new AppliedPages({ store: it.store, reader: by, scope });
  };
  const recalled = (...of: Parameters<typeof pagesOf>) => pagesOf(...of).recall(here, digest);

  expect(recalled()?.items).toContainEqual(item);
  expect(recalled("another program")).toBeNull();
  expect(
    recalled(reader, [{ id: projectId(place.project), name: null, todolists: "discover" }]),
  ).toBeNull();
  mirror.put({ ...item, title: "Never in the workspace" }, known.source);
  expect(recalled()).toBeNull();
  mirror.put(item, known.source);
  expect(recalled()).not.toBeNull();
  mirror.put(item, `tasks:${placeAt(it, 1).list}`);
  expect(recalled()).toBeNull();
  mirror.put(item, known.source);
  pagesOf().forget();
  expect(recalled()).toBeNull();
});

test("observed changes of pages are used by the next process, together with later ones", async () => {
  let ahead = 0;
  const clock = () => Temporal.Now.instant().add({ minutes: ahead });
  const { it, place, task } = await swept(clock);
  const { tasks } = it.sandbox.workspace;
  /** Changes that any page is believed to have had. */
  const believed = () =>
    Array.from({ length: mostPages }, (_, page) => it.store.beliefs.get(`alltodo:${page}`, 1))
      .map((row) => row?.changes ?? 0)
      .reduce((sum, changes) => sum + changes, 0);
  const { sync } = countedSync(it, { reader, clock });
  await runUntil({ sync }, () => sync.fastPath.kind === "used");
  const atFirst = believed();
  // Times of the service are whole seconds.
  ahead += 1;
  tasks.update({ ...place, task }, { title: "Changed" });
  await runUntil({ sync }, () => sync.fastPath.kind === "used" && isEqual(it));
  const changes = believed();
  expect(changes).toBeGreaterThan(atFirst);
  ahead += 1;
  tasks.update({ ...place, task }, { title: "Changed while nobody looked" });
  const later = countedSync(it, { reader, clock });
  await runUntil(later, () => later.sync.fastPath.kind === "used" && isEqual(it));
  expect(believed()).toBeGreaterThan(changes);
});
