import { hiddenMark } from "./hidden-secrets.ts";
import { capital } from "./text.ts";
import {
  type Trouble,
  type TroubleKind,
  type TroubleOf,
  type TroubleVerdict,
  type TroubleWords,
  troubleEntries,
} from "./trouble-kinds.ts";

/** How long it must last before it is reported or counts as over, and whether its end is reported. */
export const troubleTiming = ({ kind }: Pick<Trouble, "kind">) => {
  const { notifyAfter, overAfter, notifiesEnd = true } = troubleEntries[kind];
  return { notifyAfter, overAfter, notifiesEnd };
};

/** The texts about a trouble, for people. */
export const troubleWords = <Kind extends TroubleKind>(trouble: TroubleOf<Kind>): TroubleWords =>
  troubleEntries[trouble.kind].words(trouble);

/** How severe it is. A certificate that is still valid does not stop anything yet. */
export const verdictOf = (trouble: Trouble): TroubleVerdict =>
  trouble.kind === "certificate" && trouble.until !== null
    ? "doubtful"
    : troubleEntries[trouble.kind].verdict;

/** Identifies a trouble, independent of its facts, so that it is reported once. */
export function troubleId<Kind extends TroubleKind>(trouble: TroubleOf<Kind>): string {
  const about = troubleEntries[trouble.kind].about?.(trouble) ?? null;
  return about === null ? trouble.kind : `${trouble.kind}:${about}`;
}

/** True if nothing can be synced meanwhile. */
export const stopsSync = (trouble: Trouble): boolean =>
  trouble.kind === "service-unreachable" ||
  (trouble.kind === "certificate" && trouble.until === null) ||
  (trouble.kind === "key-refused" && trouble.person === null);

/** A trouble that holds now. */
export interface HeldTrouble {
  readonly trouble: Trouble;
  readonly since: Temporal.Instant;
}

/** A trouble's facts for programs and pages. */
export interface TroubleReport {
  readonly id: string;
  readonly kind: TroubleKind;
  readonly verdict: TroubleVerdict;
  readonly since: Temporal.Instant;
  readonly title: string;
  /** One sentence: what is wrong, and what helps. */
  readonly sentence: string;
  readonly what: string;
  readonly remedy: string;
}

export function troubleReport({ trouble, since }: HeldTrouble): TroubleReport {
  const { kind } = trouble;
  const { title, what, remedy } = troubleWords(trouble);
  const verdict = verdictOf(trouble);
  const sentence = troubleSentence(trouble);
  return { id: troubleId(trouble), kind, verdict, since, title, sentence, what, remedy };
}

/** What is wrong and what helps, in one sentence. */
function troubleSentence(trouble: Trouble): string {
  const { what, remedy } = troubleWords(trouble);
  return `${capital(what)} → ${remedy}.`;
}

/**
 * What a log says when a trouble begins or ends: the same sentence without the names and addresses of items and people.
 */
export function loggedTrouble(
  trouble: Trouble,
  phase: "begun" | "over",
): { readonly trouble: string; readonly what: string } {
  const { what, over } = troubleWords({ ...trouble, ...namelessOf(trouble) });
  return {
    trouble: trouble.kind === "mail-refused" ? trouble.kind : troubleId(trouble),
    what: withoutAddresses(phase === "begun" ? what : over),
  };
}

const namelessOf = <Kind extends TroubleKind>(trouble: TroubleOf<Kind>): object =>
  troubleEntries[trouble.kind].nameless?.(trouble) ?? {};

/** A mail server that rejects a mail repeats the address. */
const withoutAddresses = (text: string): string =>
  text.replaceAll(/[^\s<>"'@]{1,64}@[^\s<>"'@]{1,255}/g, hiddenMark);
