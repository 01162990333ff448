import type { EditExtra } from "../../domain/edit-extra.ts";
import type { EditId } from "../../domain/ids.ts";
import { unreachable } from "../../domain/result.ts";
import type { ExtraEnding } from "../../store/journal/extras.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import { fileInFolder } from "./attachments.ts";
import { postComment } from "./comments.ts";
import type { ExtraErrand, Made } from "./extra-errand.ts";
import { again, settleFailure } from "./settle.ts";

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

/** Carries out the next comment or file of a confirmed edit; several steps may run at once. */
export function createExtrasDrain(
  deps: ExtrasDrainDeps,
): (signal: AbortSignal) => Promise<"idle" | "worked"> {
  const { store, upstream } = deps;
  return async (signal) => {
    const extra = signal.aborted ? null : store.extras.claimNext();
    const edit = extra && store.journal.get(extra.edit);
    if (!extra || !edit) return "idle";
    const call: Call = { priority: "edit", person: edit.actor, signal };
    const made = await carryOut({ extra, edit, store, upstream, call });
    const ending = endingOf(made, { extra, deps });
    store.extras.settle(extra.id, ending);
    deps.onEvent(eventOf(extra, ending));
    return "worked";
  };
}

async function carryOut(errand: ExtraErrand): Promise<Made> {
  const { extra } = errand;
  try {
    switch (extra.kind) {
      case "comment":
        return await postComment(errand);
      case "attachment":
        return await fileInFolder(errand);
      case "kept":
        return { ok: true, value: null };
      default:
        return unreachable(extra.kind);
    }
  } catch (error) {
    // One that cannot be handled must not hold up the others, nor stay claimed for ever.
    const problem = error instanceof Error ? error.message : String(error);
    return { ok: false, failure: { kind: "stuck", problem } };
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
