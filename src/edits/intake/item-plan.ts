import type { IncomingCalendar, IncomingItem } from "@dayferry/ical";
import type { Channel, EditAction } from "../../domain/edit.ts";
import type { NewExtra } from "../../domain/edit-extra.ts";
import type { ItemKind } from "../../domain/fields.ts";
import type { EditId, ItemKey, ListId, PersonId, ProjectId } from "../../domain/ids.ts";
import type { Item, SpokenKind } from "../../domain/item.ts";
import type { Patch, PatchField } from "../../domain/patch.ts";
import type { Store } from "../../store/store.ts";
import type { FieldChange } from "../field-changes.ts";
import type { DiffContext } from "./file-context.ts";
import type { Note } from "./part.ts";

/** All that the plan for one item of a file depends on. */
export interface Situation {
  readonly store: Store;
  readonly channel: Channel;
  readonly context: DiffContext;
  readonly calendar: IncomingCalendar;
  /** By UID, what the editor is known to have been shown; of others it is told by the file itself. */
  readonly bases: ReadonlyMap<string, Item>;
  /** By UID, fields of which the editor has taken the property away. */
  readonly cleared: ReadonlyMap<string, readonly PatchField[]>;
  /** By UID, the text as it was shown that the editor's one takes the place of as a whole. */
  readonly replaced: ReadonlyMap<string, IncomingItem>;
  /** What a to-do of unknown UID is to be, where that is no task. */
  readonly newAs: "milestone" | null;
  /** Whether the editor means a new item, also where one of the same UID was deleted. */
  readonly recreate: boolean;
  /** Whether the item of a UID is none for the editor's eyes, so that it must look as if there were none. */
  readonly hides: (uid: string) => boolean;
  readonly dryRun: boolean;
  /** Where items of unknown UID go; null = nowhere. */
  readonly projectId: ProjectId | null;
  readonly listId: ListId | null;
  readonly actor: PersonId | null;
  /** User-Agent of the program that sent the file; null where it said none. */
  readonly program: string | null;
  /** Whether what the actor makes is the actor's, and not the account's. */
  readonly hasOwnKey: boolean;
  readonly at: Temporal.Instant;
}

/** What is to become of one item of a file. */
export interface ItemPlan {
  readonly incoming: IncomingItem;
  readonly kind: SpokenKind;
  readonly title: string;
  readonly changes: readonly FieldChange[];
  /** Why it is refused; empty when it is not. */
  readonly refusals: readonly Note[];
  readonly notes: readonly Note[];
  /** Waiting edits of the same editor that this one takes in; none unless said. */
  readonly takesIn?: readonly EditId[];
  /** Of a known item: what the file itself says otherwise than its editor saw, without what waiting edits wish. */
  readonly asked?: Patch;
  /** What it asks for beside its fields; none unless said. */
  readonly extras?: readonly NewExtra[];
  readonly ending: Ending;
}

type Ending =
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused" }
  /** The same wish waits for a person already. */
  | { readonly kind: "waits"; readonly action: EditAction; readonly editId: EditId }
  | { readonly kind: "edit"; readonly edit: EditDraft };

/** An edit that is to be stored. */
export interface EditDraft {
  readonly action: EditAction;
  /** A new item gets its handle when the edit is stored. */
  readonly item: ItemKey | { readonly kind: ItemKind; readonly uid: string };
  readonly base: Item;
  readonly patch: Patch;
  readonly newLabels: readonly string[];
  /** An edit of a person's wish that this one takes the place of. */
  readonly replaces: EditId | null;
  /** Of a creation: UID of the task below which it belongs, where that has no id yet. */
  readonly parentUid?: string;
  /** Whether the item is made again after it was deleted. */
  readonly recreates?: boolean;
}

const kindOfComponent = (incoming: IncomingItem): SpokenKind =>
  incoming.component === "VEVENT" ? "event" : "task";

/** A refusal for these reasons; `about`: what is known of the item. */
export function refusal(
  incoming: IncomingItem,
  about: {
    readonly reasons: readonly Note[];
    readonly notes?: readonly Note[];
    readonly kind?: SpokenKind;
    readonly title?: string;
    readonly changes?: readonly FieldChange[];
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
