import type { PersonId, ProjectId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import { directoryFor, type Viewer } from "../domain/visibility.ts";
import type { EditDescription } from "../edits/actions/describe.ts";
import type { FoundEdit } from "../edits/actions/edit-actions.ts";
import type { PublishedFeed } from "../feeds/published-feeds.ts";
import type { ListAges } from "../store/mirror/list-ages.ts";
import { say } from "../texts/say.ts";
import type { HttpDeps } from "./http-deps.ts";
import type { Status } from "./status.ts";

/** Whether calendars show the workspace's present state, as far as Dayferry knows. */
export type SyncStanding =
  /** `readAt`: the oldest reading among lists with upcoming dates. */
  | { readonly kind: "in-step"; readonly readAt: Temporal.Instant }
  /**
   * Stored data are served while everything is reread after the start. `doneBy`: when all will have been reread; null if that
   * takes longer.
   */
  | {
      readonly kind: "catching-up";
      readonly readAt: Temporal.Instant | null;
      readonly doneBy: Temporal.Instant | null;
    }
  /** `pace`: lists per second if nothing else is requested. */
  | {
      readonly kind: "first-reading";
      readonly read: number;
      readonly lists: number;
      readonly pace: number;
    }
  /** The oldest reading is older than polling should allow. */
  | { readonly kind: "behind"; readonly readAt: Temporal.Instant }
  /**
   * The service has not answered since `since`; null if it never has. `remedy`: what the operator can do; null if only waiting
   * helps.
   */
  | {
      readonly kind: "cut-off";
      readonly readAt: Temporal.Instant | null;
      readonly why: string;
      readonly remedy: string | null;
    }
  | { readonly kind: "cannot-store"; readonly why: string };

export interface ProjectToday {
  readonly id: ProjectId;
  readonly title: string;
  readonly lists: number;
  readonly unread: number;
  readonly failing: number;
  /** The oldest reading: of lists with upcoming dates if there are any, else of all lists. */
  readonly readAt: Temporal.Instant | null;
}

/** A first step for new users; finished ones stay ticked until all are done. */
export interface FirstStep {
  readonly id: "subscribe" | "connect" | "edit" | "account" | "mail" | "address";
  readonly isDone: boolean;
}

/** The start page's content for its viewer. */
export interface Today {
  readonly viewer: Viewer;
  readonly now: Temporal.Instant;
  readonly standing: SyncStanding;
  /** Pending edits. */
  readonly underWay: number;
  /** The newest edits that wait for a person, newest first. */
  readonly needs: readonly EditDescription[];
  readonly needed: number;
  /** Counting stops here; there may be more. */
  readonly countedTo: number;
  readonly brakes: Status["brakes"];
  /** What an admin may have to look at, each in a sentence. */
  readonly troubles: readonly string[];
  readonly projects: readonly ProjectToday[];
  readonly recent: readonly EditDescription[];
  /** Empty once all are done. */
  readonly firstSteps: readonly FirstStep[];
}

const listed = { needs: 10, recent: 8 };
/** Counting stops at this number, and the page says that there are more. */
const counted = 200;
/** Dates up to this many days ahead count as upcoming. */
const nearDays = 14;
const nearFor = Temporal.Duration.from({ minutes: 10 });

/** Collects the start page's content. Results that need all items are cached for some minutes. */
export function createToday(context: HttpDeps): (viewer: Viewer, status: Status) => Today {
  const { store, editActions, feeds, people, rights, baseUrl, demo } = context;
  let near: { readonly at: Temporal.Instant; readonly lists: ReadonlySet<string> } | null = null;

  function nearLists(now: Temporal.Instant): ReadonlySet<string> {
    if (near && Temporal.Instant.compare(now, near.at.add(nearFor)) < 0) return near.lists;
    const today = now.toZonedDateTimeISO(store.zone).toPlainDate();
    const lists = store.listAges.datedWithin({
      from: today.subtract({ days: 1 }),
      to: today.add({ days: nearDays }),
    });
    near = { at: now, lists };
    return lists;
  }

  /** A person's own, without those of items they may no longer see. */
  function editsOf(viewer: Viewer, state: string | undefined, limit: number) {
    const person = viewer.kind === "person" ? String(viewer.person) : undefined;
    const found = editActions.find({ state, person }, { limit, viewer });
    const edits = found.ok ? found.value : [];
    if (viewer.kind === "admin") return edits;
    return edits.filter(({ item }) => rights.mayLookAt(viewer.person, item.uid));
  }

  const described = (edits: readonly FoundEdit[]) => edits.map((edit) => edit.describe());

  function projectsOf(viewer: Viewer, { now, fastPath }: Status): readonly ProjectToday[] {
    const rows = store.listAges.ofProjects({
      near: nearLists(now),
      byPages: fastPath.kind === "used",
    });
    const ages = new Map(rows.map((age) => [age.projectId, age]));
    const seen = directoryFor(store.directory, viewer).projects();
    return seen.flatMap((project) => {
      const age = ages.get(project.id);
      return age ? [projectToday({ id: project.id, title: project.title }, age)] : [];
    });
  }

  function firstSteps(viewer: Viewer): readonly FirstStep[] {
    const isSubscribed = feedsOf(viewer, feeds.list()).some(isFetched);
    const isConnected = people.list().some(({ id }) => isOf(viewer, id) && people.hasProgram(id));
    if (demo) {
      const toldAt = demo.toldAt();
      const [newest] = editsOf(viewer, undefined, 1);
      const isLater =
        newest && toldAt && Temporal.Instant.compare(newest.describe().createdAt, toldAt) > 0;
      return [
        { id: "connect", isDone: isSubscribed || isConnected },
        { id: "edit", isDone: isLater === true },
        { id: "account", isDone: false },
      ];
    }
    return stepsLeft([
      { id: "subscribe", isDone: isSubscribed },
      { id: "connect", isDone: isConnected },
      ...(viewer.kind === "admin"
        ? ([
            { id: "mail", isDone: context.sendsMail },
            { id: "address", isDone: new URL(baseUrl()).protocol === "https:" },
          ] as const)
        : []),
    ]);
  }

  return (viewer, status) => {
    const projects = projectsOf(viewer, status);
    const waiting = editsOf(viewer, "waiting", counted);
    const isAdmin = viewer.kind === "admin";
    return {
      viewer,
      now: status.now,
      standing: isAdmin
        ? standingOf(status, projects)
        : ownStanding(standingOf(status, projects), projects),
      underWay: editsOf(viewer, "under-way", counted).length,
      needs: described(waiting.slice(0, listed.needs)),
      needed: waiting.length,
      countedTo: counted,
      brakes: isAdmin ? status.brakes : [],
      troubles: isAdmin ? troublesOf(status) : [],
      projects,
      recent: described(editsOf(viewer, undefined, listed.recent)),
      firstSteps: firstSteps(viewer),
    };
  };
}

/** The end of the User-Agent of requests that the demo makes itself. */
export const demoAgent = "(Dayferry demo)";

const isFetched = ({ lastFetch }: PublishedFeed): boolean =>
  lastFetch !== null && !lastFetch.agent.endsWith(demoAgent);

/** A project's feed counts for everyone, a person's for that person. */
const feedsOf = (viewer: Viewer, feeds: readonly PublishedFeed[]): readonly PublishedFeed[] =>
  feeds.filter(
    ({ personId }) => viewer.kind === "admin" || personId === null || personId === viewer.person,
  );

const isOf = (viewer: Viewer, id: PersonId): boolean =>
  viewer.kind === "admin" || viewer.person === id;

const stepsLeft = (steps: readonly FirstStep[]): readonly FirstStep[] =>
  steps.every(({ isDone }) => isDone) ? [] : steps;

type ProjectAge = ReturnType<ListAges["ofProjects"]>[number];

const projectToday = (
  project: Pick<ProjectToday, "id" | "title">,
  { lists, unread, failing, oldestAt, nearOldestAt }: ProjectAge,
): ProjectToday => ({ ...project, lists, unread, failing, readAt: nearOldestAt ?? oldestAt });

/** How far a list may exceed its maximum age before it is reported, because a poll takes time. */
const tolerated = Temporal.Duration.from({ minutes: 2 });

/** In a copy of another daemon's database, many failing lists mean an outage; a few do not. */
function standingOf(status: Status, projects: readonly ProjectToday[]): SyncStanding {
  const { storage, mirror, fresh, errors, outage, polling, now } = status;
  if (storage) return { kind: "cannot-store", why: storage.problem };
  const moments = projects.flatMap(({ readAt }) => readAt ?? []);
  const readAt = moments.toSorted((a, b) => Temporal.Instant.compare(a, b))[0] ?? null;
  if (outage) return { kind: "cut-off", readAt, why: outage.what, remedy: outage.remedy };
  const lists = mirror.sources;
  const failing = errors.filter(({ source }) =>
    /^(?:events|tasks|subtasks|todolists):/.test(source),
  );
  const [first] = failing;
  if (first && failing.length * 2 > lists) {
    const why = first.problem ?? say("today.serviceSilent");
    return { kind: "cut-off", readAt, why, remedy: null };
  }
  if (mirror.projectsNeverRead > 0 || lists === 0) {
    return {
      kind: "first-reading",
      read: lists - mirror.sourcesNeverRead,
      lists,
      pace: polling.pace,
    };
  }
  if (!fresh || readAt === null) return { kind: "catching-up", readAt, doneBy: doneBy(status) };
  const allowed = tolerated.add({ seconds: polling.ceilingSeconds });
  const isBehind = Temporal.Duration.compare(now.since(readAt), allowed) > 0;
  return { kind: isBehind ? "behind" : "in-step", readAt };
}

/**
 * When every list will have been read since the start: none waits longer than the maximum age, and if all are older, as after a
 * power cut, every second request goes to the oldest.
 */
function doneBy({ startedAt, polling, now }: Status): Temporal.Instant | null {
  const seconds = Math.max(polling.ceilingSeconds, 2 * polling.bestAgeSeconds);
  const at = startedAt.add({ seconds });
  return Temporal.Instant.compare(at, now) > 0 ? at : null;
}

/** Leaves out the number and errors of lists that the viewer cannot see. */
function ownStanding(standing: SyncStanding, projects: readonly ProjectToday[]): SyncStanding {
  switch (standing.kind) {
    case "cut-off":
      return { ...standing, why: say("today.serviceSilent"), remedy: null };
    case "cannot-store":
      return { ...standing, why: say("today.adminNotified") };
    case "first-reading": {
      const lists = projects.reduce((sum, project) => sum + project.lists, 0);
      const unread = projects.reduce((sum, project) => sum + project.unread, 0);
      return { ...standing, read: lists - unread, lists };
    }
    case "behind":
    case "catching-up":
    case "in-step":
      return standing;
    default:
      return unreachable(standing);
  }
}

/** Held removals have their own card, and an outage is shown at the top. */
const troublesOf = ({ troubles, outage }: Status): readonly string[] =>
  troubles
    .filter(({ kind, id }) => kind !== "removals-held" && id !== outage?.id)
    .map(({ sentence }) => sentence);
