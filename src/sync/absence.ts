import { backOff, isRecent } from "../domain/backoff.ts";
import { settlingTime } from "../domain/eventual.ts";
import type { ItemKey } from "../domain/ids.ts";
import type { Label, Project, Todolist } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import type { AbsenceCount } from "../store/rows/source-rows.ts";
import type { Call, Snapshot } from "../upstream/client.ts";
import { type Failure, isMissing } from "../upstream/failure.ts";
import { isComplete, isLookUpRefused } from "./plan-snapshot.ts";
import type { SyncContext } from "./sync-context.ts";

/**
 * What a failed single GET says about an item: 404 means gone, and so does 403 while its list can be read; anything else proves
 * nothing. Source: beyond-the-document.md, Values.
 */
export function judgeRefusal(failure: Failure, listReadable: boolean): "gone" | "unknown" {
  if (isMissing(failure)) return "gone";
  switch (failure.kind) {
    case "refused":
      return failure.status === 403 && listReadable ? "gone" : "unknown";
    case "rate-limited":
    case "unavailable":
    case "unreadable":
    case "service-refused":
    case "unknown-outcome":
    case "outdated":
    case "aborted":
      return "unknown";
    default:
      return unreachable(failure);
  }
}

interface AbsenceFacts<Question extends { readonly item: ItemKey }> {
  /** Number of missing items per source, confirmed as gone or not. */
  readonly counts: ReadonlyMap<string, AbsenceCount>;
  readonly brakeOf: (source: string) => BrakeState;
  /** Some of a source's confirmed missing items. */
  readonly confirmedOf: (source: string) => readonly Question[];
  /**
   * Sources that must be read once more before an item counts as gone, as a moved item is missing in its old place before it is
   * found in the new one.
   */
  readonly unread: (question: Question) => readonly string[];
}

export interface AbsencePlan {
  readonly bury: readonly ItemKey[];
  /** Sources that confirmed items still wait for. */
  readonly read: ReadonlySet<string>;
  /** Items held by a brake. */
  readonly braked: number;
}

/** Decides which missing items can be buried, and what the others wait for. */
export function planAbsences<Question extends { readonly item: ItemKey }>({
  counts,
  brakeOf,
  confirmedOf,
  unread,
}: AbsenceFacts<Question>): AbsencePlan {
  const bury: ItemKey[] = [];
  const read = new Set<string>();
  let braked = 0;
  for (const [source, { open, confirmed }] of counts) {
    if (!mayBury(brakeOf(source), open)) {
      braked += open + confirmed;
      continue;
    }
    for (const question of confirmed > 0 ? confirmedOf(source) : []) {
      const waitsFor = unread(question);
      if (waitsFor.length === 0) bury.push(question.item);
      for (const awaited of waitsFor) read.add(awaited);
    }
  }
  return { bury, read, braked };
}

/** True if no item is missing, except those that wait for a person or are excluded. */
export function areSettled(
  sources: Iterable<string>,
  {
    brakes,
    itemsOf,
    isAside,
  }: {
    readonly brakes: readonly (NonNullable<BrakeState> & { readonly source: string })[];
    /** The missing items of a source. */
    readonly itemsOf: (source: string) => Iterable<ItemKey>;
    readonly isAside: (item: ItemKey) => boolean;
  },
): boolean {
  const waiting = brakes.filter(({ needsPerson, releasedAt }) => needsPerson && !releasedAt);
  const braked = new Set(waiting.map(({ source }) => source));
  const others = [...sources].filter((source) => !braked.has(source));
  return others.every((source) => [...itemsOf(source)].every(isAside));
}

/** Lists, projects or labels missing from a look-up, sorted by the answer to a GET of each. */
export interface Absent<Value> {
  readonly gone: readonly Value[];
  /** Those that still exist, as answered, and those that are uncertain. */
  readonly present: readonly Value[];
  readonly unknown: readonly Value[];
}

type SingleAnswer<Value> =
  | { readonly kind: "present"; readonly value: Value }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

