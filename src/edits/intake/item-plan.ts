import type { IncomingCalendar, IncomingItem } from "@dayferry/ical";
import type { Channel, EditAction } from "../../domain/edit.ts";
import type { NewExtra } from "../../domain/edit-extra.ts";
import type { ItemKind } from "../../domain/fields.ts";
import type { EditId, ItemKey, ListId, PersonId, ProjectId } from "../../domain/ids.ts";
import type { Item, SpokenKind } from "../../domain/item.ts";
import type { Patch, PatchField } from "../../domain/patch.ts";
import type { Store } from "../../store/store.ts";
import type { FieldChange } from "../field-changes.ts";
import type { DiffContext, Note } from "./plan-part.ts";

/** Everything that the plan for one item of a file depends on. */
export interface Situation {
  readonly store: Store;
  readonly channel: Channel;
  readonly context: DiffContext;
  readonly calendar: IncomingCalendar;
  /** By UID, what the editor is known to have seen; for other items, the file names the version. */
  readonly bases: ReadonlyMap<string, Item>;
  /** By UID, fields whose property the editor has removed. */
  readonly cleared: ReadonlyMap<string, readonly PatchField[]>;
  /** By UID, the text that the editor replaces as a whole. */
  readonly replaced: ReadonlyMap<string, IncomingItem>;
  /** What a to-do with unknown UID becomes, if not a task. */
  readonly newAs: "milestone" | null;
  /** True if the editor wants a new item, even if one with the same UID was deleted. */
  readonly recreate: boolean;
  /** True if the editor may not see the item of a UID, so that it must look as if there were none. */
  readonly hides: (uid: string) => boolean;
  readonly dryRun: boolean;
  /** Place of items with unknown UID; null = none. */
  readonly projectId: ProjectId | null;
  readonly listId: ListId | null;
  readonly actor: PersonId | null;
  /** User-Agent of the program that sent the file; null if none. */
  readonly program: string | null;
  /** True if the actor, not the account, becomes the creator. */
  readonly hasOwnKey: boolean;
  readonly at: Temporal.Instant;
}

/** The plan for one item of a file. */
export interface ItemPlan {
  readonly incoming: IncomingItem;
  readonly kind: SpokenKind;
  readonly title: string;
  readonly changes: readonly FieldChange[];
  /** Why it is refused; empty if it is not. */
  readonly refusals: readonly Note[];
  readonly notes: readonly Note[];
  /** Waiting edits of the same editor that this one includes; none by default. */
  readonly takesIn?: readonly EditId[];
  /** For a known item: the file's own changes, without those of waiting edits. */
  readonly asked?: Patch;
  /** What it requests besides fields; none by default. */
  readonly extras?: readonly NewExtra[];
  readonly ending: Ending;
}

type Ending =
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused" }
  /** The same edit waits for a person already. */
  | { readonly kind: "waits"; readonly action: EditAction; readonly editId: EditId }
  | { readonly kind: "edit"; readonly edit: EditDraft };

/** An edit to be stored. */
export interface EditDraft {
  readonly action: EditAction;
  /** A new item gets its key when the edit is stored. */
  readonly item: ItemKey | { readonly kind: ItemKind; readonly uid: string };
  readonly base: Item;
  readonly patch: Patch;
  readonly newLabels: readonly string[];
  /** An edit that this one replaces. */
  readonly replaces: EditId | null;
  /** For a creation: UID of the parent task, if that has no id yet. */
  readonly parentUid?: string;
  /** True if the item is recreated after a deletion. */
  readonly recreates?: boolean;
}

const kindOfComponent = (incoming: IncomingItem): SpokenKind =>
  incoming.component === "VEVENT" ? "event" : "task";

/** A refusal with these reasons; `about`: what is known of the item. */
export function refusal(
  incoming: IncomingItem,
  about: Partial<Pick<ItemPlan, "notes" | "kind" | "title" | "changes">> & {
    readonly reasons: readonly Note[];
  },
): ItemPlan {
  return {
    incoming,
    kind: about.kind ?? kindOfComponent(incoming),
    title: about.title ?? incoming.summary ?? "",
    changes: about.changes ?? [],
    refusals: about.reasons,
    notes: about.notes ?? [],
    ending: { kind: "refused" },
  };
}
