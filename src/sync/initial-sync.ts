import type { ProjectId } from "../domain/ids.ts";
import type { Source } from "../domain/source.ts";
import type { Store } from "../store/store.ts";
import type { PolledSource } from "./polled-source.ts";
import { isMain, type SourceList } from "./source-list.ts";

/**
 * Which projects have been read completely at least once into this data directory. Before that, partial data would look
 * complete. After that, stored data is complete, though maybe old. A list that appears later is new.
 */
export class InitialSync {
  readonly #store: Store;
  readonly #sources: SourceList;
  readonly #read: Set<ProjectId>;
  #isAllRead: boolean;
  /** Projects that are not complete, until all are; null while the projects are unknown. */
  #open: Set<ProjectId> | null = null;

  constructor(store: Store, sources: SourceList) {
    this.#store = store;
    this.#sources = sources;
    this.#read = new Set(store.rounds.readProjects());
    this.#isAllRead = store.rounds.isAllRead();
  }

  hasRead(project: ProjectId): boolean {
    return this.#read.has(project) || this.#isUnpolled(project);
  }

  /** True if all projects were read at some time. What is unknown since then is new. */
  get hasReadAll(): boolean {
    return this.#isAllRead;
  }

  /** Records which projects are complete after a source was read or refused. */
  note(source: Source): void {
    if (source.kind === "projects") this.#open = null;
    if (!isMain(source)) return;
    const { projectId } = source;
    if (!this.#read.has(projectId)) this.#noteProject(projectId);
    if (this.#isAllRead) return;
    this.#open ??= new Set(this.#sources.projects().filter((project) => !this.#isSettled(project)));
    if (this.#isSettled(projectId)) this.#open.delete(projectId);
    if (this.#open.size === 0) this.#noteAllProjects();
  }

  /** Records which projects are complete, for all of them, as an earlier process may have been interrupted. */
  noteAll(): void {
    for (const project of this.#sources.projects())
      if (!this.#read.has(project)) this.#noteProject(project);
    this.#noteAllProjects();
  }

  /** Sources that a project lacks because they were refused once. A second refusal confirms that. */
  refused(): readonly PolledSource[] {
    return this.#sources
      .all()
      .filter(
        ({ source, refusedIn, refusalConfirmed, everRead }) =>
          refusedIn !== null &&
          !refusalConfirmed &&
          !everRead &&
          isMain(source) &&
          !this.#read.has(source.projectId),
      );
  }

  #noteProject(project: ProjectId): void {
    const own = this.#sources.ofProject(project);
    const isWhole = own.every(({ everRead, refusalConfirmed }) => everRead || refusalConfirmed);
    if (!isWhole || !own.some(({ everRead }) => everRead)) return;
    this.#store.rounds.projectRead(project);
    this.#read.add(project);
  }

  #noteAllProjects(): void {
    if (this.#isAllRead) return;
    const polled = this.#sources.projects();
    this.#open = null;
    if (
      !polled.every((project) => this.#isSettled(project)) ||
      !polled.some((project) => this.#read.has(project))
    )
      return;
    this.#store.rounds.allRead();
    this.#isAllRead = true;
  }

  #isSettled(project: ProjectId): boolean {
    return this.#read.has(project) || this.#isRefused(project);
  }

  /** True if the account has no access to a project. It must not delay the others. */
  #isRefused(project: ProjectId): boolean {
    return this.#sources.ofProject(project).every(({ refusalConfirmed }) => refusalConfirmed);
  }

  /** An archived project that was never read is not polled, as it shows nothing. */
  #isUnpolled(project: ProjectId): boolean {
    const { directory, view } = this.#store;
    if (this.#sources.get(`events:${project}`)) return false;
    return directory.project(project)?.archived === true && view.ofProject(project).length === 0;
  }
}

interface ReadinessDeps {
  readonly sources: SourceList;
  /** True if an earlier process had read each source at least once. */
  readonly wasWhole: boolean;
  /** Called when every source was tried or assumed fresh. */
  readonly onTried: () => void;
  /** Called once a full sweep is done. */
  readonly onReady: () => void;
}

/** How complete the mirror is, judging by the source list. Each property becomes true once, and stays so. */
export class Readiness {
  readonly #deps: ReadinessDeps;
  #ready = false;
  #caughtUp = false;
  #isTried = false;
  #isResumed = false;

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  /** True if every source was read or refused, since this process started or in the sweep that it continued. */
  get ready(): boolean {
    return this.#ready;
  }

  /** True if everything is served: a full sweep is done, or was done before this process started. */
  get whole(): boolean {
    return this.#ready || this.#deps.wasWhole;
  }

  /** True if all data is current: read or refused by this process, or assumed fresh. */
  get caughtUp(): boolean {
    return this.#caughtUp;
  }

  /** True if every source was tried once, or need not be, as an earlier process has read it. */
  get isTried(): boolean {
    return this.#isTried;
  }

  /** True if this process has continued without a sweep of its own. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  /** True if a start needs no sweep, as everything was read before, and rereading takes long at `rate` requests per second. */
  goesOn(rate: number): boolean {
    return this.#deps.wasWhole && isLongSweep(this.#deps.sources.tally.all, rate);
  }

  /** Continues without a sweep. */
  resume(): void {
    this.#isResumed = true;
    this.#isTried = true;
  }

  /** Call after each poll and each change of the source list. */
  update(): void {
    if (this.#caughtUp && this.#ready) return;
    const { all, current, read, tried, answered, shown } = this.#deps.sources.tally;
    // If nothing at all can be read, as with a wrong key, everything is refused and nothing is ready.
    this.#caughtUp ||= current === all && read > 0;
    if (!this.#isTried && tried === all) {
      this.#isTried = true;
      this.#deps.onTried();
    }
    if (this.#ready) return;
    this.#ready = answered === all && shown > 0;
    if (this.#ready) this.#deps.onReady();
  }
}

/** If reading everything takes longer than this, in seconds, a start does not do it. */
const longSweepSeconds = 60;

/** True if this many sources take long to read once, at `rate` requests per second. */
const isLongSweep = (sources: number, rate: number): boolean => sources / rate > longSweepSeconds;
