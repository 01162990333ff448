import { statfsSync } from "node:fs";
import type { PersonId } from "../domain/ids.ts";
import { troubleId } from "../domain/trouble.ts";
import type { Trouble } from "../domain/trouble-kinds.ts";
import type { SendQueueRow } from "../store/rows/mail-rows.ts";
import type { Store } from "../store/store.ts";
import type { CurrentTroubles } from "../store/troubles.ts";
import { stored } from "../texts/stored.ts";
import type { Upstream } from "../upstream/client.ts";

/** The daemon's state, from which troubles are derived. */
export interface TroubleFacts {
  readonly store: Store;
  readonly upstream: Pick<Upstream, "isOut" | "outageProblem" | "keys" | "clockLead">;
  /** The folder whose disk is checked. */
  readonly dataDir: string;
  /** Host of the service. */
  readonly host: string;
  readonly withOwnKey: ReadonlySet<PersonId>;
  /** Advice for reading everything in time; null if it is. */
  readonly advice: () => string | null;
  readonly channels: () => {
    readonly inbox: { readonly problem: string | null } | null;
    readonly subscriptions: readonly { readonly name: string; readonly problem: string | null }[];
  };
  /** Edits that may have been applied twice. */
  readonly repeated: () => readonly Omit<
    Extract<Trouble, { readonly kind: "edit-repeated" }>,
    "kind"
  >[];
  /** Key files that were lost recently, and what stopped working. */
  readonly lostKeys: () => readonly { readonly file: string; readonly ended: string }[];
  /** Webhooks for events. */
  readonly eventWebhooks: () => readonly HookState[];
  /** Names of the operator's webhooks. */
  readonly webhooks: readonly string[];
  /** People with a webhook in the configuration. */
  readonly listedWebhooks: readonly PersonId[];
  readonly clock: () => Temporal.Instant;
  /** Free bytes on the disk of a folder. */
  readonly freeOn?: (folder: string) => number;
}

/** A webhook for events. */
interface HookState {
  readonly name: string;
  /** The last message; null before the first. */
  readonly last: Pick<SendQueueRow, "state" | "problem" | "settledAt"> | null;
  /** When changes were last skipped, because they were no longer recorded; null if none were. */
  readonly skippedAt: Temporal.Instant | null;
}

const mebibyte = 2 ** 20;
/** A trouble begins below the first and ends above the second. */
const littleSpace = { begins: 500 * mebibyte, ends: 600 * mebibyte } as const;
/** Free space is rounded to steps, so that not every check reports a change. */
const spaceStep = 10;
const tolerableSeconds = 60;
/** An edit usually arrives within seconds, or after some retries within minutes. */
const longestWait = Temporal.Duration.from({ minutes: 15 });
const mostListsNamed = 3;

/** Finds current troubles from what the daemon knows; makes no requests. */
export function createTroubleFinder(facts: TroubleFacts): () => CurrentTroubles {
  const { store, upstream, clock } = facts;
  let wasLow = false;
  let answeringSince: Temporal.Instant | null = null;

  function disk(): readonly Trouble[] {
    const free = (facts.freeOn ?? freeOn)(facts.dataDir);
    wasLow = free < (wasLow ? littleSpace.ends : littleSpace.begins);
    if (!wasLow) return [];
    const freeMebibytes = Math.floor(free / mebibyte / spaceStep) * spaceStep;
    return [{ kind: "disk-nearly-full", folder: facts.dataDir, freeMebibytes }];
  }

  function queue(isAnswering: boolean): readonly Trouble[] {
    const now = clock();
    if (!isAnswering) answeringSince = null;
    else answeringSince ??= now;
    if (!answeringSince) return [];
    const moving = now.subtract(longestWait);
    if (Temporal.Instant.compare(answeringSince, moving) > 0) return [];
    const { edits, oldest } = store.waits.stuck({ made: moving, moving });
    if (edits === 0 || !oldest) return [];
    const minutes = Math.floor(oldest.until(now).total("minutes") / 5) * 5;
    return [{ kind: "queue-stuck", edits, minutes }];
  }

  return () => {
    const isAccountRefused = upstream.keys.isRefused(null);
    const isOut = upstream.isOut();
    const hasHeard = isAccountRefused !== null;
    const isReachable = !isOut && isAccountRefused !== true;
    const present = [
      // A result for another time zone says nothing about the one configured now.
      ...store.troubles
        .reported()
        .filter((trouble) => trouble.kind !== "zone-mismatch" || trouble.zone === store.zone)
        .filter((trouble) => !isOut || troubleId(trouble) !== troubleId(outage(facts))),
      ...storage(store),
      ...disk(),
      ...refusedKeys(facts),
      ...(isOut ? [outage(facts)] : []),
      ...(isReachable ? queue(hasHeard) : queue(false)),
      ...clockTrouble(upstream.clockLead()),
      ...facts.lostKeys().map((key): Trouble => ({ kind: "key-file-lost", ...key })),
      ...mail(facts),
      ...(isReachable ? lists(store) : []),
      ...channels(facts),
      ...caches(store),
      ...ceiling(facts),
      ...decisions(facts),
    ];
    return {
      present,
      isUnsure: (trouble) => isUnsure(trouble, { facts, hasHeard, isOut }),
    };
  };
}

