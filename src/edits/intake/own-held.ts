import type { Channel, Edit } from "../../domain/edit.ts";
import type { EditId, ItemKey, PersonId } from "../../domain/ids.ts";
import { fieldsOf, type Patch, pick, valuesOf } from "../../domain/patch.ts";
import type { Store } from "../../store/store.ts";

/** Changes of an item by one editor's calendar programs that wait for approval, as one. */
export interface OwnHeld {
  readonly ids: readonly EditId[];
  readonly patch: Patch;
  readonly newLabels: readonly string[];
  /** What the fields of the patch were when the first of the changes came. */
  readonly bases: Patch;
}

/**
 * What an editor is shown beside the item as all see it. A later change of that editor starts from there, and takes these in:
 * what waits is one change, which says all that the editor wishes. Null where nothing waits.
 */
export function ownHeld(
  item: ItemKey,
  of: { readonly store: Store; readonly channel: Channel; readonly actor: PersonId | null },
): OwnHeld | null {
  const waiting = ownOf(item, of).filter(
    ({ action }) => action !== "create" && action !== "delete",
  );
  if (waiting.length === 0) return null;
  const bases = waiting.map(({ base, patch }) => pick(valuesOf(base), fieldsOf(patch)));
  return {
    ids: waiting.map(({ id }) => id),
    patch: Object.assign({}, ...waiting.map(({ patch }) => patch)),
    newLabels: waiting.at(-1)?.newLabels ?? [],
    bases: Object.assign({}, ...bases.toReversed()),
  };
}

/** Why a waiting edit ends that the same editor's next one has taken in. */
export const takenIn = "its editor's next edit says it as well";

/** All edits of an item by one editor's calendar programs that wait, oldest first. */
export const ownOf = (
  item: ItemKey,
  { store, channel, actor }: Parameters<typeof ownHeld>[1],
): readonly Edit[] =>
  channel !== "caldav" || actor === null
    ? []
    : store.journal
        .heldOf(item)
        .filter((edit) => edit.channel === channel && edit.actor === actor)
        .toReversed();
