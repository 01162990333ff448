import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { databasePart } from "../../src/backups/archive.ts";
import type { Edit } from "../../src/domain/edit.ts";
import { type EditId, editId } from "../../src/domain/ids.ts";
import { applyPatch, valuesOf } from "../../src/domain/patch.ts";
import { copyDatabase } from "../../src/store/copies/copy-database.ts";
import { prepareRestore } from "../../src/store/copies/prepare-restore.ts";
import { type Ledger, markedFields, markIn, markOfPatch, type Noted, secrecy } from "../ledger.ts";
import type { PresentItem } from "../workspace-items.ts";
import { quota, settingsFrom, type World } from "../world.ts";

const migrations = join(import.meta.dirname, "../../migrations");

const feedsSchema = z.object({
  feeds: z.array(z.object({ projectId: z.number(), url: z.string() })),
});

const editSchema = z.object({ id: z.number() });

/** The operator of Dayferry: decides what waits for a person, and undoes edits, with the admin token. */
export class Operator {
  readonly #world: World;
  readonly #ledger: Ledger;
  #backup: { readonly file: string; readonly madeAt: Temporal.Instant } | null = null;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  async act(): Promise<void> {
    const { random } = this.#world;
    const kind = random.pick([
      ...(["decide", "decide", "decide", "decide", "restart", "backUp", "restore"] as const),
    ]);
    if (kind === "decide") await this.#decideOrUndo();
    else if (this.#world.isStarting) return;
    else if (kind === "restart") await this.#restart();
    else if (kind === "backUp") await this.#backUp();
    else await this.#restore();
  }

