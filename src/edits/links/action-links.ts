import type { Edit } from "../../domain/edit.ts";
import { type EditId, editId, isId, type PersonId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { fieldsOf, type Patch, valuesOf } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { changedFields } from "../../domain/sameness.ts";
import {
  type AnyLinkClaim,
  dayOf,
  type LinkAction,
  linkPatch,
  makeLinks,
  type NamedLink,
} from "../../domain/signed-links.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { describeEdit, type EditDescription } from "../actions/describe.ts";
import { actionOf, sameWish } from "../field-changes.ts";
import {
  type LinkFault,
  type LinkOffer,
  type LinkState,
  type LinkStateDeps,
  type Looked,
  lookAt,
} from "./link-state.ts";

/**
 * The result of following a link. `stored`: its edit is in the journal, possibly from before. `moved`: the item's date differs
 * from what the person saw, so they must be asked again.
 */
type LinkOutcome =
  | { readonly kind: "stored"; readonly edit: EditId }
  | { readonly kind: "moved"; readonly offer: LinkOffer }
  | Exclude<LinkState, LinkOffer>;

/** The action links of published texts. Only `follow` changes anything. */
export type ActionLinks = ReturnType<typeof createActionLinks>;

interface ActionLinksDeps extends LinkStateDeps {
  readonly mode: "apply" | "review";
  /** Called when an edit was stored that may be sent. */
  readonly onAccepted: () => void;
}

export function createActionLinks(deps: ActionLinksDeps) {
  const { store, mode, signer, zone, clock, readOnly, onAccepted } = deps;

  function append({ key, item }: ViewItem, { patch, actor }: Wish): EditId {
    const state = mode === "review" ? "held" : "pending";
    const edit = store.durably(() =>
      store.journal.append({
        channel: "link",
        actor,
        item: key,
        action: actionOf(patch),
        base: item,
        patch,
        newLabels: [],
        state,
      }),
    );
    if (state === "pending") onAccepted();
    return edit;
  }

  /** The link's edit, if it has already done what this request asks for, as after a double click. */
  function earlier({ viewed, state }: Looked, shown: string): EditId | null {
    const recent = store.journal.list({ limit: recentEdits });
    const found = recent.find(
      (edit) =>
        edit.item === viewed.key &&
        sentStates.includes(edit.state) &&
        isOfLink(edit, state.action, shown) &&
        says(viewed.item, edit.patch),
    );
    return found?.id ?? null;
  }

  /** In review mode nothing shows that the edit waits already. */
  function waiting({ viewed }: Looked, patch: Patch): EditId | null {
    const held = store.journal.list({ state: "held", limit: mostHeld });
    const same = held.find(
      (edit) => edit.item === viewed.key && sameWish(edit, { patch, newLabels: [] }),
    );
    return same?.id ?? null;
  }

  function stored(
    looked: Looked,
    { shown, actor }: { readonly shown: string; readonly actor: PersonId | null },
  ): EditId | null {
    const { state, patch } = looked;
    const isCurrent =
      state.kind === "offer" && (!moves(state.action) || dayText(looked.viewed.item) === shown);
    if (!isCurrent || !patch) return earlier(looked, shown);
    return waiting(looked, patch) ?? append(looked.viewed, { patch, actor });
  }

  return {
    look(text: string): LinkState {
      const looked = lookAt(text, deps);
      return looked.ok ? looked.value.state : { kind: "void", fault: looked.failure };
    },
    /** `shown`: the item's day as the person saw it, `YYYY-MM-DD`; "" if none. */
    follow(text: string, shown: string): LinkOutcome {
      const looked = lookAt(text, deps);
      if (!looked.ok) return { kind: "void", fault: looked.failure };
      const { state, claim } = looked.value;
      const edit = stored(looked.value, { shown, actor: actorOf(claim) });
      if (edit !== null) return { kind: "stored", edit };
      return state.kind === "offer" ? { kind: "moved", offer: state } : state;
    },
    /** An edit that such a link of the same item made, as long as the link would still show the item. */
    result(text: string, id: number): Result<EditDescription, LinkFault> {
      const looked = lookAt(text, deps);
      if (!looked.ok) return looked;
      const { claim } = looked.value;
      const edit = isId(id) ? store.journal.get(editId(id)) : null;
      const isOfLink =
        edit?.channel === "link" && edit.item === claim.item && edit.actor === actorOf(claim);
      return isOfLink ? ok(describeEdit(edit, store)) : fail("unknown");
    },
    /**
     * What a reader of a mail can do with an item; nothing for read-only people. `address`: public URL of this server, without a
     * trailing slash. Links act in the reader's name.
     */
    ofMail(
      { key, item }: ViewItem,
      { person, address }: { readonly person: PersonId; readonly address: string },
    ): readonly NamedLink[] {
      if (readOnly?.has(person)) return [];
      const today = clock().toZonedDateTimeISO(zone).toPlainDate();
      const until = today.add(mailLinksLast);
      return makeLinks({ signer, address }, { item, claim: { item: key, person, until } });
    },
  };
}

interface Wish {
  readonly patch: Patch;
  readonly actor: PersonId | null;
}

/** A mail is read soon or never, and the next one has new links. */
const mailLinksLast = Temporal.Duration.from({ days: 30 });

/** Many people read a feed, one person a mail. */
const actorOf = (claim: AnyLinkClaim): PersonId | null => ("person" in claim ? claim.person : null);

const mostHeld = 1_000_000;
/** A double click comes soon after the first. */
const recentEdits = 500;
const sentStates: readonly Edit["state"][] = ["pending", "claimed", "confirmed"];

const moves = (action: LinkAction): boolean => action === "day" || action === "week";

const dayText = (item: Item): string => dayOf(item)?.toString() ?? "";

function isOfLink(edit: Edit, action: LinkAction, shown: string): boolean {
  const patch = linkPatch(edit.base, action);
  if (edit.channel !== "link" || !patch || dayText(edit.base) !== shown) return false;
  return sameWish(edit, { patch, newLabels: [] });
}

const says = (item: Item, patch: Patch): boolean =>
  fieldsOf(changedFields(valuesOf(item), patch)).length === 0;

export type { LinkFault, LinkOffer, LinkState, LinkSubject } from "./link-state.ts";
