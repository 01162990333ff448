import type { EditExtra } from "../../domain/edit-extra.ts";
import type { EditId } from "../../domain/ids.ts";
import { unreachable } from "../../domain/result.ts";
import type { ExtraEnding } from "../../store/journal/extras.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import { fileInFolder } from "./attachments.ts";
import { ClaimKeeper } from "./claim-keeper.ts";
import { postComment } from "./comments.ts";
import { type ExtraErrand, type Made, requestOf } from "./extra-errand.ts";
import { again, cutShort, settleFailure } from "./settle.ts";

/** What became of a wish beside an edit, for log and metrics. */
export interface ExtraEvent {
  readonly kind: "extra-done" | "extra-postponed" | "extra-parked";
  readonly edit: EditId;
  /** Of the file, or COMMENT. */
  readonly name: string;
  readonly problem: string | null;
}

export interface ExtrasDrainDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly clock: () => Temporal.Instant;
  readonly random: () => number;
  readonly onEvent: (event: ExtraEvent) => void;
}

/** Carries out comments and files of confirmed edits. */
export interface ExtrasDrain {
  /** The next one; several steps may run at once. */
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
  /** Stores what the disk has refused so far. Throws what the store throws as long as it does. */
  readonly catchUp: () => void;
}

export function createExtrasDrain(deps: ExtrasDrainDeps): ExtrasDrain {
  const { store } = deps;
  const keeper = new ClaimKeeper<number>();

  function putBackLost(): void {
    for (const id of store.extras.claimed()) if (keeper.isLost(id)) store.extras.releaseOne(id);
  }

  function settle(extra: EditExtra, ending: ExtraEnding): void {
    store.together(() => {
      store.extras.settle(extra.id, ending);
      if (ending.kind === "done") store.requests.done(requestOf(extra));
    });
    deps.onEvent(eventOf(extra, ending));
  }

  return {
    catchUp: () => keeper.catchUp(),
    async step(signal) {
      keeper.catchUp();
      const extra = signal.aborted ? null : store.extras.claimNext();
      if (!extra) {
        putBackLost();
        return "idle";
      }
      keeper.begin(extra.id);
      const ending = await carryOutOne(extra, { deps, signal, keep: (note) => keeper.keep(note) });
      keeper.end(extra.id, {
        store: () => settle(extra, ending),
        giveUp: (error) => settle(extra, { kind: "park", problem: textOf(error) }),
      });
      return "worked";
    },
  };
}

/** Carries out one claimed wish; whatever happens on the way is an ending. */
async function carryOutOne(
  extra: EditExtra,
  {
    deps,
    signal,
    keep,
  }: {
    readonly deps: ExtrasDrainDeps;
    readonly signal: AbortSignal;
    readonly keep: ExtraErrand["keep"];
  },
): Promise<ExtraEnding> {
  const { store, upstream, clock } = deps;
  try {
    const edit = store.journal.get(extra.edit);
    if (!edit) return { kind: "park", problem: "its edit is not known any more" };
    const call: Call = { priority: "edit", person: edit.actor, signal };
    const errand = { extra, edit, store, upstream, call, clock, keep };
    return endingOf(await carryOut(errand), { extra, deps });
  } catch (error) {
    // One that cannot be handled must not hold up the others, nor stay claimed for ever.
    if (!store.health.note(error)) return { kind: "park", problem: textOf(error) };
    return cutShort(error, clock());
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function carryOut(errand: ExtraErrand): Promise<Made> {
  const { extra } = errand;
  switch (extra.kind) {
    case "comment":
      return postComment(errand);
    case "attachment":
      return fileInFolder(errand);
    case "kept":
      return { ok: true, value: null };
    default:
      return unreachable(extra.kind);
  }
}

function endingOf(
  made: Made,
  { extra, deps }: { readonly extra: EditExtra; readonly deps: ExtrasDrainDeps },
): ExtraEnding {
  if (made.ok) return { kind: "done", answer: made.value };
  const { attempts, createdAt } = extra;
  const trial = { attempts, createdAt, now: deps.clock(), random: deps.random() };
  const { failure: trouble } = made;
  if (trouble.kind === "stuck") return { kind: "park", problem: trouble.problem };
  const settlement =
    trouble.kind === "unsure"
      ? again(trouble.problem, { trial, retryAfter: null })
      : settleFailure(trouble.failure, trial);
  if (settlement.kind === "retry") return settlement;
  return { kind: "park", problem: settlement.problem };
}

function eventOf({ edit, name }: EditExtra, ending: ExtraEnding): ExtraEvent {
  switch (ending.kind) {
    case "done":
      return { kind: "extra-done", edit, name, problem: null };
    case "retry":
      return { kind: "extra-postponed", edit, name, problem: ending.problem };
    case "park":
      return { kind: "extra-parked", edit, name, problem: ending.problem };
    default:
      return unreachable(ending);
  }
}
