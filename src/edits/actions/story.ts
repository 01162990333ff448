import type { Decider, Edit } from "../../domain/edit.ts";
import { fieldsOf, valuesOf } from "../../domain/patch.ts";
import { unreachable } from "../../domain/result.ts";
import { differingFields, sameShown } from "../../domain/sameness.ts";
import {
  enumerated,
  fieldNameOf,
  type Names,
  plainLine,
  programInWords,
} from "../../domain/wording.ts";
import type { EditStep } from "../../store/rows/edit-rows.ts";
import type { Store } from "../../store/store.ts";
import { seenBase } from "../delivery/merge-edit.ts";
import { valueInWords } from "../field-changes.ts";
import { editorName, sinceInWords } from "./sentence.ts";

/** One step of an edit's history in words; serialises to JSON. */
export interface StoryStep {
  readonly at: Temporal.Instant;
  /** The last time, if it happened repeatedly. */
  readonly until: Temporal.Instant | null;
  readonly times: number;
  readonly what: string;
}

/** What has happened to an edit, from its acceptance to the calendars that show it, in order. */
export function storyOf(edit: Edit, store: Store, names: Names): readonly StoryStep[] {
  const steps = store.editSteps.of(edit.id);
  const deliverySteps = steps.map((step): StoryStep => {
    const isRepeated = step.times > 1;
    const { at, times } = step;
    return {
      at,
      until: isRepeated ? step.lastAt : null,
      times,
      what: stepInWords(step, { edit, steps, store, names }),
    };
  });
  const all = [
    accepted(edit, names),
    ...kept(edit, steps),
    ...deliverySteps,
    ...takingsBack(edit, store, names),
    ...shown(edit, store),
  ];
  return all.toSorted((a, b) => Temporal.Instant.compare(a.at, b.at));
}

const once = (at: Temporal.Instant, what: string): StoryStep => ({
  at,
  until: null,
  times: 1,
  what,
});

function accepted(edit: Edit, names: Names): StoryStep {
  const { createdAt, restores } = edit;
  const how = ` ${programInWords(edit) ?? "on the page"}`;
  const why = restores ? `, to put back what a late request of edit ${restores.by} had undone` : "";
  return once(
    createdAt,
    `Accepted from ${asObject(editorName(edit, names))}${how}, and stored${why}`,
  );
}

/** For held edits only, as nothing else is recorded about that. */
function kept({ state, createdAt }: Edit, steps: readonly EditStep[]): readonly StoryStep[] {
  if (state === "held") {
    const before = "until then it is visible only to its editor and not in the workspace";
    return [once(createdAt, `Waiting for approval: ${before}`)];
  }
  return steps.some(({ kind }) => kind === "approved")
    ? [once(createdAt, "Waited for approval")]
    : [];
}

/** A name within a sentence. */
const asObject = (who: string): string =>
  who.replace(/^(?:The|Somebody) /, (word) => word.toLowerCase());

interface Telling {
  readonly edit: Edit;
  readonly steps: readonly EditStep[];
  readonly store: Store;
  readonly names: Names;
}

function stepInWords(step: EditStep, telling: Telling): string {
  const { edit, steps, names } = telling;
  const why = step.detail === "" ? "" : `: ${step.detail}`;
  const isNew = edit.action === "create";
  switch (step.kind) {
    case "taken-up":
      return isNew
        ? wasSentBefore(step, steps)
          ? "Searched its list, because an earlier request may have created it"
          : "Taken up"
        : "Read from the workspace";
    case "missed":
      return "Not found in its list; searching every list";
    case "found":
      return "Found in the list it was moved to";
    case "sent":
      return `Sent${mergedWith(telling)}`;
    case "postponed":
      return `Postponed${why}`;
    case "conflict":
      return "Conflict: also changed by someone else; waiting for a decision";
    case "refused":
      return `Rejected by the service; waiting for a decision${why}`;
    case "failed":
      return `Failed; waiting for a decision${why}`;
    case "unknown-outcome":
      return `Result unknown; waiting for a decision${why}`;
    case "resolved":
      return decisionInWords(step.detail, names);
    case "approved":
      return decided(step, { names, did: "approved it" }) ?? "Approved";
    case "released":
      return decided(step, { names, did: "requested a retry" }) ?? "Discarded by a person";
    case "confirmed":
      return answered(step, telling);
    case "overtaken":
      return "A late request had reverted it; restoring it";
    case "discarded":
      return `${decided(step, { names, did: "discarded it" }) ?? "Discarded"}${why}`;
    case "undone":
      return "Undone by a later edit";
    default:
      return unreachable(step.kind);
  }
}

/** "Ana approved it, on the page"; null if unknown. */
function decided(
  { decidedBy }: EditStep,
  { names, did }: { readonly names: Names; readonly did: string },
): string | null {
  return decidedBy && `${deciderName(decidedBy, names)} ${did}, ${wayOf(decidedBy)}`;
}

/** Somebody without a name or a link used the admin's token, or it was the machine itself. */
const deciderName = (by: Pick<Decider, "actor" | "channel">, names: Names): string =>
  by.actor === null && by.channel !== "link" ? "The admin" : editorName(by, names);

