import type { Edit, FieldConflict, ParkReason } from "../../domain/edit.ts";
import { type EditId, type ItemKey, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { instantText, itemText } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";
import type { Attempts } from "./attempts.ts";
import type { Postponement } from "./claims.ts";
import type { Dependents } from "./dependents.ts";
import type { Unanswered } from "./unanswered.ts";

/** Thrown if an answer without an id would confirm an edit. A bug: decoders refuse such answers. */
export class UnidentifiedAnswerError extends Error {
  override readonly name = "UnidentifiedAnswerError";
  readonly edit: EditId;
  constructor(edit: EditId) {
    super(`the answer to edit ${edit} names no id`);
    this.edit = edit;
  }
}

/** What happens to a claimed edit that was not applied. */
export type Settlement =
  | Postponement
  | {
      readonly kind: "park";
      readonly reason: ParkReason;
      readonly problem: string;
      readonly clash?: Clash;
      readonly frozen?: boolean;
    }
  | { readonly kind: "discard"; readonly problem: string; readonly clash: Clash };

/** Fields that both sides changed, and the item in the service. */
interface Clash {
  readonly before: Item;
  readonly conflicts: readonly FieldConflict[];
}

export interface EndingsDeps extends StoreDeps {
  readonly changes: Changes;
  readonly mirror: Mirror;
  readonly dependents: Dependents;
  readonly attempts: Pick<Attempts, "release" | "settled">;
  readonly unanswered: Pick<Unanswered, "answering">;
}

/** Ends claimed edits, or puts them back. */
export function createEndings({
  db,
  clock,
  changes,
  mirror,
  dependents,
  attempts,
  unanswered,
}: EndingsDeps) {
  const confirmOne = db.prepare(
    `UPDATE edits SET state = 'confirmed', park_reason = NULL, answer = @answer, conflicts = @conflicts, problem = NULL,
       updated_at = @now, confirmed_at = @now WHERE id = @id`,
  );
  const markUndone = db.prepare(
    "UPDATE edits SET state = 'undone', updated_at = ? WHERE id = ? AND state = 'confirmed'",
  );
  const postpone = db.prepare(
    `UPDATE edits SET state = 'pending', not_before = @until, problem = @problem, updated_at = @now,
       attempts = attempts - @uncounted, waits_for = @waitsFor WHERE id = @id`,
  );
  const parkOrDiscard = db.prepare(
    `UPDATE edits SET state = @state, park_reason = @reason, problem = @problem, before = coalesce(@before, before),
       conflicts = @conflicts, frozen = @frozen, updated_at = @now WHERE id = @id`,
  );
  const stamp = () => instantText(clock());

  function buryWithSubtasks(key: ItemKey): void {
    const { kind, serviceId: id } = mirror.identity(key);
    const below = kind === "task" && id !== null ? mirror.ofSource(`subtasks:${id}`) : [];
    for (const subtask of below) mirror.bury(subtask.key);
    mirror.bury(key);
  }

  /** Stores the item that the service returned, so that a person decides with its latest state. */
  function keepSeen(key: ItemKey, seen: Item): void {
    const { serviceId: id } = mirror.identity(key);
    if (id !== null) mirror.put({ ...seen, id: serviceId(id) }, sourceOf(seen));
  }

  return {
    /**
     * The service has applied it: in one transaction, its answer becomes the mirror's row, the edit is confirmed with its
     * conflicts, and the edit it undoes becomes `undone`. Null = the item is deleted, with its subtasks.
     */
    confirm: db.transaction((edit: Edit, answer: Item | null) => {
      const conflicts = JSON.stringify(edit.conflicts);
      confirmOne.run({ id: edit.id, answer: answer && itemText(answer), conflicts, now: stamp() });
      attempts.settled(edit.id);
      if (edit.undoes !== null) markUndone.run(stamp(), edit.undoes);
      if (!answer) buryWithSubtasks(edit.item);
      else {
        const { id } = answer;
        if (!id) throw new UnidentifiedAnswerError(edit.id);
        if (edit.action === "create") mirror.adopt(edit.item, id);
        const item = { ...answer, id };
        changes.settling(edit, () => {
          unanswered.answering(edit, () => mirror.put(item, sourceOf(item)));
          changes.publish(edit.item);
        });
        if (edit.action === "create") dependents.created(edit.item, item);
      }
      changes.publish(edit.item);
    }),
    /** Returns the dependents that were parked with it. */
    settle: db.transaction((edit: Edit, settlement: Settlement): readonly EditId[] => {
      attempts.release(edit.id);
      if (settlement.kind === "retry") {
        const { problem, isInterrupted, waitsFor = null } = settlement;
        const until = instantText(settlement.notBefore);
        const uncounted = isInterrupted ? 1 : 0;
        postpone.run({ id: edit.id, until, problem, uncounted, waitsFor, now: stamp() });
        return [];
      }
      const { problem, clash } = settlement;
      const isParked = settlement.kind === "park";
      parkOrDiscard.run({
        id: edit.id,
        state: isParked ? "parked" : "discarded",
        reason: isParked ? settlement.reason : null,
        problem,
        before: clash ? itemText(clash.before) : null,
        conflicts: JSON.stringify(clash?.conflicts ?? edit.conflicts),
        frozen: isParked && settlement.frozen ? 1 : 0,
        now: stamp(),
      });
      if (clash) keepSeen(edit.item, clash.before);
      changes.publish(edit.item);
      if (edit.action !== "create") return [];
      const isUncreated = mirror.identity(edit.item).serviceId === null;
      if (isParked) return isUncreated ? dependents.park(edit) : dependents.parkBelow(edit);
      dependents.detach(edit);
      return [];
    }),
  };
}
