import { z } from "zod";
import type { EditId } from "../../src/domain/ids.ts";
import { markIn, secrecy } from "../ledger.ts";
import type { PresentItem } from "../workspace-items.ts";
import type { World } from "../world.ts";

const feedsSchema = z.object({
  feeds: z.array(z.object({ projectId: z.number(), url: z.string() })),
});

/** Who runs Dayferry: settles what waits for a person, with the admin's token. */
export class Operator {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async act(): Promise<void> {
    const [oldest] = this.#waiting();
    if (oldest) await this.#decide(oldest, this.#world.random.chance(0.8) ? "approve" : "discard");
  }

  /** Approves all that waits for approval, and discards what cannot be approved: its editor is shown it for as long as it waits. */
  async decideAll(): Promise<void> {
    for (const id of this.#waiting()) {
      if (!(await this.#decide(id, "approve"))) await this.#decide(id, "discard");
    }
  }

  /** What is wrong with the feeds of projects, once nothing is under way any more. */
  async faults(items: readonly PresentItem[]): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const { projectId, url } of await this.#feeds()) {
      const answer = await this.#world.ask({ method: "GET", path: new URL(url).pathname });
      const text = (answer?.text ?? "").replaceAll("\r\n ", "");
      const shown = [...text.matchAll(/^SUMMARY.*$/gm)]
        .map(([line]) => markIn(line))
        .filter((mark) => mark !== "");
      const there = items
        .filter(({ project, title }) => project === projectId && !title.includes(secrecy))
        .map(({ title }) => markIn(title));
      const [seen, has] = [shown, there].map((marks) => marks.toSorted().join(", "));
      if (seen !== has)
        faults.push(`feed of ${projectId} shows ${seen}, and the service has ${has}`);
      if (text.includes(secrecy)) faults.push(`feed of ${projectId} tells a secret`);
    }
    return faults;
  }

  async #feeds(): Promise<readonly { readonly projectId: number; readonly url: string }[]> {
    const answer = await this.#world.askAsAdmin({ method: "GET", path: "/api/feeds" });
    return feedsSchema.parse(JSON.parse(answer?.text ?? "null")).feeds;
  }

  /** The edits that wait for approval, oldest first. */
  #waiting(): readonly EditId[] {
    const held = this.#world.life.rooms.store.journal.list({ state: "held", limit: 1000 });
    return held.map(({ id }) => id).toReversed();
  }

  /** Returns whether it was done. */
  async #decide(id: EditId, act: "approve" | "discard"): Promise<boolean> {
    const path = `/api/edits/${id}/${act}`;
    const answer = await this.#world.askAsAdmin({ method: "POST", path });
    this.#world.note("operator", `${act} edit ${id}: ${answer?.status ?? "no answer"}`);
    return answer?.status === 200;
  }
}
