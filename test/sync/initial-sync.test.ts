import type { Fault } from "@dayferry/sandbox";
import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { roomy, runUntil, type Stage, stage } from "./support/stage.ts";
import { addEvent, addTask, placeAt } from "./support/workspace.ts";

/** What is known of each project, and of all. */
function known({ sync, sandbox }: Stage): readonly boolean[] {
  const projects = sandbox.workspace.places().map(({ project }) => projectId(project));
  return [...projects, null].map((project) => sync.hasRead(project));
}

function refuse({ sandbox }: Stage, path: RegExp, status = 403): void {
  sandbox.faults.add({ kind: "status", status, path, times: 10_000 });
}

type Row = Readonly<Record<string, unknown>>;

/** Changes the rows of a list until something else is set. */
function rewrite(
  { sandbox }: Stage,
  path: RegExp,
  change: (rows: readonly Row[]) => readonly Row[],
) {
  const transform = (json: unknown) => (Array.isArray(json) ? change(json) : json);
  sandbox.faults.add({ kind: "transform", path, transform, times: 10_000 });
}

const everything = /\/api\//;

describe("whether everything was read", () => {
  it("is stored in the data directory, whether the service responds or not", async () => {
    const here = await stage({ quota: roomy });
    expect(known(here)).toEqual([false, false, false]);
    await here.sweep();
    expect(known(here)).toEqual([true, true, true]);
    for (const fault of [{ kind: "html" }, { kind: "status", status: 403 }] satisfies Fault[]) {
      here.sandbox.faults.add({ ...fault, path: everything, times: 1000 });
      const next = here.again();
      expect(known(next)).toEqual([true, true, true]);
      await next.sweep();
      expect([known(next), next.sync.ready]).toEqual([[true, true, true], false]);
      here.sandbox.faults.clear();
    }
  });

  it("is known for parts of an interrupted first sync", async () => {
    const here = await stage({ quota: roomy });
    const { project } = placeAt(here, 1);
    here.sandbox.faults.add({ kind: "html", path: new RegExp(`/${project}/`), times: 1000 });
    await here.sweep();
    expect(known(here)).toEqual([true, false, false]);
    here.sandbox.faults.clear();
    const next = here.again();
    expect(known(next)).toEqual([true, false, false]);
    await next.sweep();
    expect(known(next)).toEqual([true, true, true]);
  });

  it("is reported for each project again after a restore", async () => {
    const here = await stage({ quota: roomy });
    await here.sweep();
    let isOpen = true;
    const rounds = {
      ...here.store.rounds,
      isReconciling: () => isOpen,
      reconciled() {
        isOpen = false;
      },
    };
    const restored = here.again({ store: { ...here.store, rounds } });
    const reread = () =>
      [...here.sandbox.workspace.places().map(({ project }) => projectId(project)), null].map(
        (project) => restored.sync.hasReadSinceRestore(project),
      );
    expect(reread()).toEqual([false, false, false]);
    const { project } = placeAt(here, 1);
    here.sandbox.faults.add({ kind: "html", path: new RegExp(`/${project}/`), times: 1000 });
    await restored.sweep();
    expect(reread()).toEqual([true, false, false]);
    here.sandbox.faults.clear();
    await restored.sweep();
    expect(reread()).toEqual([true, true, true]);
  });

  it("is found out if a process ended before it could be stored", async () => {
    const here = await stage({ quota: roomy });
    const { rounds } = here.store;
    const forgetful = { ...rounds, projectRead: () => undefined, allRead: () => undefined };
    const cut = here.again({ store: { ...here.store, rounds: forgetful } });
    await cut.sweep();
    const next = here.again();
    expect(known(next)).toEqual([false, false, false]);
    const stop = AbortSignal.abort();
    await next.sync.sweep({ signal: stop });
    expect(known(next)).toEqual([true, true, true]);
  });

  it("is separate for a new project", async () => {
    const here = await stage({ quota: roomy });
    const { project } = placeAt(here, 1);
    rewrite(here, /\/projects$/, (all) => all.filter(({ id }) => id !== project));
    await here.sweep();
    expect(known(here)).toEqual([true, false, true]);
    here.sandbox.faults.clear();
    here.sandbox.faults.add({ kind: "html", path: new RegExp(`/${project}/`), times: 1000 });
    const next = here.again();
    await next.sweep();
    expect(known(next)).toEqual([true, false, true]);
    expect(known(here.again())).toEqual([true, false, true]);
    here.sandbox.faults.clear();
    const last = here.again();
    await last.sweep();
    expect(known(last)).toEqual([true, true, true]);
  });

  it("does not change if a new list cannot be read", async () => {
    const here = await stage({ quota: roomy });
    const { list } = placeAt(here, 0);
    rewrite(here, /\/todolists$/, (all) => all.filter(({ id }) => id !== list));
    await here.sweep();
    here.sandbox.faults.clear();
    here.sandbox.faults.add({ kind: "html", path: new RegExp(`/${list}/tasks`), times: 1000 });
    const next = here.again();
    await next.sweep();
    expect(here.store.sources.all().map(({ name }) => name)).toContain(`tasks:${list}`);
    expect(known(next)).toEqual([true, true, true]);
    expect(known(here.again())).toEqual([true, true, true]);
  });

  it.each([403, 404])(
    "is true for a project of which one list always responds with %d",
    async (status) => {
      const here = await stage({ quota: roomy });
      const { project } = placeAt(here, 0);
      refuse(here, new RegExp(`/${project}/events$`), status);
      await here.sweep();
      expect([known(here), here.sync.ready]).toEqual([[true, true, true], true]);
      expect(known(here.again())).toEqual([true, true, true]);
    },
  );

  it("is false while everything below a project is refused", async () => {
    const here = await stage({ quota: roomy });
    refuse(here, new RegExp(`/${placeAt(here, 0).project}/`));
    await here.sweep();
    expect(known(here)).toEqual([false, true, true]);
  });

  it("is true if one project refuses everything for good and the others were read", async () => {
    const here = await stage({ quota: roomy });
    const { project } = placeAt(here, 1);
    refuse(here, new RegExp(`/${project}/`));
    await here.sweep();
    expect(known(here)).toEqual([true, false, true]);
    here.sandbox.faults.clear();
    const next = here.again();
    await next.sweep();
    expect(known(next)).toEqual([true, true, true]);
  });

  it("is not decided during a time in which everything is refused", async () => {
    const here = await stage({ quota: roomy, maxAge: Temporal.Duration.from({ seconds: 5 }) });
    const { project } = placeAt(here, 0);
    addTask(here, placeAt(here, 0), { title: "Not to be missed" });
    const stop = new AbortController();
    await here.sync.sweep({
      signal: stop.signal,
      // The key is refused from the moment when the project's events were read.
      onProgress() {
        const read = here.store.sources.all().find(({ name }) => name === `events:${project}`);
        if (read?.succeededAt) refuse(here, everything);
      },
    });
    for (const _ of ["in the end of the sweep", "asked again"]) {
      const whole = here.store.sources
        .all()
        .filter(({ source }) => "projectId" in source && source.projectId === project)
        .every(({ succeededAt }) => succeededAt !== null);
      expect(here.sync.hasRead(projectId(project))).toBe(whole);
      const asked = here.sandbox.requests.entries().length;
      await runUntil(here, () => here.sandbox.requests.entries().length > asked + 8);
    }
    here.sandbox.faults.clear();
    await runUntil(here, () => known(here).every(Boolean));
    const sources = here.store.sources.all().filter(({ source }) => source.kind === "tasks");
    expect(sources.filter(({ succeededAt }) => succeededAt === null)).toEqual([]);
  });

  it("is false for a part missing from the configuration, and true for what was complete", async () => {
    const here = await stage({ quota: roomy });
    const [one, two] = [placeAt(here, 0), placeAt(here, 1)];
    addEvent(here, two);
    here.sandbox.faults.add({ kind: "html", path: new RegExp(`/${two.list}/tasks`), times: 1000 });
    await here.sweep();
    expect(known(here)).toEqual([true, false, false]);
    const only = (project: number) => ({
      projects: [{ id: projectId(project), name: "Only", todolists: "discover" as const }],
      people: [],
      discoverPeople: true,
    });
    const less = here.again({ scope: only(one.project) });
    await less.sweep();
    expect(known(less)).toEqual([true, false, true]);
    here.sandbox.faults.clear();
    const other = here.again({ scope: only(two.project) });
    await other.sweep();
    expect(known(other)).toEqual([true, true, true]);
  });

  it("is true for an archived project, which has nothing to read", async () => {
    const here = await stage({ quota: roomy });
    rewrite(here, /\/projects$/, ([first, ...rest]) => [{ ...first, archived: true }, ...rest]);
    await here.sweep();
    expect(known(here)).toEqual([true, true, true]);
    const next = here.again();
    expect(known(next)).toEqual([true, true, true]);
    here.sandbox.faults.clear();
    here.sandbox.faults.add({ kind: "html", path: /\/events$/, times: 1000 });
    await next.sweep();
    expect(known(next)).toEqual([false, true, true]);
  });
});
