import { capital } from "../../domain/text.ts";
import { troubleId, troubleReport, troubleWords, verdictOf } from "../../domain/trouble.ts";
import { type Trouble, troubleKinds } from "../../domain/trouble-kinds.ts";
import { momentInWords } from "../../domain/wording.ts";
import { say } from "../../texts/say.ts";
import type { MailContent, MailPart } from "../mail-content.ts";
import type { OperatorMessage, ReportedEpisode } from "./notify-operator.ts";

/** What appears in every message. */
export interface OperatorContext {
  /** Host of the service, to tell accounts apart. */
  readonly account: string;
  readonly installation: string;
  readonly version: string;
  /** Time zone of the account. */
  readonly zone: string;
  /** URL of the Status page; null if this server has no public URL. */
  readonly statusUrl: string | null;
}

/** A message as mail content and as data. */
export interface OperatorWords {
  readonly title: string;
  readonly content: Omit<MailContent, "reason" | "unsubscribe">;
  /** As plain text, without the title. */
  readonly text: string;
  readonly priority: 3 | 4;
  readonly tags: readonly string[];
  readonly data: object;
}

const isOver = ({ phase }: ReportedEpisode): boolean => phase === "over";

/** Kinds are ordered by severity. */
const weights = troubleKinds;
const weightOf = ({ trouble }: ReportedEpisode): number => weights.indexOf(trouble.kind);

/** The text of one message. What began and ended before it could be sent is reported once, with both times. */
export function operatorWords(
  { messageId, reported }: OperatorMessage,
  context: OperatorContext,
): OperatorWords {
  const over = reported.filter(isOver);
  const ended = new Set(over.map(({ trouble }) => troubleId(trouble)));
  const lasting = reported
    .filter((each) => !isOver(each) && !ended.has(troubleId(each.trouble)))
    .toSorted((a, b) => weightOf(a) - weightOf(b));
  const unreported = new Set(
    reported.filter((each) => !isOver(each)).map(({ trouble }) => troubleId(trouble)),
  );
  const title = titleOf(lasting, over);
  const lines = [
    ...lasting.map((each) => lastingLines(each, context)),
    ...over.map((each) =>
      overLines(each, { context, isNews: unreported.has(troubleId(each.trouble)) }),
    ),
  ];
  const [first = [say("operator.test")]] = lines;
  const isBroken = lasting.some(({ trouble }) => verdictOf(trouble) === "broken");
  return {
    title: `Dayferry (${context.account}): ${title}`,
    content: {
      subject: `Dayferry (${context.account}): ${title}`,
      preview: first[0] ?? title,
      heading: capital(title),
      fact: first[0] ?? null,
      parts: [
        { kind: "lines", lines: first.slice(1) },
        ...lines.slice(1).map((block): MailPart => ({ kind: "lines", lines: block })),
        ...(context.statusUrl === null
          ? []
          : [
              {
                kind: "links",
                links: [{ label: say("layout.status"), url: context.statusUrl }],
              } as const,
            ]),
      ],
    },
    text: (lines.length === 0 ? [first] : lines).map((block) => block.join("\n")).join("\n\n"),
    priority: isBroken ? 4 : 3,
    tags: tagsOf({ lasting, over, isBroken }),
    data: {
      version: 1,
      id: messageId.replace(/^<(.*)>$/, "$1"),
      event: reported.length === 0 ? "test" : "troubles",
      account: context.account,
      installation: context.installation,
      program: `Dayferry ${context.version}`,
      statusUrl: context.statusUrl,
      title,
      text: lines.map((block) => block.join("\n")).join("\n\n") || first.join("\n"),
      troubles: [...lasting, ...over].map(dataOf),
    },
  };
}

function titleOf(lasting: readonly ReportedEpisode[], over: readonly ReportedEpisode[]): string {
  const named = (each: ReportedEpisode) => troubleWords(each.trouble).title;
  const [first] = lasting;
  const [ended] = over;
  if (!first && !ended) return say("operator.testTitle");
  if (!first && ended) {
    return over.length === 1
      ? say("operator.isOver", { title: named(ended) })
      : say("operator.allOver", { count: over.length });
  }
  if (first && lasting.length === 1 && over.length === 0) {
    return first.phase === "begun" ? named(first) : say("operator.still", { title: named(first) });
  }
  const begun =
    lasting.length === 1 && first
      ? named(first)
      : say("operator.problems", { count: lasting.length });
  return over.length === 0 ? begun : say("operator.someOver", { begun, count: over.length });
}

function lastingLines(
  { trouble, since, phase }: ReportedEpisode,
  { zone }: OperatorContext,
): readonly string[] {
  const { what, remedy } = troubleWords(trouble);
  return [
    phase === "begun" ? `${capital(what)}.` : say("operator.stillLine", { what }),
    say("outage.remedy", { remedy }),
    say("operator.since", { moment: momentInWords(since, zone) }),
  ];
}

/** `isNews`: nobody was notified while it lasted. */
function overLines(
  { trouble, since, until }: ReportedEpisode,
  { context: { zone }, isNews }: { readonly context: OperatorContext; readonly isNews: boolean },
): readonly string[] {
  const { what, over } = troubleWords(trouble);
  const from = momentInWords(since, zone);
  const span = until
    ? say("operator.lasted", { from, to: momentInWords(until, zone) })
    : say("operator.lastedFrom", { from });
  return [
    say("operator.overLine", { over }),
    ...(isNews ? [say("operator.whatItWas", { what })] : []),
    span,
  ];
}

function tagsOf(found: {
  readonly lasting: readonly ReportedEpisode[];
  readonly over: readonly ReportedEpisode[];
  readonly isBroken: boolean;
}): readonly string[] {
  if (found.lasting.length > 0) return [found.isBroken ? "rotating_light" : "warning"];
  return [found.over.length > 0 ? "white_check_mark" : "information_source"];
}

/** The same facts as data. */
function dataOf({ trouble, since, until, phase, episode }: ReportedEpisode): object {
  const { id, kind, verdict, title, what, remedy } = troubleReport({ trouble, since });
  const { kind: _, ...facts } = trouble satisfies Trouble;
  const state = phase === "begun" || phase === "over" ? phase : "lasting";
  return {
    id,
    kind,
    episode,
    state,
    severity: verdict,
    title,
    what,
    remedy,
    since: since.toString(),
    until: until?.toString() ?? null,
    facts,
  };
}
