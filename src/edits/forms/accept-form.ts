import type { Channel, EditAction, EditState } from "../../domain/edit.ts";
import type { EditId, ItemKey, PersonId } from "../../domain/ids.ts";
import { isHtml } from "../../domain/is-html.ts";
import { canComplete, type Item, type SpokenKind, spokenKind } from "../../domain/item.ts";
import { applyPatch, fieldsOf, type Patch, pick, valuesOf } from "../../domain/patch.ts";
import { changedFields } from "../../domain/sameness.ts";
import { assigneesToKeepVisible, type Reader } from "../../domain/visibility.ts";
import { dayInWords, spanInWords } from "../../domain/wording.ts";
import type { NewEdit } from "../../store/journal/journal.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { say } from "../../texts/say.ts";
import {
  actionOf,
  type ChangeInWords,
  changesInWords,
  changesOf,
  type FieldChange,
  namesOf,
  sameWish,
  spokenFields,
} from "../field-changes.ts";
import { type AcceptDeps, deletionBrake } from "../intake/accept.ts";
import { limitFaults } from "../intake/service-limits.ts";

/** A form submitted from a page, with fields instead of a calendar file. */
export interface FormRequest {
  readonly actor: PersonId | null;
  /** The zone of times in the answer. */
  readonly zone: string;
  /** Previews the effect and stores nothing. */
  readonly dryRun: boolean;
  readonly wish: FormWish;
  /** Default: a page. */
  readonly channel?: Extract<Channel, "upload" | "cli" | "dashboard">;
  /** User-Agent of the program, if one sent it. */
  readonly program?: string | undefined;
  /** True if the edit waits until a person approves it. */
  readonly proposed?: boolean;
}

/** `sequence`: the version of the item that the form showed. */
export type FormWish =
  | {
      readonly kind: "change";
      readonly item: ItemKey;
      readonly sequence: number;
      readonly patch: Patch;
    }
  | { readonly kind: "delete"; readonly item: ItemKey; readonly sequence: number }
  /** The new item, with `id` null and an unused `uid`, and the same for its repetitions. */
  | ({ readonly kind: "create"; readonly more?: readonly NewItem[] } & NewItem);

interface NewItem {
  readonly item: Item;
  readonly uid: string;
}

/**
 * `planned`: `edit` is null for a dry run; `state` says whether it is sent or waits for a person. `moved`: someone else has
 * changed the same fields (`since`), so the form must be shown again.
 */
export type FormOutcome =
  | {
      readonly kind: "planned";
      readonly action: EditAction;
      readonly subject: FormSubject;
      readonly changes: readonly ChangeInWords[];
      readonly notes: readonly string[];
      readonly state: Extract<EditState, "pending" | "held">;
      readonly edit: EditId | null;
      /** When a repeating item takes place, in words; empty for any other. */
      readonly occurrences: readonly string[];
    }
  | { readonly kind: "unchanged"; readonly subject: FormSubject }
  | {
      readonly kind: "moved";
      readonly subject: FormSubject;
      readonly since: readonly ChangeInWords[];
    }
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  | { readonly kind: "gone" };

interface FormSubject {
  readonly kind: SpokenKind;
  readonly title: string;
}

/**
 * Accepts forms: compared with what the form showed, checked like edits of every channel, and on disk when this returns.
 * Nothing has been sent to the service yet.
 */
export function createAcceptForm(deps: AcceptDeps): (request: FormRequest) => FormOutcome {
  const { store, onAccepted } = deps;

  function kept(draft: Draft, request: FormRequest, madeWith?: EditId): EditId {
    const { actor, channel = "dashboard", program, proposed = false } = request;
    const { target, state, ...edit } = draft;
    const waiting =
      typeof target === "object"
        ? null
        : store.journal
            .heldOf(target)
            .find((held) => held.action === edit.action && sameWish(held, { ...edit, newLabels }));
    if (waiting && state === "held") return waiting.id;
    const item =
      typeof target === "object" ? store.mirror.createIdentity(target.kind, target.uid) : target;
    // In review mode only the admin approves.
    const isProposed = proposed && deps.policy.mode === "apply";
    const whose = { channel, actor, program, ...(isProposed && { proposed: true }) };
    const together = madeWith === undefined ? {} : { madeWith };
    return store.journal.append({ ...edit, ...whose, item, newLabels, state, ...together });
  }

  return (request) => {
    const keptTogether = (first: Draft, others: readonly Drafted[]): EditId => {
      const id = kept(first, request);
      for (const one of others) kept(one.draft, request, id);
      return id;
    };
    const accept = (): FormOutcome => {
      const all = repetitionsOf(request).map((one) => draft(one, deps));
      const failed = all.find((one) => one.kind !== "draft");
      if (failed) return failed;
      const [drafted, ...others] = all.filter((one) => one.kind === "draft");
      if (!drafted) return { kind: "gone" };
      const { subject, changes, notes, draft: edit } = drafted;
      return {
        kind: "planned",
        action: edit.action,
        subject,
        changes: inWords(changes, { request, deps }),
        notes,
        state: edit.state,
        edit: request.dryRun ? null : keptTogether(edit, others),
        occurrences: others.length === 0 ? [] : all.flatMap((one) => timeOf(one, request.zone)),
      };
    };
    if (request.dryRun) return accept();
    const outcome = store.durably(accept);
    if (outcome.kind === "planned" && outcome.state === "pending") onAccepted();
    return outcome;
  };
}

