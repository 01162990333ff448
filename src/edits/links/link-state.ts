import { oneLine } from "@dayferry/ical";
import { feedHolds, isPlainFeed, privateModeOf } from "../../domain/feed-filter.ts";
import type { PersonId } from "../../domain/ids.ts";
import { type Item, type SpokenKind, spokenKind } from "../../domain/item.ts";
import { applyPatch, type Patch } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import {
  type AnyLinkClaim,
  dayOf,
  type LinkAction,
  type LinkSigner,
  linkPatch,
} from "../../domain/signed-links.ts";
import { isPrivate, seesItem } from "../../domain/visibility.ts";
import { rulesOfFeed } from "../../store/channels/feed-rules.ts";
import type { Store } from "../../store/store.ts";
import type { ViewItem } from "../../store/view/view.ts";

/** Why a link does not work. */
export type LinkFault = "unknown" | "expired" | "revoked" | "gone";

/** The item of a link as everyone sees it now. */
export interface LinkSubject {
  readonly title: string;
  readonly kind: SpokenKind;
  /** Title of its project; null if unknown. */
  readonly project: string | null;
  readonly completed: boolean;
  /** The day that a move would change; null if none. */
  readonly day: Temporal.PlainDate | null;
}

/** What a link would do now. `idle`: nothing, as the action does not apply to the item's state. */
export type LinkState =
  | { readonly kind: "void"; readonly fault: LinkFault }
  | { readonly kind: "idle"; readonly subject: LinkSubject; readonly action: LinkAction }
  | LinkOffer;

export interface LinkOffer {
  readonly kind: "offer";
  readonly subject: LinkSubject;
  readonly action: LinkAction;
  /** The item's day afterwards. */
  readonly day: Temporal.PlainDate | null;
}

/** What a link would do, with its context. */
export interface Looked {
  readonly claim: AnyLinkClaim;
  readonly state: Exclude<LinkState, { readonly kind: "void" }>;
  readonly viewed: ViewItem;
  readonly patch: Patch | null;
}

export interface LinkStateDeps {
  readonly store: Store;
  readonly signer: LinkSigner;
  /** The account's zone. */
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
  /** How feeds treat private items: unless shown, no link of a feed may reveal one. */
  readonly private: "omit" | "busy" | "show";
  /** People with read-only access, also for links in mails. */
  readonly readOnly?: ReadonlySet<PersonId>;
}

/** The content of a link's signed part, if its feed or reader still exists and it has not expired. */
function readClaim(text: string, deps: LinkStateDeps): Result<AnyLinkClaim, LinkFault> {
  const { signer, zone, clock } = deps;
  const claim = signer.read(text);
  if (!claim) return fail("unknown");
  if (!stands(claim, deps)) return fail("revoked");
  const today = clock().toZonedDateTimeISO(zone).toPlainDate();
  return Temporal.PlainDate.compare(today, claim.until) > 0 ? fail("expired") : ok(claim);
}

/** The check for every URL below a link: what it would do to the item now. Read-only. */
export function lookAt(text: string, deps: LinkStateDeps): Result<Looked, LinkFault> {
  const read = readClaim(text, deps);
  if (!read.ok) return read;
  const { store } = deps;
  const claim = read.value;
  const { action } = claim;
  const viewed = store.view.get(claim.item);
  if (!viewed || !isShown(viewed.item, claim, deps)) return fail("gone");
  const { item } = viewed;
  const subject = subjectOf(item, store);
  const patch = linkPatch(item, action);
  if (!patch) return ok({ state: { kind: "idle", subject, action }, claim, viewed, patch });
  const day = dayOf(applyPatch(item, patch));
  return ok({ state: { kind: "offer", subject, action, day }, claim, viewed, patch });
}

function stands(claim: AnyLinkClaim, { store, readOnly }: LinkStateDeps): boolean {
  if ("person" in claim) {
    const reader = store.directory.people().find(({ id }) => id === claim.person);
    return reader !== undefined && !reader.suspended && !readOnly?.has(reader.id);
  }
  const feed = store.feeds.get(claim.feed);
  return feed !== null && !feed.revokedAt && feed.version === claim.feedVersion;
}

/** True if the feed still shows the item, or the reader may still see it. */
function isShown(item: Item, claim: AnyLinkClaim, deps: LinkStateDeps): boolean {
  const { directory, feeds } = deps.store;
  const list = directory.listOf(item);
  if ("person" in claim) {
    return seesItem(claim.person, { item, project: directory.project(item.projectId), list });
  }
  const feed = feeds.get(claim.feed);
  if (!feed) return false;
  // An item just completed by a link stays on its page.
  const isInFeed = isPlainFeed(feed)
    ? item.projectId === feed.projectId
    : feedHolds(item, { ...rulesOfFeed(feed, deps.store), withCompleted: true });
  return isInFeed && (privateModeOf(feed, deps.private) === "show" || !isPrivate(item, list));
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
