import type { Fault } from "../../src/sandbox/faults.ts";
import type { RequestEntry } from "../../src/sandbox/request-log.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { insist } from "../../src/sandbox/work-outcome.ts";
import { eventually } from "../support/eventually.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

export type Kind = "event" | "task";

/** What the edits of one cell do to items that exist; a creation is the fourth. */
export const deeds = ["update", "complete", "delete"] as const;
/** As many as the daemon has drains, so that all edits of a cell can stand at the same step. */
export const editsPerCell = deeds.length + 1;

export const newTitle = (cell: string): string => `new ${cell}`;
export const changedTitle = (cell: string): string => `changed ${cell}`;

/** A workspace with items of one kind, made before anybody looks, and what the service saw of the edits to them. */
export class CrashWorkspace {
  readonly kind: Kind;
  readonly sandbox: Sandbox;
  readonly #ids: ReadonlyMap<string, number>;
  #begun = 0;

  private constructor(
    kind: Kind,
    { sandbox, ids }: { readonly sandbox: Sandbox; readonly ids: ReadonlyMap<string, number> },
  ) {
    this.kind = kind;
    this.sandbox = sandbox;
    this.#ids = ids;
  }

  static async start(kind: Kind, titles: readonly string[]): Promise<CrashWorkspace> {
    const sandbox = await testSandbox({ quota: { requests: 25, perMs: 2000 } });
    const ids = new Map(titles.map((title) => [title, make(sandbox, { kind, title })]));
    return new CrashWorkspace(kind, { sandbox, ids });
  }

  get place() {
    return placeOf(this.sandbox);
  }

  id(title: string): number {
    const id = this.#ids.get(title);
    if (id === undefined) throw new Error(`nothing was made for ${title}`);
    return id;
  }

  /** From here on the requests are those of the next cell. */
  begin(): void {
    this.#begun = this.sandbox.requests.entries().length;
  }

  /** Has one fault meet the request that carries out each of the cell's edits. */
  strike(cell: string, fault: Fault): void {
    const { faults } = this.sandbox;
    faults.add({ ...fault, method: "POST" });
    for (const deed of deeds) {
      const method = deed === "delete" ? "DELETE" : "PUT";
      faults.add({ ...fault, method, path: this.pathTo(`${deed} ${cell}`) });
    }
  }

  pathTo(title: string): RegExp {
    return new RegExp(`/${this.id(title)}$`);
  }

  /** Requests since the cell began that change something of it. */
  writes(cell: string): readonly RequestEntry[] {
    const paths = deeds.map((deed) => this.pathTo(`${deed} ${cell}`));
    return this.#seen().filter(({ method, path }) => {
      return method === "POST" || (method !== "GET" && paths.some((one) => one.test(path)));
    });
  }

  async seen(what: string, ask: (entries: readonly RequestEntry[]) => boolean): Promise<void> {
    await eventually(what, () => (ask(this.#seen()) ? true : null));
  }

  /** Resolves when the request of each edit has arrived. */
  async allSent(cell: string): Promise<void> {
    await eventually("all edits have been sent", () =>
      this.writes(cell).length >= editsPerCell ? true : null,
    );
  }

  /** Whether all that the cell's edits wish is so, once. */
  isCarriedOut(cell: string): boolean {
    const items = this.items();
    const called = (title: string) => items.filter((item) => item.title === title);
    return (
      called(newTitle(cell)).length === 1 &&
      called(changedTitle(cell)).map(({ id }) => id)[0] === this.id(`update ${cell}`) &&
      called(`complete ${cell}`).every(({ completed }) => completed) &&
      called(`delete ${cell}`).length === 0
    );
  }

  items(): readonly WorkspaceItem[] {
    const { workspace } = this.sandbox;
    if (this.kind === "task") {
      return insist(workspace.tasks.list(this.place)).map((task) => {
        return { ...task, day: task.due_date ?? "" };
      });
    }
    return insist(workspace.events.list(this.place, { view: "all" })).map((event) => {
      return { ...event, day: event.start.slice(0, 10) };
    });
  }

  #seen(): readonly RequestEntry[] {
    return this.sandbox.requests.entries().slice(this.#begun);
  }
}

interface WorkspaceItem {
  readonly id: number;
  readonly title: string;
  readonly completed: boolean;
  /** `YYYY-MM-DD` */
  readonly day: string;
}

/** A day ahead, `YYYY-MM-DD`. */
export const ahead = (days: number): string =>
  Temporal.Now.plainDateISO("Europe/Berlin").add({ days }).toString();

function make(sandbox: Sandbox, { kind, title }: { readonly kind: Kind; readonly title: string }) {
  const { workspace } = sandbox;
  const place = placeOf(sandbox);
  const start = ahead(7);
  if (kind === "task") return insist(workspace.tasks.create(place, { title, due_date: start })).id;
  const body = { title, start, all_day: true, milestone: true };
  return insist(workspace.events.create(place, body)).id;
}

function placeOf(sandbox: Sandbox) {
  const [place] = sandbox.workspace.places();
  const list = place?.lists[0];
  if (!place || list === undefined) throw new Error("the workspace has no list");
  return { by: ownerOf(sandbox), project: place.project, list };
}