/** A form for each item that it makes or changes. */
function repetitionsOf(request: FormRequest): readonly FormRequest[] {
  const { wish } = request;
  if (wish.kind !== "create") return [request];
  const items = [{ item: wish.item, uid: wish.uid }, ...(wish.more ?? [])];
  return items.map((one) => ({ ...request, wish: { kind: "create", ...one } }));
}

function timeOf(drafting: Drafting, zone: string): readonly string[] {
  if (drafting.kind !== "draft") return [];
  const { base } = drafting.draft;
  const when = base.kind === "event" ? base.when : null;
  if (when) return [spanInWords(when, zone)];
  const day = base.kind === "event" ? null : (base.dueOn ?? base.startOn);
  return day ? [dayInWords(day)] : [];
}

const newLabels: readonly string[] = [];

const inWords = (
  changes: readonly FieldChange[],
  { request, deps }: Pick<Asked<"change">, "request" | "deps">,
): readonly ChangeInWords[] =>
  changesInWords(changes, { ...namesOf(deps.store), zone: request.zone });

interface Draft extends Pick<NewEdit, "action" | "base" | "patch"> {
  readonly target: ItemKey | { readonly kind: Item["kind"]; readonly uid: string };
  readonly state: "pending" | "held";
}

interface Drafted {
  readonly kind: "draft";
  readonly draft: Draft;
  readonly subject: FormSubject;
  readonly changes: readonly FieldChange[];
  readonly notes: readonly string[];
}

type Drafting = Drafted | Exclude<FormOutcome, { readonly kind: "planned" }>;

function draft(request: FormRequest, deps: AcceptDeps): Drafting {
  const { wish } = request;
  if (wish.kind === "create") return draftCreation(wish, request, deps);
  const viewed = deps.store.view.get(wish.item);
  if (!viewed) return { kind: "gone" };
  return wish.kind === "delete"
    ? draftDeletion(viewed, { wish, request, deps })
    : draftChange(viewed, { wish, request, deps });
}

interface Asked<Kind extends FormWish["kind"]> {
  readonly wish: Extract<FormWish, { readonly kind: Kind }>;
  readonly request: FormRequest;
  readonly deps: AcceptDeps;
}

function draftChange(viewed: ViewItem, { wish, request, deps }: Asked<"change">): Drafting {
  const { store, zone } = deps;
  const { key, item } = viewed;
  const subject = subjectOf(item);
  const seen = seenItem(viewed, { ...wish, reader: request.actor }, deps) ?? item;
  const patch = changedFields(valuesOf(seen), wish.patch);
  const since = changedFields(valuesOf(seen), pick(valuesOf(item), fieldsOf(patch)));
  const asked = changedFields(valuesOf(item), patch);
  if (fieldsOf(asked).length === 0) return { kind: "unchanged", subject };
  const disputed = changesOf(valuesOf(seen), { patch: since, newLabels });
  if (disputed.length > 0)
    return { kind: "moved", subject, since: inWords(disputed, { request, deps }) };
  const reasons = faultsOf({ after: applyPatch(item, asked), patch: asked, zone });
  if (reasons.length > 0) return { kind: "refused", reasons };
  const list = store.directory.listOf(item);
  const people = [request.actor];
  const sawIt = assigneesToKeepVisible(item, { list, creator: item.creatorId, people }) === null;
  const assigned = sawIt
    ? assigneesToKeepVisible(applyPatch(item, asked), { list, creator: item.creatorId, people })
    : null;
  const full: Patch = assigned ? { ...asked, assigned } : asked;
  const { description } = item;
  const isPlain = asked.description !== undefined && description && isHtml(description);
  return {
    kind: "draft",
    subject,
    changes: changesOf(valuesOf(item), { patch: full, newLabels }),
    notes: [
      ...(isPlain ? [say("intake.formattingLost")] : []),
      ...(assigned ? [say("intake.assignedToSee")] : []),
    ],
    draft: {
      target: key,
      action: actionOf(full),
      base: item,
      patch: full,
      state: stateOf(request, deps),
    },
  };
}