/** A purge that waits without a failure is on its way. */
function caches({ cachePurges }: Store): readonly Trouble[] {
  const { waiting, ended, problem } = cachePurges.state();
  return problem === null ? [] : [{ kind: "cache-not-purged", waiting, ended, problem }];
}

const freeOn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** A trouble that only a response of the service can end goes on until something is requested. */
function isUnsure(
  trouble: Trouble,
  {
    facts,
    hasHeard,
    isOut,
  }: {
    readonly facts: TroubleFacts;
    readonly hasHeard: boolean;
    readonly isOut: boolean;
  },
): boolean {
  const { kind } = trouble;
  if (kind === "key-refused") {
    const holder = trouble.person?.id ?? null;
    const isGone = holder !== null && !facts.withOwnKey.has(holder);
    return !isGone && facts.upstream.keys.isRefused(holder) === null;
  }
  if (kind === "clock-wrong") return facts.upstream.clockLead() === null;
  if (kind === "lists-unreadable") return isOut || !hasHeard;
  return !hasHeard && ofTheService.has(kind);
}

const ofTheService: ReadonlySet<Trouble["kind"]> = new Set([
  "service-unreachable",
  "certificate",
  "queue-stuck",
]);

function storage({ health }: Store): readonly Trouble[] {
  const trouble = health.trouble();
  return trouble ? [{ kind: "storage-failing", problem: trouble.problem }] : [];
}

function refusedKeys({ store, upstream, withOwnKey }: TroubleFacts): readonly Trouble[] {
  const account: readonly Trouble[] = upstream.keys.isRefused(null)
    ? [{ kind: "key-refused", person: null }]
    : [];
  const people = [...withOwnKey]
    .filter((id) => upstream.keys.isRefused(id))
    .map((id): Trouble => {
      const name = store.directory.activePerson(id)?.name ?? `person ${id}`;
      return { kind: "key-refused", person: { id, name } };
    });
  return [...account, ...people];
}

/** TLS error codes in an error's message. Source: https://nodejs.org/api/tls.html (X509 certificate error codes). */
const aboutCertificate =
  /\b(?:CERT_\w+|UNABLE_TO_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_\w+|ERR_SSL_\w+)\b/;

function outage({ upstream, host }: TroubleFacts): Trouble {
  const problem = upstream.outageProblem();
  return aboutCertificate.test(problem)
    ? { kind: "certificate", host, until: null, problem }
    : { kind: "service-unreachable", problem };
}

function clockTrouble(lead: Temporal.Duration | null): readonly Trouble[] {
  const seconds = Math.round(lead?.total("seconds") ?? 0);
  // Rounded, so that a few seconds do not count as a change.
  const rounded = Math.round(seconds / 10) * 10;
  return Math.abs(seconds) > tolerableSeconds ? [{ kind: "clock-wrong", seconds: rounded }] : [];
}

function mail(facts: TroubleFacts): readonly Trouble[] {
  const { ledger } = facts.store;
  const now = facts.clock();
  const failing = ledger.failing();
  const refused = ledger.refusedSince(now.subtract({ hours: 24 * 7 }));
  return [
    ...(failing ? [{ kind: "mail-failing", ...failing } as const] : []),
    ...webhooks(facts),
    ...eventWebhooks(facts),
    ...personWebhooks(facts),
    ...refused.map(
      ({ address, problem }): Trouble => ({
        kind: "mail-refused",
        address: address ?? "an unknown address",
        problem,
      }),
    ),
  ];
}

const webhookMark = "webhook:";

