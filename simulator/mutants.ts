import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/** A defect the simulator must find: a piece of source and its replacement. */
export interface Mutant {
  readonly name: string;
  /** Below `src`, or from the root for a package. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Each is a plausible mistake in one place. */
export const mutants: readonly Mutant[] = [
  {
    name: "changes an item without reading it first",
    file: "edits/delivery/update.ts",
    from: "const current = await fetchCurrent(attempt);",
    to: 'const current = { kind: "found", address: addressOf(attempt), ours: attempt.edit.base };',
  },
  {
    name: "makes an item again without looking for it",
    file: "edits/delivery/create.ts",
    from: "if (edit.sentAt) {",
    to: "if (edit.sentAt === undefined) {",
  },
  {
    name: "takes any new item of the same person for a lost creation",
    file: "domain/lost-creation.ts",
    from: 'if (looksAlike(item, lost.wished)) return "same";',
    to: 'if (item.kind === lost.wished.kind) return "same";',
  },
  {
    name: "lets the later of two changes win in silence",
    file: "edits/delivery/merge-edit.ts",
    from: 'const taken = policy === "ask" ? null : policy;',
    to: 'const taken = "theirs";',
  },
  {
    name: "believes whatever is read right after a write",
    file: "domain/eventual.ts",
    from: "if (!read) return edits.length > 0 && !isDeleted;",
    to: "return false;",
  },
  {
    name: "takes an older state of an item for the one that is known",
    file: "domain/eventual.ts",
    from: "return Temporal.Duration.compare(changedAt.since(now).abs(), settlingTime) < 0;",
    to: "return false;",
  },
  {
    name: "forgets requests that got no answer",
    file: "store/journal/attempts.ts",
    from: "void lose.run({ id, ...unanswered(until) }),",
    to: "undefined,",
  },
  {
    name: "keeps the claims of a process that died",
    file: "edits/delivery/drain.ts",
    from: "const edits = store.journal.release() + store.extras.release();",
    to: "const edits = store.extras.release();",
  },
  {
    name: "keeps the first steps of a transaction whose last one fails",
    file: "store/steady-database.ts",
    from: 'if (isOutermost) databaseStep("commit");',
    to: 'try { if (isOutermost) databaseStep("commit"); } catch { db.exec("COMMIT; BEGIN"); }',
  },
  {
    name: "shows private items to everybody",
    file: "domain/visibility.ts",
    from: "return isPartyTo(person, item);\n}",
    to: "return true;\n}",
  },
  {
    name: "takes no notice of If-Match",
    file: "packages/caldav-server/src/conditions.ts",
    from: "if (met.ok) return ok({ object, isSeen: met.value.isSeen });",
    to: "if (object || met.ok) return ok({ object, isSeen: true });",
  },
  {
    name: "serves an old copy under its old SEQUENCE",
    file: "caldav/put-object.ts",
    from: "if ((incoming.sequence ?? 0) >= shown) return put;",
    to: "if (shown >= 0) return put;",
  },
  {
    name: "forgets the UID that a lost creation was shown under",
    file: "store/mirror/mirror.ts",
    from: "merge.run({ item: duplicate, into: key });",
    to: "",
  },
  {
    name: "forgets a list whose poll cannot be noted",
    file: "sync/source-list.ts",
    from: "if (!known) throw new UnknownSourceError(name);\n    this.#turn += 1;",
    to: "if (!known) throw new UnknownSourceError(name);\n    this.save();\n    this.#turn += 1;",
  },
  {
    name: "watches what a restored backup may have sent",
    file: "store/journal/unanswered.ts",
    from: "const watched = `lands_until IS NOT NULL AND before IS NOT NULL AND",
    to: "const watched = `lands_until IS NOT NULL AND",
  },
  {
    name: "compares a file with the version that it names, and no other",
    file: "edits/intake/plan-known.ts",
    from: "const isMarked = incoming.base !== null;",
    to: "const isMarked = false;",
  },
  {
    name: "leaves subtasks where they are when their task comes back",
    file: "store/view/publish-changes.ts",
    from: 'if (item?.kind === "task" && !(shown && isAt(shown, item))) publishBelow(item);',
    to: 'if (item?.kind === "task" && shown && !isAt(shown, item)) publishBelow(item);',
  },
  {
    name: "sends one request more than the quota has",
    file: "upstream/gate.ts",
    from: "const share = this.#share.current(now);\n    return",
    to: "const share = this.#share.current(now) + 1;\n    return",
  },
];

const urlOf = ({ file }: Mutant): string =>
  import.meta.resolve(`../${file.startsWith("packages/") ? file : `src/${file}`}`);

/** True if a mutant still applies: its piece occurs once in the source. */
export const fits = (mutant: Mutant): boolean =>
  readFileSync(new URL(urlOf(mutant)), "utf8").split(mutant.from).length === 2;

/** Applies a defect to what this process loads from now on. */
export function plant(mutant: Mutant): void {
  if (!fits(mutant)) throw new Error(`${mutant.file} does not hold this once: ${mutant.from}`);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== urlOf(mutant)) return loaded;
      const { source = "" } = loaded;
      const text =
        typeof source === "string" ? source : new TextDecoder().decode(source ?? undefined);
      return { ...loaded, source: text.replace(mutant.from, () => mutant.to) };
    },
  });
}
