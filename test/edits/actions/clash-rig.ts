import { expect } from "vitest";
import type { EditAction } from "../../../src/domain/edit.ts";
import type { Item } from "../../../src/domain/item.ts";
import { fieldsOf, type Patch, valuesOf, without } from "../../../src/domain/patch.ts";
import { patchFromPlain } from "../../../src/domain/plain-item.ts";
import { sameShown } from "../../../src/domain/sameness.ts";
import type { Picks } from "../../../src/edits/actions/choice.ts";
import { createItemCalls, send } from "../../../src/edits/delivery/item-calls.ts";
import { edit as call, worked } from "../../contract/pair.ts";
import { zone } from "../../support/items.ts";
import { moveRig } from "../delivery/move-rig.ts";

type Kind = "event" | "task";

/** A rig in which an edit and somebody in the workspace change the same item, and a person then decides. */
export async function clashRig() {
  const rig = await moveRig();
  const { store, editActions } = rig;
  const calls = createItemCalls(rig.upstream, call);
  const itemOf = (uid: string): Item => {
    const known = store.mirror.get(rig.keyOf(uid));
    if (!known) throw new Error(`${uid} is not mirrored`);
    return known.item;
  };
  const choiceOf = (id: number) => {
    const choice = editActions.show(id)?.choice;
    if (!choice) throw new Error(`edit ${id} asks nothing`);
    return choice;
  };
  const addressOf = (item: Item) => {
    if (item.id === null) throw new Error("the item has no id");
    return { item, id: item.id };
  };

  return {
    ...rig,
    itemOf,
    /** A new item of the workspace, mirrored; returns its UID. */
    async item(kind: Kind, fields: Patch = {}): Promise<string> {
      const { uid } = kind === "event" ? await rig.event() : await rig.task();
      if (fieldsOf(fields).length > 0) {
        worked(await send(calls, { address: addressOf(itemOf(uid)), patch: fields }));
        await rig.sweep();
      }
      return uid;
    },
    /** Somebody edits it by Dayferry. */
    wish(uid: string, patch: Patch, action: EditAction = "update") {
      const edit = { channel: "caldav", actor: rig.owner, program: "Thunderbird/140" } as const;
      return store.journal.append({
        ...edit,
        item: rig.keyOf(uid),
        action,
        base: itemOf(uid),
        patch,
        newLabels: [],
        state: "pending",
      });
    },
    /** Somebody changes it in the workspace after the last sweep. Null: deletes the item. */
    async there(uid: string, patch: Patch | null): Promise<void> {
      const address = addressOf(await this.now(uid));
      if (patch === null) {
        worked(await calls.delete(address));
        return;
      }
      const rest = without(patch, "place");
      if (fieldsOf(rest).length > 0) worked(await send(calls, { address, patch: rest }));
      if (patch.place) worked(await calls.move(address, patch.place));
    },
    /** The item as the service has it. */
    async now(uid: string): Promise<Item> {
      const item = itemOf(uid);
      const found = await calls.get(addressOf(item));
      if (found.ok) return { ...found.value, id: item.id };
      await rig.sweep();
      return worked(await calls.get(addressOf(itemOf(uid))));
    },
    drained: () => rig.drainAll({ sweep: rig.sweep }),
    choice: (id = 1) => choiceOf(id),
    preview(picks: Picks, id = 1) {
      const { version } = choiceOf(id);
      const by = { channel: "dashboard", actor: rig.owner } as const;
      const decision = editActions.resolve(id, { version, picks, by, dryRun: true });
      if (decision.kind !== "preview") throw new Error(`no preview: ${JSON.stringify(decision)}`);
      return decision.preview;
    },
    resolve(picks: Picks, { id = 1, version = choiceOf(id).version } = {}) {
      const by = { channel: "dashboard", actor: rig.owner } as const;
      return editActions.resolve(id, { version, picks, by, dryRun: false });
    },
    /** Expects that the service has what the preview showed. */
    expectAsPreviewed(item: Item, { result }: { readonly result: object }): void {
      const shown = patchFromPlain(result, zone);
      for (const field of fieldsOf(shown)) {
        const same = sameShown(field, shown, valuesOf(item));
        expect(same, `${field} is as the preview has shown it`).toBe(true);
      }
    },
  };
}

/** A clash rig with a new item of the workspace. */
export async function withClash(kind: Kind, fields: Patch = {}) {
  const rig = await clashRig();
  return { rig, uid: await rig.item(kind, fields) };
}