const wayOf = ({ channel, program }: Pick<Decider, "channel" | "program">): string =>
  programInWords({ channel, program: program ?? null }) ?? "on the page";

/** Who requested to undo it. Each undo is an edit of its own. */
const takingsBack = ({ id }: Edit, store: Store, names: Names): readonly StoryStep[] =>
  store.pastEdits
    .inversesOf(id)
    .map((inverse) =>
      once(
        inverse.createdAt,
        `${deciderName(inverse, names)} requested an undo, ${programInWords(inverse) ?? "on the page"}: edit ${inverse.id}`,
      ),
    );

const wasSentBefore = (step: EditStep, steps: readonly EditStep[]): boolean =>
  steps.some(({ kind, at }) => kind === "sent" && Temporal.Instant.compare(at, step.lastAt) < 0);

/** What someone else had changed before it was sent, and it was merged with. */
function mergedWith({ edit, store }: Telling): string {
  const { before, action } = edit;
  if (!before || action === "create" || action === "delete") return "";
  const base = seenBase(edit, store.pastEdits.ofItem(edit.item));
  const others = differingFields(base, valuesOf(before), sameShown).filter(
    (field) => edit.patch[field] === undefined,
  );
  return others.length === 0
    ? ""
    : `, merged with someone else's changes: ${enumerated(others.map(fieldNameOf))}`;
}

function answered(step: EditStep, { edit, steps }: Telling): string {
  const took = sinceInWords(edit.createdAt, step.lastAt);
  const sent = steps.filter(({ kind }) => kind === "sent").at(-1);
  const looked = steps.filter(({ kind }) => kind === "taken-up").at(-1);
  const wasFound =
    edit.action === "create" &&
    sent &&
    looked &&
    Temporal.Instant.compare(looked.lastAt, sent.lastAt) > 0;
  if (wasFound)
    return `Found in the workspace, confirmed ${took}: an earlier request had been carried out`;
  if (!sent) {
    return edit.action === "delete"
      ? `Already deleted, settled ${took}`
      : `The workspace already had all of it, settled ${took}`;
  }
  return `Confirmed by the service ${took}`;
}

/** A person's choice, with what was given up for it. */
function decisionInWords(detail: string, names: Names): string {
  const decision: {
    readonly by?: number | null;
    readonly way?: Decider;
    readonly conflicts?: Edit["conflicts"];
    readonly kind?: string;
  } = Object(JSON.parse(detail));
  const person = [...names.people].find(([id]) => id === decision.by)?.[1];
  const known = person === undefined ? "" : ` by ${plainLine(person)}`;
  const who = decision.way
    ? ` by ${asObject(deciderName(decision.way, names))}, ${wayOf(decision.way)}`
    : known;
  const fields = (decision.conflicts ?? []).map(({ field, ours, theirs, taken, combined }) => {
    const said = (value: unknown) => valueInWords({ field, value }, names);
    if (combined !== undefined) {
      return `${fieldNameOf(field)} combined to ${said(combined)} (theirs: ${said(ours)}, yours: ${said(theirs)})`;
    }
    return taken === "ours"
      ? `${fieldNameOf(field)} stays ${said(ours)} (yours: ${said(theirs)})`
      : `${fieldNameOf(field)} becomes ${said(theirs)} (theirs: ${said(ours)})`;
  });
  const about = fields.length > 0 ? `: ${fields.join("; ")}` : "";
  return `Decided${who}${decision.kind === "revives" ? " to recreate it" : ""}${about}`;
}

/** Since when calendars show it, and which feeds were fetched since. */
function shown(edit: Edit, store: Store): readonly StoryStep[] {
  const { createdAt, confirmedAt, item, state, answer, action } = edit;
  const first = store.editSteps.shownAfter(item, createdAt);
  const wasHeld = store.editSteps.of(edit.id).some(({ kind }) => kind === "approved");
  const isShown = first && !(state === "held" || (wasHeld && confirmedAt === null));
  const steps = isShown
    ? [
        once(
          first,
          action === "delete"
            ? "No longer shown in feeds and calendars"
            : "Shown in feeds and calendars",
        ),
      ]
    : [];
  if (!confirmedAt || fieldsOf(edit.patch).length + (action === "delete" ? 1 : 0) === 0)
    return steps;
  const project = (answer ?? edit.base).projectId;
  const fetched = store.feeds.all().flatMap((feed) => {
    const { id, projectId, revokedAt, name, kind, filter, personId } = feed;
    // Filters are not evaluated here, and other people's feeds are not mentioned.
    const isOpen = filter === null && (personId === null || personId === edit.actor);
    if (!isOpen || revokedAt !== null || !(kind === "all" || projectId === project)) return [];
    return store.feedFetches
      .of(id)
      .filter(({ lastAt }) => Temporal.Instant.compare(lastAt, confirmedAt) >= 0)
      .map(({ lastAt, program }) =>
        once(lastAt, `Fetched by ${plainLine(program)} with the feed ${plainLine(name)}`),
      );
  });
  return [...steps, ...fetched];
}