function draftDeletion(viewed: ViewItem, { wish, request, deps }: Asked<"delete">): Drafting {
  const { key, item } = viewed;
  const seen = seenItem(viewed, { ...wish, reader: request.actor }, deps);
  const subject = subjectOf(item);
  if (seen) {
    const since = changesOf(valuesOf(seen), {
      patch: changedFields(valuesOf(seen), valuesOf(item)),
      newLabels,
    });
    if (since.length > 0)
      return { kind: "moved", subject, since: inWords(since, { request, deps }) };
  }
  const { actor, channel = "dashboard" } = request;
  const by = { channel, actor };
  const recent = deps.store.pastEdits.deletionsSince(deps.clock().subtract(deletionBrake.span), by);
  const isMany = recent >= deletionBrake.most;
  return {
    kind: "draft",
    subject,
    changes: [],
    notes: isMany ? [say("intake.heldDeletion", { count: String(recent + 1) })] : [],
    draft: {
      target: key,
      action: "delete",
      base: item,
      patch: {},
      state: isMany ? "held" : stateOf(request, deps),
    },
  };
}

function draftCreation(
  { item, uid }: Extract<FormWish, { readonly kind: "create" }>,
  request: FormRequest,
  deps: AcceptDeps,
): Drafting {
  const { store, zone } = deps;
  const patch = spokenFields(item);
  const reasons = faultsOf({ after: item, patch: { ...patch, title: item.title }, zone });
  if (reasons.length > 0) return { kind: "refused", reasons };
  const { actor } = request;
  const maker = actor !== null && deps.withOwnKey?.has(actor) === true ? actor : null;
  const list = store.directory.listOf(item);
  const assigned = assigneesToKeepVisible(item, { list, creator: maker, people: [actor] });
  const base = assigned ? { ...item, assigned } : item;
  const full = assigned ? { ...patch, assigned } : patch;
  return {
    kind: "draft",
    subject: subjectOf(item),
    changes: changesOf(null, { patch: full, newLabels }),
    notes: assigned ? [say("intake.assignedToSee")] : [],
    draft: {
      target: { kind: item.kind, uid },
      action: "create",
      base,
      patch: full,
      state: stateOf(request, deps),
    },
  };
}

/** The item as the form showed it; null if that is no longer known. */
function seenItem(
  { key, item, sequence: now }: ViewItem,
  { sequence, reader }: { readonly sequence: number; readonly reader: Reader },
  { store }: AcceptDeps,
): Item | null {
  return now === sequence ? item : store.view.shownAs(key, { sequence, modifiedAt: null }, reader);
}

const stateOf = ({ proposed = false }: FormRequest, { policy }: AcceptDeps) =>
  proposed || policy.mode === "review" ? "held" : "pending";

const subjectOf = (item: Item): FormSubject => ({ kind: spokenKind(item), title: item.title });

/** Why the service could not store what the form asks for, in sentences; `after`: the resulting item. */
function faultsOf({
  after,
  patch,
  zone,
}: {
  readonly after: Item;
  readonly patch: Patch;
  readonly zone: string;
}): readonly string[] {
  const faults = limitFaults(patch, zone).map(({ message }) => message);
  if (patch.title?.trim() === "") faults.push(say("intake.noTitle"));
  if (patch.completed !== undefined && !canComplete(after)) {
    faults.push(say("intake.notCompletable"));
  }
  const isTouched = patch.when !== undefined || patch.milestone !== undefined;
  const milestone = isTouched ? milestoneFault(after) : null;
  return milestone ? [...faults, milestone] : faults;
}

function milestoneFault(item: Item): string | null {
  if (item.kind !== "event" || !item.milestone) return null;
  const { when } = item;
  if (when.kind === "times") return say("intake.milestoneAllDay");
  const { days } = when.start.until(when.end, { largestUnit: "days" });
  return days === 1 ? null : say("intake.milestoneDays", { days });
}
