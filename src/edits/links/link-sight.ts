import type { LinkAction, LinkClaim, LinkSigner } from "../../domain/action-link.ts";
import { type Item, type SpokenKind, spokenKind } from "../../domain/item.ts";
import { dayOf, linkPatch } from "../../domain/link-actions.ts";
import { applyPatch, type Patch } from "../../domain/merge.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { oneLine } from "../../ics/text.ts";
import type { Store } from "../../store/store.ts";
import type { ViewItem } from "../../store/view.ts";

/** Why a link does nothing any more, or never did. */
export type LinkFault = "unknown" | "expired" | "revoked" | "gone";

/** The item of a link, as everybody sees it now. */
export interface LinkSubject {
  readonly title: string;
  readonly kind: SpokenKind;
  /** Title of its project; null when that is not known. */
  readonly project: string | null;
  readonly completed: boolean;
  /** The day that a move would move; null when it has none. */
  readonly day: Temporal.PlainDate | null;
}

/** What a link would do now. `idle`: nothing, as its item is in no state that the action could change. */
export type LinkSight =
  | { readonly kind: "void"; readonly fault: LinkFault }
  | { readonly kind: "idle"; readonly subject: LinkSubject; readonly action: LinkAction }
  | LinkOffer;

export interface LinkOffer {
  readonly kind: "offer";
  readonly subject: LinkSubject;
  readonly action: LinkAction;
  /** The day of the item afterwards. */
  readonly day: Temporal.PlainDate | null;
}

/** A sight, and what it was seen in. */
export interface Looked {
  readonly sight: Exclude<LinkSight, { readonly kind: "void" }>;
  readonly viewed: ViewItem;
  readonly patch: Patch | null;
}

export interface LinkSightDeps {
  readonly store: Store;
  readonly signer: LinkSigner;
  /** The account's zone. */
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
  /** What feeds do with private items: unless they show them, no link may tell of one. */
  readonly private: "omit" | "busy" | "show";
}

/** What the signed part of a link says, as long as its feed stands and it has not expired. */
export function readClaim(
  text: string,
  { store, signer, zone, clock }: LinkSightDeps,
): Result<LinkClaim, LinkFault> {
  const claim = signer.read(text);
  if (!claim) return fail("unknown");
  const feed = store.feeds.get(claim.feed);
  if (!feed || feed.revokedAt || feed.version !== claim.feedVersion) return fail("revoked");
  const today = clock().toZonedDateTimeISO(zone).toPlainDate();
  return Temporal.PlainDate.compare(today, claim.until) > 0 ? fail("expired") : ok(claim);
}

/** What a claim would do to the item as it is now. Reads only. */
export function lookAt(
  { action, item: key, feed }: LinkClaim,
  { store, private: secrecy }: LinkSightDeps,
): Result<Looked, LinkFault> {
  const viewed = store.view.get(key);
  const isShown = viewed?.item.projectId === store.feeds.get(feed)?.projectId;
  if (!viewed || !isShown || (secrecy !== "show" && isPrivate(viewed.item, store))) {
    return fail("gone");
  }
  const { item } = viewed;
  const subject = subjectOf(item, store);
  const patch = linkPatch(item, action);
  if (!patch) return ok({ sight: { kind: "idle", subject, action }, viewed, patch });
  const day = dayOf(applyPatch(item, patch));
  return ok({ sight: { kind: "offer", subject, action, day }, viewed, patch });
}

function isPrivate(item: Item, { directory }: Store): boolean {
  return item.kind === "event" ? item.private : (directory.todolist(item.listId)?.private ?? false);
}

function subjectOf(item: Item, { directory }: Store): LinkSubject {
  return {
    title: oneLine(item.title) || "(untitled)",
    kind: spokenKind(item),
    project: directory.project(item.projectId)?.title ?? null,
    completed: item.completed,
    day: dayOf(item),
  };
}
