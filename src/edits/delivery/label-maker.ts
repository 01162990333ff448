import type { LabelId } from "../../domain/ids.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import type { Failure } from "../../upstream/failure.ts";
import { labelKey } from "../intake/known-names.ts";

interface LabelMakerDeps {
  readonly labels: Upstream["labels"];
  readonly directory: Directory;
}

/** Creates the labels that edits need, each name once, also when several edits ask for it at the same time. */
export class LabelMaker {
  readonly #deps: LabelMakerDeps;
  readonly #making = new Map<string, Promise<Result<LabelId, Failure>>>();

  constructor(deps: LabelMakerDeps) {
    this.#deps = deps;
  }

  /**
   * The ids of labels by these names; what is not there yet is created and put into the directory. `again`: an earlier
   * try may have created some, so that the service is asked first. Fails as the first request that fails.
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
    const key = labelKey(name);
    const found = this.#deps.directory.labels().find((label) => labelKey(label.name) === key);
    return found?.id ?? null;
  }

  #one(name: string, call: Call): Promise<Result<LabelId, Failure>> {
    const known = this.#find(name);
    if (known !== null) return Promise.resolve(ok(known));
    const key = labelKey(name);
    const running = this.#making.get(key);
    if (running) return running;
    const making = this.#create(name, call).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  async #create(name: string, call: Call): Promise<Result<LabelId, Failure>> {
    const { labels, directory } = this.#deps;
    const made = await labels.create({ name }, call);
    if (made.ok) {
      directory.putLabels([made.value], false);
      return ok(made.value.id);
    }
    const { kind } = made.failure;
    if (kind !== "unknown-outcome" && kind !== "refused") return made;
    // Somebody else may have made it, or this request did and its answer was lost.
    const read = await this.#read(call);
    const found = read.ok ? this.#find(name) : null;
    return found === null ? made : ok(found);
  }

  async #read(call: Call): Promise<Result<null, Failure>> {
    const { labels, directory } = this.#deps;
    const read = await labels.list(call);
    if (!read.ok) return read;
    directory.putLabels(read.value.items, read.value.problems.length === 0);
    return ok(null);
  }
}