  /** Shuts the daemon down properly, and starts it with other settings. */
  async #restart(): Promise<void> {
    this.#world.settings = settingsFrom(this.#world.random);
    this.#world.note("operator", `restarts with ${JSON.stringify(this.#world.settings)}`);
    await this.#world.restart();
  }

  async #backUp(): Promise<void> {
    const { life, folder, time } = this.#world;
    const madeAt = time.clock();
    const file = join(folder, `backup-${time.monotonic()}`);
    const made = await copyDatabase(join(life.dataDir, databasePart), file);
    if (made.ok) this.#backup = { file, madeAt };
    this.#world.note("operator", made.ok ? "makes a backup" : "cannot make a backup");
  }

  /** Restores the last backup. */
  async #restore(): Promise<void> {
    if (!this.#backup) return;
    const { file, madeAt } = this.#backup;
    this.#backup = null;
    const { time, random, sandbox } = this.#world;
    // A backup does not know what was sent after it and is still to be carried out: a restore takes longer than that.
    sandbox.faults.deliverLate();
    this.#world.note("operator", `restores the backup of ${madeAt.toString()}`);
    this.#ledger.restoring(madeAt);
    await this.#world.restart((dataDir) => {
      const replaced = join(dataDir, databasePart);
      prepareRestore(file, {
        ...{ migrations, madeAt, replaced, now: time.clock(), quota: quota.requests },
        epoch: `restored-${random.between(0, 2 ** 31)}`,
      });
      for (const ending of ["", "-wal", "-shm"]) rmSync(`${replaced}${ending}`, { force: true });
      renameSync(file, replaced);
      this.#world.restores += 1;
    });
  }

  async #decideOrUndo(): Promise<void> {
    const { random } = this.#world;
    const [oldest] = this.#waiting();
    if (oldest && random.chance(0.5))
      await this.#decide(oldest, random.chance(0.8) ? "approve" : "discard");
    else await this.#undo();
  }

  /** Undoes one of the last edits. */
  async #undo(): Promise<void> {
    const { random, life } = this.#world;
    const done = life.modules.store.journal.list({ state: "confirmed", limit: 20 });
    const undoable = done.filter(
      ({ patch, action }) =>
        action !== "update" || markedFields.some((field) => markOfPatch(patch, field) !== ""),
    );
    if (undoable.length === 0) return;
    const edit = random.pick(undoable);
    const path = `/api/edits/${edit.id}/undo`;
    const answer = await this.#world.askAsAdmin({ method: "POST", path });
    this.#world.note("operator", `undoes edit ${edit.id}: ${answer?.status ?? "no answer"}`);
    if (answer !== null && answer.status !== 200) return;
    const made = answer && editSchema.parse(JSON.parse(answer.text)).id;
    const told =
      made === null ? { way: "unanswered" as const } : { way: "taken" as const, edit: made };
    for (const wish of wishesOfUndo(edit)) {
      this.#ledger.note({ ...wish, ...told, actor: "the operator" });
    }
  }

  /**
   * Approves everything that waits for approval, and discards what cannot be approved: its editor sees it as long as it waits.
   */
  async decideAll(): Promise<void> {
    for (const id of this.#waiting()) {
      if (!(await this.#decide(id, "approve"))) await this.#decide(id, "discard");
    }
    for (const id of this.#parkedParents()) await this.#decide(id, "discard");
  }

  /** Creations that wait for a person and have waiting subtasks. */
  #parkedParents(): ReadonlySet<EditId> {
    const { store, editActions } = this.#world.life.modules;
    const waiting = store.journal.list({ state: "pending", limit: 1000 });
    const parents = waiting.flatMap(({ id }) => {
      const { problem = null } = editActions.show(id) ?? {};
      const [, parent] =
        /edit (\d+), which creates the task above it and is waiting/.exec(problem ?? "") ?? [];
      return parent === undefined ? [] : [editId(Number(parent))];
    });
    return new Set(parents);
  }

  /** Problems in the projects' feeds once everything has settled. */
  async faults(items: readonly PresentItem[]): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const { projectId, url } of await this.#feeds()) {
      const answer = await this.#world.ask({ method: "GET", path: new URL(url).pathname });
      const text = (answer?.text ?? "").replaceAll("\r\n ", "");
      const shown = [...text.matchAll(/^SUMMARY.*$/gm)]
        .map(([line]) => markIn(line))
        .filter((mark) => mark !== "");
      const there = items
        .filter((item) => item.project === projectId && !item.private)
        .map(({ title }) => markIn(title));
      const [seen, has] = [shown, there].map((marks) => marks.toSorted().join(", "));
      if (seen !== has)
        faults.push(`feed of ${projectId} shows ${seen}, and the service has ${has}`);
      if (text.includes(secrecy)) faults.push(`feed of ${projectId} tells a secret`);
    }
    return faults;
  }

  async #feeds(): Promise<readonly { readonly projectId: number; readonly url: string }[]> {
    const answer = await this.#world.askAsAdmin({ method: "GET", path: "/api/feeds" });
    return feedsSchema.parse(JSON.parse(answer?.text ?? "null")).feeds;
  }

  /** The edits that wait for approval, oldest first. */
  #waiting(): readonly EditId[] {
    const held = this.#world.life.modules.store.journal.list({ state: "held", limit: 1000 });
    return held.map(({ id }) => id).toReversed();
  }

  /** Returns true if it was done. */
  async #decide(id: EditId, act: "approve" | "discard"): Promise<boolean> {
    const path = `/api/edits/${id}/${act}`;
    const answer = await this.#world.askAsAdmin({ method: "POST", path });
    this.#world.note("operator", `${act} edit ${id}: ${answer?.status ?? "no answer"}`);
    return answer?.status === 200;
  }
}

/** What undoing an edit asks for: the previous texts, the deletion of what was created, or the item again. */
function wishesOfUndo({
  action,
  base,
  before,
  patch,
}: Edit): readonly Omit<Noted, "actor" | "way" | "edit">[] {
  const made = applyPatch(before ?? base, patch);
  const item = markIn(made.title);
  if (action === "create") return [{ field: "title", mark: null, before: item, item }];
  const was = before ?? base;
  if (action === "delete") {
    const mark = markIn(was.title);
    return [{ field: "title", mark, before: mark, item: null }];
  }
  return markedFields.flatMap((field) => {
    if (markOfPatch(patch, field) === "") return [];
    const mark = markOfPatch(valuesOf(was), field);
    const before = markOfPatch(valuesOf(made), field);
    return mark === "" ? [] : [{ field, mark, before, item }];
  });
}
