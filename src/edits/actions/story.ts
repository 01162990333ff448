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
import { say } from "../../texts/say.ts";
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
  const [who, how] = [asObject(editorName(edit, names)), programInWords(edit) ?? onPage()];
  return once(
    createdAt,
    restores
      ? say("story.acceptedAgain", { who, how, id: restores.by })
      : say("story.accepted", { who, how }),
  );
}

/** A step for edits that are or were held, as the journal records none. */
function kept({ state, createdAt }: Edit, steps: readonly EditStep[]): readonly StoryStep[] {
  if (state === "held") {
    return [once(createdAt, say("story.held"))];
  }
  return steps.some(({ kind }) => kind === "approved")
    ? [once(createdAt, say("story.waited"))]
    : [];
}

/** A name within a sentence. */
const asObject = (who: string): string =>
  [say("did.account"), say("story.admin")].includes(who)
    ? who.charAt(0).toLowerCase() + who.slice(1)
    : who;

const onPage = (): string => say("story.onPage");

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
          ? say("story.searched")
          : say("story.takenUp")
        : say("story.read");
    case "missed":
      return say("story.missed");
    case "found":
      return say("story.found");
    case "sent":
      return sentInWords(telling);
    case "postponed":
      return `${say("story.postponed")}${why}`;
    case "conflict":
      return say("story.conflict");
    case "refused":
      return `${say("story.refused")}${why}`;
    case "failed":
      return `${say("story.failed")}${why}`;
    case "unknown-outcome":
      return `${say("story.unknown")}${why}`;
    case "resolved":
      return decisionInWords(step.detail, names);
    case "approved":
      return decided(step, names, "story.approvedBy") ?? say("story.approved");
    case "released":
      return decided(step, names, "story.retryBy") ?? say("story.released");
    case "confirmed":
      return answered(step, telling);
    case "overtaken":
      return say("story.overtaken");
    case "discarded":
      return `${decided(step, names, "story.discardedBy") ?? say("story.discarded")}${why}`;
    case "undone":
      return say("story.undone");
    default:
      return unreachable(step.kind);
  }
}

/** "Ana approved it, on the page"; null if unknown. */
function decided(
  { decidedBy }: EditStep,
  names: Names,
  id: "story.approvedBy" | "story.retryBy" | "story.discardedBy",
): string | null {
  return decidedBy && say(id, { who: deciderName(decidedBy, names), how: wayOf(decidedBy) });
}

/** Without a person and a link, it was the admin's token or the machine itself. */
const deciderName = (by: Pick<Decider, "actor" | "channel">, names: Names): string =>
  by.actor === null && by.channel !== "link" ? say("story.admin") : editorName(by, names);

const wayOf = ({ channel, program }: Pick<Decider, "channel" | "program">): string =>
  programInWords({ channel, program: program ?? null }) ?? onPage();

/** Who requested to undo it. Each undo is an edit of its own. */
const takingsBack = ({ id }: Edit, store: Store, names: Names): readonly StoryStep[] =>
  store.pastEdits.inversesOf(id).map((inverse) =>
    once(
      inverse.createdAt,
      say("story.undoAsked", {
        who: deciderName(inverse, names),
        how: programInWords(inverse) ?? onPage(),
        id: inverse.id,
      }),
    ),
  );

const wasSentBefore = (step: EditStep, steps: readonly EditStep[]): boolean =>
  steps.some(({ kind, at }) => kind === "sent" && Temporal.Instant.compare(at, step.lastAt) < 0);

/** Says that it was sent, and with which changes of others it was merged. */
function sentInWords({ edit, store }: Telling): string {
  const { before, action } = edit;
  if (!before || action === "create" || action === "delete") return say("story.sent");
  const base = seenBase(edit, store.pastEdits.ofItem(edit.item));
  const others = differingFields(base, valuesOf(before), sameShown).filter(
    (field) => edit.patch[field] === undefined,
  );
  return others.length === 0
    ? say("story.sent")
    : say("story.sentMerged", { fields: enumerated(others.map(fieldNameOf)) });
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
  if (wasFound) return say("story.foundConfirmed", { took });
  if (sent) return say("story.confirmed", { took });
  return say(edit.action === "delete" ? "story.alreadyDeleted" : "story.alreadyThere", { took });
}

/** A person's choice, with the values given up for it. */
function decisionInWords(detail: string, names: Names): string {
  const decision: {
    readonly by?: number | null;
    readonly way?: Decider;
    readonly conflicts?: Edit["conflicts"];
    readonly kind?: string;
  } = Object(JSON.parse(detail));
  const person = [...names.people].find(([id]) => id === decision.by)?.[1];
  const known = person === undefined ? null : plainLine(person);
  const who = decision.way
    ? `${asObject(deciderName(decision.way, names))}, ${wayOf(decision.way)}`
    : known;
  const decided = who === null ? say("story.decided") : say("story.decidedBy", { who });
  const fields = (decision.conflicts ?? []).map(({ field, ours, theirs, taken, combined }) => {
    const said = (value: unknown) => valueInWords({ field, value }, names);
    const about = { field: fieldNameOf(field), theirs: said(ours), yours: said(theirs) };
    if (combined !== undefined) return say("story.combined", { ...about, value: said(combined) });
    return taken === "ours"
      ? say("story.stays", { ...about, value: said(ours) })
      : say("story.becomes", { ...about, value: said(theirs) });
  });
  const about = fields.length > 0 ? `: ${fields.join("; ")}` : "";
  return `${decision.kind === "revives" ? say("story.recreate", { decided }) : decided}${about}`;
}

/** Since when calendars show it, and which feeds were fetched since. */
function shown(edit: Edit, store: Store): readonly StoryStep[] {
  const { createdAt, confirmedAt, item, state, answer, action } = edit;
  const first = store.editSteps.shownAfter(item, createdAt);
  const wasHeld = store.editSteps.of(edit.id).some(({ kind }) => kind === "approved");
  const isShown = first && !(state === "held" || (wasHeld && confirmedAt === null));
  const steps = isShown
    ? [once(first, say(action === "delete" ? "story.gone" : "story.shown"))]
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
        once(lastAt, say("story.fetched", { program: plainLine(program), feed: plainLine(name) })),
      );
  });
  return [...steps, ...fetched];
}