/** The answer to a single GET, and how often it was repeated. */
interface SingleBelief {
  readonly gone: boolean;
  readonly at: Temporal.Instant;
  readonly times: number;
}

/** Limits the requests after a look-up that is suddenly empty. The rest is checked at its next poll. */
const mostAtOnce = 10;

/**
 * Checks lists, projects and labels missing from a complete look-up one by one before they disappear. An answer "gone" is valid
 * for `maxAge`. An answer "present" is valid only for a short time, as it may have been outdated.
 */
export class DirectoryAbsences {
  readonly #deps: SyncContext;
  readonly #answers = new Map<string, SingleBelief>();

  constructor(deps: SyncContext) {
    this.#deps = deps;
  }

  todolists(known: readonly Todolist[], facts: Facts<Todolist>): Promise<Absent<Todolist>> {
    return this.#sort(known, { ...facts, kind: "list", ask: (list) => this.#askList(list, facts) });
  }

  projects(known: readonly Project[], facts: Facts<Project>): Promise<Absent<Project>> {
    const ask = (project: Project) => this.#askProject(project, facts);
    return this.#sort(known, { ...facts, kind: "project", ask });
  }

  labels(known: readonly Label[], facts: Facts<Label>): Promise<Absent<Label>> {
    const ask = async ({ id }: Label): Promise<SingleAnswer<Label>> => {
      const label = await this.#deps.upstream.labels.get(id, facts.call);
      if (label.ok) return { kind: "present", value: label.value };
      return { kind: judgeRefusal(label.failure, true) };
    };
    return this.#sort(known, { ...facts, kind: "label", ask });
  }

  async #sort<Value extends { readonly id: number }>(
    known: readonly Value[],
    {
      snapshot,
      kind,
      ask,
    }: Facts<Value> & {
      readonly kind: string;
      readonly ask: (value: Value) => Promise<SingleAnswer<Value>>;
    },
  ): Promise<Absent<Value>> {
    const sorted: Record<keyof Absent<Value>, Value[]> = { gone: [], present: [], unknown: [] };
    if (!isComplete(snapshot)) return sorted;
    const named = new Set<number>(snapshot.items.map(({ id }) => id));
    let asked = 0;
    for (const value of known) {
      const name = `${kind} ${value.id}`;
      if (named.has(value.id)) {
        this.#answers.delete(name);
        continue;
      }
      const recent = this.#answered(name);
      if (recent) {
        sorted[recent.gone ? "gone" : "present"].push(value);
        continue;
      }
      if (asked >= mostAtOnce) {
        sorted.unknown.push(value);
        continue;
      }
      asked += 1;
      const answer = await ask(value);
      sorted[answer.kind].push(answer.kind === "present" ? answer.value : value);
      if (answer.kind === "unknown") continue;
      const times = (this.#answers.get(name)?.times ?? 0) + 1;
      this.#answers.set(name, { gone: answer.kind === "gone", at: this.#deps.clock(), times });
    }
    return sorted;
  }

  #answered(name: string) {
    const { clock, maxAge } = this.#deps;
    const recent = this.#answers.get(name);
    if (!recent) return null;
    const { gone, at, times } = recent;
    const length = gone ? maxAge : backOff(times, { first: settlingTime, ceiling: maxAge });
    return isRecent(at, { length, now: clock() }) ? recent : null;
  }

  /** Some services have no request for a single list, so its tasks are requested too. */
  async #askList(list: Todolist, { call }: Facts<Todolist>): Promise<SingleAnswer<Todolist>> {
    const { store, upstream, sources } = this.#deps;
    const { id, projectId } = list;
    const single = await upstream.workspace.todolist({ projectId, id }, call);
    if (single.ok) return { kind: "present", value: single.value };
    if (!isLookUpRefused(single.failure)) return { kind: "unknown" };
    const tasks = await upstream.tasks.list({ projectId, listId: id }, call);
    if (!tasks.ok) {
      return { kind: judgeRefusal(tasks.failure, sources.isReadable(`events:${projectId}`)) };
    }
    const isEmpty =
      tasks.value.received === 0 && store.mirror.populated([`tasks:${id}`]).size === 0;
    const isDenied = judgeRefusal(single.failure, true) === "gone";
    return isEmpty && isDenied ? { kind: "gone" } : { kind: "present", value: list };
  }

  async #askProject(project: Project, { call }: Facts<Project>): Promise<SingleAnswer<Project>> {
    const { workspace, events } = this.#deps.upstream;
    const single = await workspace.project(project.id, call);
    if (single.ok) return { kind: "present", value: single.value };
    if (!isLookUpRefused(single.failure)) return { kind: "unknown" };
    const list = await events.list({ projectId: project.id }, call);
    if (list.ok) return { kind: "present", value: project };
    return { kind: judgeRefusal(list.failure, true) };
  }
}

