import type { ProjectId } from "../domain/ids.ts";
import type { Source } from "../domain/source.ts";
import type { Store } from "../store/store.ts";
import type { Entry, SourceList } from "./source-list.ts";

/**
 * Which projects have been read as a whole at least once into this data directory: before that a part of one would look like
 * the whole, afterwards what is on disk is as good as it is old. A list that turns up later is one more thing that is new.
 */
export class Wholeness {
  readonly #store: Store;
  readonly #roster: SourceList;
  readonly #read: Set<ProjectId>;
  #isAllRead: boolean;

  constructor(store: Store, roster: SourceList) {
    this.#store = store;
    this.#roster = roster;
    this.#read = new Set(store.rounds.readProjects());
    this.#isAllRead = store.rounds.isAllRead();
  }

  hasRead(project: ProjectId): boolean {
    return this.#read.has(project) || this.#isShelved(project);
  }

  /** Whether all projects of some moment had been read: what is unknown since then is new. */
  get hasReadAll(): boolean {
    return this.#isAllRead;
  }

  /** Notes which projects are whole now that a source was read or refused. */
  note(source: Source): void {
    if (!isMain(source)) return;
    if (!this.#read.has(source.projectId)) this.#judge(source.projectId);
    this.#judgeAll();
  }

  /** As `note`, of everything: an earlier process may have been cut off, or a source is none any more. */
  survey(): void {
    for (const project of this.#polled()) if (!this.#read.has(project)) this.#judge(project);
    this.#judgeAll();
  }

  /** What projects still lack because it is refused, while nothing tells whether that is about it alone. */
  refused(): readonly Entry[] {
    return this.#roster
      .entries()
      .filter(
        ({ source, refusedIn, barred, everRead }) =>
          refusedIn !== null &&
          !barred &&
          !everRead &&
          isMain(source) &&
          !this.#read.has(source.projectId),
      );
  }

  #judge(project: ProjectId): void {
    const own = this.#listsOf(project);
    const isWhole = own.every(({ everRead, barred }) => everRead || barred);
    if (!isWhole || !own.some(({ everRead }) => everRead)) return;
    this.#store.rounds.projectRead(project);
    this.#read.add(project);
  }

  #judgeAll(): void {
    if (this.#isAllRead) return;
    const polled = this.#polled();
    const isSettled = (project: ProjectId) => this.#read.has(project) || this.#isClosed(project);
    if (!polled.every(isSettled) || !polled.some((project) => this.#read.has(project))) return;
    this.#store.rounds.allRead();
    this.#isAllRead = true;
  }

  #listsOf(project: ProjectId): readonly Entry[] {
    return this.#roster
      .entries()
      .filter(({ source }) => isMain(source) && source.projectId === project);
  }

  /** One that refuses the account altogether shows nothing, and holds up no other. */
  #isClosed(project: ProjectId): boolean {
    return this.#listsOf(project).every(({ barred }) => barred);
  }

  #polled(): readonly ProjectId[] {
    return this.#roster
      .ofKind("events")
      .flatMap(({ source }) => (source.kind === "events" ? [source.projectId] : []));
  }

  /** An archived project of which nothing was ever read is not polled: it has nothing to say, now and later. */
  #isShelved(project: ProjectId): boolean {
    const { directory, view } = this.#store;
    if (this.#roster.get(`events:${project}`)) return false;
    return directory.project(project)?.archived === true && view.ofProject(project).length === 0;
  }
}

type MainSource = Extract<Source, { readonly kind: "todolists" | "events" | "tasks" }>;

const isMain = (source: Source): source is MainSource =>
  source.kind === "todolists" || source.kind === "events" || source.kind === "tasks";
