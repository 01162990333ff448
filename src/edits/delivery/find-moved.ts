import type { ListId, ProjectId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { placedIn } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Snapshot, Upstream } from "../../upstream/client.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import { type Attempt, isMissing, type Outcome } from "./attempt.ts";
import type { ItemAddress } from "./item-calls.ts";

/** What the service says of the places that are not polled; `nowhere`: it has no such task in any of them. */
type Beyond =
  | { readonly kind: "met"; readonly item: Item }
  | { readonly kind: "nowhere" }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/** So many lists are asked for one task: each is a request of the quota that everybody shares. */
const mostLists = 100;
const mostNamed = 3;

/**
 * Asks for a task, one list at a time, where nobody reads the lists: in lists and projects that the configuration leaves out,
 * or that are archived. What is in no list that is polled may be there, so that only this tells that it is gone. It waits for
 * a person where it cannot be told.
 */
export async function lookBeyond(attempt: Attempt, spot: ItemAddress): Promise<Beyond> {
  const places = await placesBeyond(attempt);
  if (!places.ok) return { kind: "ended", outcome: { kind: "failed", failure: places.failure } };
  const { lists, doubts } = places.value;
  const asked = lists.slice(0, mostLists);
  const unclear = [...doubts];
  if (lists.length > asked.length) {
    unclear.push(`${lists.length - asked.length} lists are too many to be asked for it`);
  }
  for (const { projectId, id: listId } of asked) {
    const item = placedIn(spot.item, { projectId, listId });
    const found = await attempt.calls.get({ item, id: spot.id });
    if (found.ok) return { kind: "met", item: found.value };
    const { failure } = found;
    if (isMissing(failure)) continue;
    if (failure.kind !== "refused") return { kind: "ended", outcome: { kind: "failed", failure } };
    unclear.push(`list ${listId}: ${describeFailure(failure)}`);
  }
  return unclear.length === 0 ? { kind: "nowhere" } : untold(unclear);
}

function untold(unclear: readonly string[]): Beyond {
  const rest = unclear.length > mostNamed ? ` and ${unclear.length - mostNamed} more` : "";
  const why = `${unclear.slice(0, mostNamed).join("; ")}${rest}`;
  const problem = `the task is in no list that is read here, and the service has not said that it is gone: it may have been moved to where nobody looks (${why}); nothing was sent; retry looks again, discard lets it be`;
  const settlement = { kind: "park", reason: "refused", problem } as const;
  return { kind: "ended", outcome: { kind: "settled", settlement } };
}

interface ListPlace {
  readonly id: ListId;
  readonly projectId: ProjectId;
}

/** `doubts`: why there may be lists of which nothing is known. */
interface Places {
  readonly lists: readonly ListPlace[];
  readonly doubts: readonly string[];
}

/** The look-ups of what there is, on behalf of an edit's person. */
export interface PlaceCalls {
  projects(): Promise<Result<Snapshot<{ readonly id: ProjectId }>, Failure>>;
  todolists(project: ProjectId): Promise<Result<Snapshot<ListPlace>, Failure>>;
}

export const createPlaceCalls = ({ workspace }: Upstream, call: Call): PlaceCalls => ({
  projects: () => workspace.projects(call),
  todolists: (projectId) => workspace.todolists({ projectId }, call),
});

/** Lists that are not polled, as far as they are known or the service names them. Fails where it does not answer. */
async function placesBeyond(attempt: Attempt): Promise<Result<Places, Failure>> {
  const { store, places } = attempt;
  const known = store.directory.projects().map(({ id }) => id);
  const doubts: string[] = [];
  const heard = isFresh("projects", attempt) ? null : named(await places.projects());
  if (heard && !heard.ok) return heard;
  if (heard?.value.doubt) doubts.push(heard.value.doubt);
  const projects = new Set([...known, ...(heard?.value.items ?? []).map(({ id }) => id)]);
  const lists = new Map(
    store.directory.todolists().map((list): [ListId, ListPlace] => [list.id, list]),
  );
  for (const project of projects) {
    if (isFresh(`todolists:${project}`, attempt)) continue;
    const told = named(await places.todolists(project));
    if (!told.ok) return told;
    if (told.value.doubt) doubts.push(told.value.doubt);
    for (const { id } of told.value.items) lists.set(id, { id, projectId: project });
  }
  const polled = polledLists(store);
  return ok({ lists: [...lists.values()].filter(({ id }) => !polled.has(id)), doubts });
}

/** Whether a look-up was read since the task was missed, so that the directory holds what it names. */
function isFresh(name: string, { edit: { missedAt }, store }: Attempt): boolean {
  const source = store.sources.all().find((one) => one.name === name);
  return source !== undefined && missedAt !== null && isReadSince(missedAt, source);
}

const polledLists = ({ sources }: Store): ReadonlySet<ListId> =>
  new Set(sources.all().flatMap(({ source }) => (source.kind === "tasks" ? [source.listId] : [])));

/** What a look-up names; one that the service does not offer leaves a doubt. */
function named<Value>(
  answer: Result<Snapshot<Value>, Failure>,
): Result<{ readonly items: readonly Value[]; readonly doubt: string | null }, Failure> {
  if (answer.ok) {
    const { items, problems } = answer.value;
    return ok({ items, doubt: problems.length > 0 ? problems.join("; ") : null });
  }
  const { failure } = answer;
  const isAnswer =
    failure.kind === "refused" ||
    failure.kind === "service-refused" ||
    failure.kind === "unreadable";
  if (!isAnswer) return answer;
  return ok({ items: [], doubt: describeFailure(failure) });
}