interface Facts<Value> {
  readonly snapshot: Snapshot<Value>;
  readonly call: Call;
}

/**
 * How a loss is handled: `free` = each item is buried once confirmed as gone; `confirmed` = none before all are confirmed;
 * `agreed` = none before a person agrees.
 */
export type BrakeVerdict = "free" | "confirmed" | "agreed";

/** How much of a source is missing: `missing` of `total` mirrored items. */
export interface Loss {
  readonly missing: number;
  readonly total: number;
}

/** A brake's state; `null` = the source has none. */
export type BrakeState = {
  readonly missing: number;
  readonly needsPerson: boolean;
  readonly releasedAt: Temporal.Instant | null;
} | null;

const fewItems = 10;
const confirmedShare = 0.2;
const agreedShare = 0.5;

/** Judges a loss: up to 10 items, or a fifth of a source, are never braked. For more than half, a person must agree. */
export function judgeLoss({ missing, total }: Loss): BrakeVerdict {
  if (missing <= fewItems || missing <= total * confirmedShare) return "free";
  return missing <= total * agreedShare ? "confirmed" : "agreed";
}

/**
 * Judges a loss of people, who are few and cannot be looked up one by one: several who are more than half of all are braked
 * until a person agrees.
 */
export function judgeLossOfPeople({ missing, total }: Loss): BrakeVerdict {
  const isMost = missing > 1 && missing > total * agreedShare;
  return isMost || judgeLoss({ missing, total }) !== "free" ? "agreed" : "free";
}

export type BrakeStep =
  | { readonly kind: "keep" }
  | { readonly kind: "lift" }
  | { readonly kind: "brake"; readonly needsPerson: boolean; readonly isNew: boolean };

/**
 * How a new snapshot changes its source's brake. A person's agreement covers the items missing at that time. If more are
 * missing later, a person must agree again.
 */
export function nextBrake(
  brake: BrakeState,
  { judge = judgeLoss, ...loss }: Loss & { readonly judge?: (loss: Loss) => BrakeVerdict },
): BrakeStep {
  const verdict = judge(loss);
  switch (verdict) {
    case "free":
      return brake ? { kind: "lift" } : { kind: "keep" };
    case "confirmed":
    case "agreed": {
      const needsPerson = verdict === "agreed";
      if (!brake) return { kind: "brake", needsPerson, isNew: false };
      if (brake.releasedAt) {
        return loss.missing > brake.missing
          ? { kind: "brake", needsPerson, isNew: true }
          : { kind: "keep" };
      }
      const same = brake.missing === loss.missing && (brake.needsPerson || !needsPerson);
      return same ? { kind: "keep" } : { kind: "brake", needsPerson, isNew: false };
    }
    default:
      return unreachable(verdict);
  }
}

/** True if confirmed items of a source may be buried while `unconfirmed` others are still open. */
export function mayBury(brake: BrakeState, unconfirmed: number): boolean {
  if (!brake || brake.releasedAt) return true;
  return !brake.needsPerson && unconfirmed === 0;
}