function webhooks({ store, webhooks: named }: TroubleFacts): readonly Trouble[] {
  if (named.length === 0) return [];
  return store.operatorMessages.ways().flatMap(({ way, waiting, refused, problem }) => {
    const name = way.startsWith(webhookMark) ? way.slice(webhookMark.length) : "";
    if (!named.includes(name) || problem === null || waiting + refused === 0) return [];
    return [{ kind: "webhook-failing", name, waiting: waiting + refused, problem } as const];
  });
}

/** How long the last failure of a person's webhook is reported: nothing may have been sent since. */
const failureReportedFor = Temporal.Duration.from({ hours: 24 * 7 });

/** Judges by the last message and by skipped changes. Webhooks with the same name have one trouble. */
function eventWebhooks({ eventWebhooks: list, clock }: TroubleFacts): readonly Trouble[] {
  const oldest = clock().subtract(failureReportedFor);
  const isRecent = (at: Temporal.Instant | null) =>
    at !== null && Temporal.Instant.compare(at, oldest) >= 0;
  const problemOf = ({ last, skippedAt }: HookState): string | null => {
    const isFailing = last?.state === "deferred" || last?.state === "rejected";
    if (last && isFailing && isRecent(last.settledAt)) return last.problem;
    return isRecent(skippedAt) ? stored("problem.hookSkipped") : null;
  };
  const problems = new Map<string, string>();
  for (const hook of list()) {
    const problem = problemOf(hook);
    if (problem !== null) problems.set(hook.name, problem);
  }
  return [...problems].map(([name, problem]) => ({
    ...{ kind: "webhook-failing" as const, name, waiting: 1, problem },
  }));
}

/** Judges by the result of the last message. After a change of the URL there is no result yet. */
function personWebhooks({ store, listedWebhooks, clock }: TroubleFacts): readonly Trouble[] {
  const own = store.personWebhooks.list();
  const listed = listedWebhooks.filter((id) => own.every(({ person }) => person !== id));
  const all = [...own, ...listed.map((person) => ({ person, setAt: null }))];
  const oldest = clock().subtract(failureReportedFor);
  return all.flatMap(({ person: id, setAt }): readonly Trouble[] => {
    const fate = store.personWebhooks.fate(id);
    const known = store.directory.activePerson(id);
    if (!fate || fate.state === "sent" || !known) return [];
    const since = setAt && Temporal.Instant.compare(setAt, oldest) > 0 ? setAt : oldest;
    if (Temporal.Instant.compare(fate.at, since) < 0) return [];
    const problem = fate.problem ?? "it takes no messages";
    return [{ kind: "person-webhook-failing", person: { id, name: known.name }, problem }];
  });
}

function lists({ sources }: Store): readonly Trouble[] {
  // People listed in the configuration replace a lookup the service does not offer.
  const failing = sources
    .failing()
    .filter(({ kind }) => kind !== "people")
    .map(({ name, failure }) => ({ source: name, problem: failure ?? "it cannot be read" }));
  if (failing.length === 0) return [];
  return [
    { kind: "lists-unreadable", lists: failing.length, first: failing.slice(0, mostListsNamed) },
  ];
}

function channels({ channels: read }: TroubleFacts): readonly Trouble[] {
  const { inbox, subscriptions } = read();
  return [
    ...(inbox?.problem ? [{ kind: "inbox-unusable", problem: inbox.problem } as const] : []),
    ...subscriptions.flatMap(({ name, problem }): readonly Trouble[] =>
      problem === null ? [] : [{ kind: "subscription-failing", name, problem }],
    ),
  ];
}

function ceiling({ advice }: TroubleFacts): readonly Trouble[] {
  const text = advice();
  return text === null ? [] : [{ kind: "ceiling-missed", advice: text }];
}

/** What waits for a decision. */
function decisions({ store, repeated }: TroubleFacts): readonly Trouble[] {
  return [
    ...store.pastEdits.frozen().map(
      ({ id, base, problem }): Trouble => ({
        kind: "edit-frozen",
        edit: id,
        title: base.title,
        problem: problem ?? "it keeps changing",
      }),
    ),
    ...repeated().map((edit): Trouble => ({ kind: "edit-repeated", ...edit })),
    ...store.brakes
      .all()
      .filter(({ needsPerson, releasedAt }) => needsPerson && !releasedAt)
      .map(
        ({ source, missing, total }): Trouble => ({
          kind: "removals-held",
          source,
          missing,
          total,
        }),
      ),
  ];
}
