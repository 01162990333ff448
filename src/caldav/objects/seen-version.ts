import type { ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { baseMark } from "../../ics/base-mark.ts";
import type { DavContext } from "../context.ts";
import { changesOf, type ObjectEdit } from "./object-edit.ts";

/** An edit of an item that is there, of which it is not said yet what its sender saw. */
export interface UnbasedEdit extends Omit<ObjectEdit, "base"> {
  readonly key: ItemKey;
  readonly present: Item;
  /** Whether a condition has named the present version. */
  readonly isSeen: boolean;
  /** Whether it takes the item to another place, and so wishes something in any case. */
  readonly isMove: boolean;
  readonly agent: string;
}

/**
 * The version that the editor saw: the present one when a condition has named it, else the one that the octets name.
 * Programs keep that name through edits of their own, so octets that were put last bear an older one than what they show.
 * Under that name an edit by the same program is one of these octets; by another program it may be one of either.
 */
export function baseOf(context: DavContext, edit: UnbasedEdit): Item {
  const { store, person } = context;
  const { key, present, incoming, isSeen, agent } = edit;
  const { base, component } = incoming;
  if (isSeen || base === null) return present;
  const named = store.view.shownAs(key, { sequence: base, modifiedAt: null });
  const last = store.objects.get({ item: key, component });
  const shown =
    last && numberIn(last.raw, baseMark) === base ? store.view.shownAt(key, last.at) : null;
  if (!last || !shown) return named ?? present;
  const isOwn = last.actor === person.id && last.agent === agent;
  if (isOwn || !named) return shown;
  const isLater = (incoming.sequence ?? 0) > (numberIn(last.raw, "SEQUENCE") ?? 0);
  return isLater ? shown : nearer(context, { edit, shown, named });
}

/**
 * Of two versions the one that the edit changes less of, but something: what is put back as it was is a wish, and without a
 * condition it is taken at its word.
 */
function nearer(
  context: DavContext,
  about: { readonly edit: UnbasedEdit; readonly shown: Item; readonly named: Item },
): Item {
  const { edit, shown, named } = about;
  const toNamed = changesOf(context, { ...edit, base: named });
  const toShown = changesOf(context, { ...edit, base: shown });
  if (toNamed === null || toShown === null) return shown;
  const isWish = toNamed > 0 || edit.isMove;
  return isWish && toNamed < toShown ? named : shown;
}

function numberIn(raw: string, name: string): number | null {
  const value = new RegExp(`^${name}:(\\d+)\\s*$`, "m").exec(raw)?.[1];
  return value === undefined ? null : Number(value);
}
