import type { LabelId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { nameKey } from "../../domain/sameness.ts";
import type { Attempts } from "../../store/journal/attempts.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import type { Failure } from "../../upstream/failure.ts";
import { type CreationFailure, createOnce } from "./create-once.ts";

interface LabelMakerDeps {
  readonly labels: Upstream["labels"];
  readonly directory: Directory;
  readonly attempts: Attempts;
  readonly clock: () => Temporal.Instant;
  /** Stores a note now, or once the disk accepts it. */
  readonly keep: (note: () => void) => void;
}

/** Creates the labels that edits need, each name once, even if several edits request it at the same time. */
export class LabelMaker {
  readonly #deps: LabelMakerDeps;
  readonly #making = new Map<string, Promise<Result<LabelId, Failure>>>();

  constructor(deps: LabelMakerDeps) {
    this.#deps = deps;
  }

  /**
   * The ids of labels by name. Missing ones are created and added to the directory. `again`: an earlier try may have created
   * some, so the service is asked first. Fails with the failure of the first failed request.
   */
  async ensure(
    names: readonly string[],
    { call, again }: { readonly call: Call; readonly again: boolean },
  ): Promise<Result<readonly LabelId[], Failure>> {
    if (again && names.some((name) => this.#find(name) === null)) {
      const read = await this.#read(call);
      if (!read.ok) return read;
    }
    const ids: LabelId[] = [];
    for (const name of names) {
      const made = await this.#one(name, call);
      if (!made.ok) return made;
      ids.push(made.value);
    }
    return ok(ids);
  }

  #find(name: string): LabelId | null {
    const key = nameKey(name);
    const found = this.#deps.directory.labels().find((label) => nameKey(label.name) === key);
    return found?.id ?? null;
  }

  #one(name: string, call: Call): Promise<Result<LabelId, Failure>> {
    const known = this.#find(name);
    if (known !== null) return Promise.resolve(ok(known));
    const key = nameKey(name);
    const running = this.#making.get(key);
    if (running) return running;
    const making = this.#create(name, call).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  async #create(name: string, call: Call): Promise<Result<LabelId, Failure>> {
    const { labels, directory, attempts, clock, keep } = this.#deps;
    const what = `label:${nameKey(name)}`;
    const made = await createOnce<LabelId>({
      edit: null,
      act: "label",
      what,
      word: `label ${JSON.stringify(name)}`,
      attempts,
      clock,
      call,
      keep,
      known: () => [],
      look: () => this.#look(name, call),
      async send(one) {
        const created = await labels.create({ name }, one);
        if (!created.ok) return created;
        keep(() => directory.putLabels([created.value], false));
        return ok(created.value.id);
      },
    });
    if (made.ok) {
      keep(() => attempts.done(what));
      return made;
    }
    const failure = failureOf(made.failure);
    if (failure.kind !== "unknown-outcome" && failure.kind !== "refused") return fail(failure);
    // Someone else may have created it, or this request did and its answer was lost.
    const found = await this.#look(name, call);
    return found.ok && found.value !== null ? ok(found.value) : fail(failure);
  }

  async #look(name: string, call: Call): Promise<Result<LabelId | null, CreationFailure>> {
    const read = await this.#read(call);
    return read.ok ? ok(this.#find(name)) : fail({ kind: "failed", failure: read.failure });
  }

  async #read(call: Call): Promise<Result<null, Failure>> {
    const { labels, directory } = this.#deps;
    const read = await labels.list(call);
    if (!read.ok) return read;
    directory.putLabels(read.value.items, read.value.problems.length === 0);
    return ok(null);
  }
}

/** A label that may still be created does not count against the edit, which is retried. */
const failureOf = (failure: CreationFailure): Failure =>
  failure.kind === "failed"
    ? failure.failure
    : { kind: "unknown-outcome", message: failure.problem, request: "POST /labels" };
